const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * `user:password` from base64, with or without `Basic `. Null unless it is UTF-8 with a colon and without
 * control characters, which could end a header line.
 */
export function readBasicAuth(text: string): string | null {
  const encoded = /^basic +/i.test(text) ? text.replace(/^basic +/i, '') : text;
  if (!BASE64.test(encoded)) return null;
  const login = utf8(Buffer.from(encoded, 'base64'));
  return login?.includes(':') === true && !/\p{Cc}/u.test(login) ? login : null;
}

function utf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
