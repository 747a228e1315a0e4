import { type AddressBlock, isAddressWithin, parseAddress, parseBlocks } from '../../values/ip-address.ts';

/** Exceptions to "public addresses only". */
export type AddressRules = {
  /** Opened by the operator. Any address and port there may be called. */
  readonly openedNetworks: readonly AddressBlock[];
  /** For trying out in homologation. */
  readonly takesLoopback: boolean;
};

const LOOPBACK = parseBlocks(['127.0.0.0/8', '::1']);

/** Not on the public internet, by RFC 6890 and its successors. */
const BLOCKED_IPV4 = parseBlocks([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // A public number, but inside every Azure machine it serves keys and settings.
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
 * The only part of IPv6 that is assigned to the public. Everything else is refused without being listed:
 * loopback, link-local, private, multicast, mapped IPv4, NAT64, discard and unassigned.
 */
const PUBLIC_IPV6 = parseBlocks(['2000::/3']);
/** Parts that are not public, or lead to an IPv4 address inside. */
const BLOCKED_IPV6 = parseBlocks([
  // Protocol assignments, among them Teredo (2001::/32), benchmarks (2001:2::/48) and ORCHID (2001:10::/28,
  // 2001:20::/28).
  '2001::/23',
  '2001:db8::/32',
  // 6to4 contains an IPv4 address.
  '2002::/16',
  '3fff::/20',
]);

/**
 * `text` comes from a resolver or a socket. Refuses what it cannot read, a zone (`fe80::1%eth0`) and IPv4
 * written as IPv6 (`::ffff:10.0.0.1`), even in opened networks.
 */
export function isAddressAllowed(rules: AddressRules, text: string): boolean {
  if (isAddressOpened(rules, text)) return true;
  const address = plainAddress(text);
  if (address === null) return false;
  if (rules.takesLoopback && isAddressWithin(address, LOOPBACK)) return true;
  if (address.bits === 32) return !isAddressWithin(address, BLOCKED_IPV4);
  return isAddressWithin(address, PUBLIC_IPV6) && !isAddressWithin(address, BLOCKED_IPV6);
}

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
