/** Whether a host is this machine. IPv6 with or without brackets. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(host);
}

/**
 * Why the address of another program is refused; null: it is not. Accepted: `https://…`, or `http://…` on
 * loopback, without credentials, query or fragment. `carried`: what travels there, for the sentence.
 */
export function channelUrlFault(setting: string, url: string, carried: string): string | null {
  const address = URL.parse(url);
  const isSafe =
    address?.protocol === 'https:' || (address?.protocol === 'http:' && isLoopback(address.hostname));
  if (isSafe && `${address.username}${address.password}${address.search}${address.hash}` === '') return null;
  return (
    `${setting}: must start with https://, or with http:// on loopback, and have no password, query or ` +
    `fragment: ${carried} travel there`
  );
}
