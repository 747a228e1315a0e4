import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An IP address. An IPv4 address inside IPv6 (`::ffff:192.0.2.1`) is the IPv4 address. */
export type IpAddress = { readonly bits: 32 | 128; readonly ip: ipaddr.IPv4 | ipaddr.IPv6 };

/** All addresses that share the first `prefix` bits. */
export type AddressBlock = IpAddress & { readonly prefix: number };

/** Of an IPv6 address with the name of an interface. */
const LONGEST_ADDRESS = 49;
/**
 * A network gives every customer at least this much of IPv6, so that one caller has 2^64 addresses
 * to choose from.
 */
const IPV6_GROUP_BYTES = 8;

/**
 * Reads an address; null for any other text, also for IPv4 numbers with leading zeros, which some
 * read as octal. Node says what is an address and writes IPv6 in hexadecimal: ipaddr.js takes octal
 * numbers too, and reads `::192.0.2.1` as `::ffff:192.0.2.1`.
 */
export function parseAddress(text: string): IpAddress | null {
  const plain = withoutZone(text);
  const version = text.length > LONGEST_ADDRESS ? 0 : isIP(plain);
  if (version === 0) return null;
  const ip = ipaddr.process(version === 4 ? plain : new URL(`http://[${plain}]`).hostname.slice(1, -1));
  return { bits: ip.kind() === 'ipv4' ? 32 : 128, ip };
}

/**
 * Reads an address or a block in CIDR form; null when malformed or when bits stand beyond the
 * prefix (`10.0.0.1/8`).
 */
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

/** Whether the address lies in one of the blocks. An address that cannot be read lies in none. */
export function isAddressWithin(address: IpAddress | null, blocks: readonly AddressBlock[]): boolean {
  if (address === null) return false;
  return blocks.some(({ bits, ip, prefix }) => bits === address.bits && address.ip.match(ip, prefix));
}

/**
 * The blocks of a stored list. What is stored was checked before; a malformed entry allows no
 * address.
 */
export function parseBlocks(texts: readonly string[]): AddressBlock[] {
  return texts.map(parseBlock).filter((block) => block !== null);
}

/**
 * The key of one caller when failures are counted: an IPv4 address, or an IPv6 network of 64 bits.
 */
export function addressGroup(address: IpAddress | null): string {
  if (address === null) return 'unknown';
  const bytes = address.ip.toByteArray();
  return address.bits === 32 ? `4:${hexOf(bytes)}` : `6:${hexOf(bytes.slice(0, IPV6_GROUP_BYTES))}`;
}

/** As one number, without zeros at its beginning: counts are kept under this text. */
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
