import type { IncomingHttpHeaders } from 'node:http';
import type { Html } from '../parts/html.ts';
import { PAGE_HEADERS } from '../parts/layout.ts';
import { ONCE_ENDING } from '../parts/screen.ts';
import { pageMark } from '../users/session.ts';

export function liveMarkOf(headers: IncomingHttpHeaders): string | null {
  if (headers['x-parcela-live'] === undefined) return null;
  return /^"([\w-]{43})"$/.exec(headers['if-none-match'] ?? '')?.[1] ?? null;
}

/** Identifies the content of a page. The keys of its forms are left out: they differ each time. */
export function liveMark(token: string, body: Html, onceKey: string): string {
  const [before, ...behind] = body.toString().split(onceKey.slice(0, -ONCE_ENDING));
  const rest = behind.map((part) => part.slice(ONCE_ENDING));
  return pageMark(token, `live ${[before, ...rest].join('')}`);
}

/**
 * The answer to a page that reloads itself. Unchanged content is not sent; changed content is sent without
 * its frame.
 */
export function readAgain(body: Html, mark: string, known: string) {
  const headers = { ...PAGE_HEADERS, etag: `"${mark}"` };
  if (mark === known) return { status: 304, headers };
  return { status: 200, headers, text: { content: body.toString(), type: 'text/html; charset=utf-8' } };
}
