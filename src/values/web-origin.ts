/** Letters, digits, hyphens and, because some use them, underscores. */
export function isHostName(hostname: string): boolean {
  if (hostname.length > 253) return false;
  return hostname.split('.').every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
}

/**
 * Browsers compare origins letter by letter, so only their spelling is taken. Stars, quotes and semicolons
 * would change the policy that names the origin.
 */
export function isWebOrigin(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.origin !== text || !/^https?:$/.test(url.protocol)) return false;
  return isHostName(url.hostname) && url.port !== '0';
}
