import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An IPv4 address inside IPv6 (`::ffff:192.0.2.1`) becomes IPv4. */
export type IpAddress = { readonly bits: 32 | 128; readonly ip: ipaddr.IPv4 | ipaddr.IPv6 };

export type AddressBlock = IpAddress & { readonly prefix: number };

/** Characters of the longest: an IPv6 address with an interface name. */
const LONGEST_ADDRESS = 49;
/** Networks give every customer at least a /64, so one caller has 2^64 addresses. */
const IPV6_GROUP_BYTES = 8;

/**
 * null for other texts, also IPv4 with leading zeros, which some read as octal. Node decides what is an
 * address, because ipaddr.js takes octal and reads `::192.0.2.1` as `::ffff:192.0.2.1`.
 */
export function parseAddress(text: string): IpAddress | null {
  const plain = withoutZone(text);
  const version = text.length > LONGEST_ADDRESS ? 0 : isIP(plain);
  if (version === 0) return null;
  const ip = ipaddr.process(version === 4 ? plain : new URL(`http://[${plain}]`).hostname.slice(1, -1));
  return { bits: ip.kind() === 'ipv4' ? 32 : 128, ip };
}

/** An address or a CIDR block. null: malformed, or with bits after the prefix (`10.0.0.1/8`). */
export function parseBlock(text: string): AddressBlock | null {
  const [addressText = '', prefixText, ...rest] = text.split('/');
  const address = parseAddress(addressText);
  if (address === null || rest.length > 0) return null;
  if (prefixText === undefined) return { ...address, prefix: address.bits };
  if (!/^(0|[1-9]\d{0,2})$/.test(prefixText)) return null;
  const isMapped = address.bits === 32 && addressText.includes(':');
  const prefix = Number(prefixText) - (isMapped ? 96 : 0);
  if (prefix < 0 || prefix > address.bits || hasBitsBeyond(address, prefix)) return null;
  return { ...address, prefix };
}

/** False if `address` is null, which is an unreadable one. */
export function isAddressWithin(address: IpAddress | null, blocks: readonly AddressBlock[]): boolean {
  if (address === null) return false;
  return blocks.some(({ bits, ip, prefix }) => bits === address.bits && address.ip.match(ip, prefix));
}

/** Stored entries were checked before; a malformed one allows no address. */
export function parseBlocks(texts: readonly string[]): AddressBlock[] {
  return texts.map(parseBlock).filter((block) => block !== null);
}

/** The key for counting failures: an IPv4 address, or an IPv6 /64. */
export function addressGroup(address: IpAddress | null): string {
  if (address === null) return 'unknown';
  const bytes = address.ip.toByteArray();
  return address.bits === 32 ? `4:${hexOf(bytes)}` : `6:${hexOf(bytes.slice(0, IPV6_GROUP_BYTES))}`;
}

/** In hexadecimal without leading zeros: counts are stored under this text. */
function hexOf(bytes: readonly number[]): string {
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/^0+(?=.)/, '');
}

function hasBitsBeyond({ ip }: IpAddress, prefix: number): boolean {
  return ip.toByteArray().some((byte, index) => {
    const bitsOfPrefix = Math.min(8, Math.max(0, prefix - 8 * index));
    return (byte & (0xff >> bitsOfPrefix)) !== 0;
  });
}

/** `fe80::1%eth0`: the zone names our own interface, not the caller. */
function withoutZone(text: string): string {
  const at = text.indexOf('%');
  return at === -1 || !text.includes(':') ? text : text.slice(0, at);
}
