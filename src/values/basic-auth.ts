const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * The `user:password` in a base64 text, with or without `Basic ` before it; null when it is no
 * base64 of UTF-8, has no colon, or has control characters, which could end the line of a header.
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
