/** Labels have letters, digits, hyphens and, because some names use them, underscores. */
export function isHostName(hostname: string): boolean {
  if (hostname.length > 253) return false;
  return hostname.split('.').every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
}

/**
 * Takes an origin only as browsers spell it, because they compare origins letter by letter. Stars, quotes and
 * semicolons would change the security policy in which the origin is named.
 */
export function isWebOrigin(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.origin !== text || !/^https?:$/.test(url.protocol)) return false;
  return isHostName(url.hostname) && url.port !== '0';
}
