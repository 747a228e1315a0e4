/** Letters, digits, hyphens and, because some use them, underscores. */
export function isHostName(hostname: string): boolean {
  if (hostname.length > 253) return false;
  return hostname.split('.').every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
}

/**
 * As browsers name it, since they compare it by its letters, and a policy of theirs can: of stars, quotes and
 * semicolons it would make something else.
 */
export function isWebOrigin(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.origin !== text || !/^https?:$/.test(url.protocol)) return false;
  return isHostName(url.hostname) && url.port !== '0';
}
