import { type AddressBlock, isAddressWithin, parseAddress, parseBlocks } from '../../values/ip-address.ts';

/** Which addresses may be called beyond the public ones. */
export type AddressRules = {
  /** Networks that the operator opened: there any address and any port may be called. */
  readonly openedNetworks: readonly AddressBlock[];
  /** Whether this machine itself may be called; in homologation merchants try things out here. */
  readonly takesLoopback: boolean;
};

const LOOPBACK = parseBlocks(['127.0.0.0/8', '::1']);

/**
 * Not of the public internet, by the registries of special addresses (RFC 6890 and those after it).
 */
const BLOCKED_IPV4 = parseBlocks([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Public by its number, and inside of every machine of Azure: the service that gives it keys and
  // settings.
  '168.63.129.16',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/**
 * Only this part of IPv6 is handed out to the public. Everything else (loopback, link-local,
 * private, multicast, mapped and compatible IPv4, NAT64, discard and what is not defined yet) is
 * refused without being named.
 */
const PUBLIC_IPV6 = parseBlocks(['2000::/3']);
/** Parts of it that are not public, or that lead to an IPv4 address inside. */
const BLOCKED_IPV6 = parseBlocks([
  // Protocol assignments: Teredo (2001::/32), benchmarks (2001:2::/48), ORCHID (2001:10::/28,
  // 2001:20::/28) among them.
  '2001::/23',
  '2001:db8::/32',
  // 6to4: the IPv4 address is in it.
  '2002::/16',
  '3fff::/20',
]);

/**
 * Whether an address may be called. `text` is an address as a resolver or a socket writes it: what
 * cannot be read is refused, as are a zone (`fe80::1%eth0`) and an IPv4 address that is written as
 * IPv6 (`::ffff:10.0.0.1`), whatever was opened.
 */
export function isAddressAllowed(rules: AddressRules, text: string): boolean {
  if (isAddressOpened(rules, text)) return true;
  const address = plainAddress(text);
  if (address === null) return false;
  if (rules.takesLoopback && isAddressWithin(address, LOOPBACK)) return true;
  if (address.bits === 32) return !isAddressWithin(address, BLOCKED_IPV4);
  return isAddressWithin(address, PUBLIC_IPV6) && !isAddressWithin(address, BLOCKED_IPV6);
}

/** Whether an address is in a network that the operator opened. */
export function isAddressOpened({ openedNetworks }: AddressRules, text: string): boolean {
  return openedNetworks.length > 0 && isAddressWithin(plainAddress(text), openedNetworks);
}

export function isSameAddress(one: string, other: string): boolean {
  const [left, right] = [plainAddress(one), plainAddress(other)];
  return left !== null && right !== null && isAddressWithin(left, [{ ...right, prefix: right.bits }]);
}

function plainAddress(text: string) {
  if (text.includes('%')) return null;
  const address = parseAddress(text);
  const isMapped = address?.bits === 32 && text.includes(':');
  return isMapped ? null : address;
}
