import type { IncomingMessage } from 'node:http';

/** Null unless there is exactly one `Authorization: Bearer …`. Node keeps the first of several. */
export function bearerToken(request: IncomingMessage): string | null {
  const header = request.headers.authorization;
  if (header === undefined || header.length > 512) return null;
  const raw = request.rawHeaders;
  let seen = 0;
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index]?.length === 13 && raw[index]?.toLowerCase() === 'authorization') seen += 1;
  }
  if (seen !== 1) return null;
  return /^Bearer ([\w~+/.=-]+)$/i.exec(header)?.[1] ?? null;
}
