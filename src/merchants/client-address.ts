/** An IP address as a number of 32 or 128 bits. An IPv4 address inside IPv6 (`::ffff:192.0.2.1`) is the IPv4 address. */
export type ClientAddress = { readonly bits: 32 | 128; readonly value: bigint };

/** All addresses that share the first `prefix` bits. */
export type AddressBlock = ClientAddress & { readonly prefix: number };

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;
const LONGEST_TEXT = 49;
/** `::ffff:0:0/96`: IPv4 addresses as an IPv6 socket shows them. */
const MAPPED_PREFIX = 0xffffn;
/** A network gives every customer at least this much of IPv6, so that one caller has 2^64 addresses to choose from. */
const IPV6_GROUP_PREFIX = 64;

/** Reads an address; null for any other text, also for IPv4 numbers with leading zeros, which some read as octal. */
export function parseAddress(text: string): ClientAddress | null {
  if (text.length > LONGEST_TEXT) return null;
  const ipv4 = ipv4Value(text);
  if (ipv4 !== null) return { bits: 32, value: ipv4 };
  const ipv6 = ipv6Value(text);
  if (ipv6 === null) return null;
  if (ipv6 >> 32n === MAPPED_PREFIX) return { bits: 32, value: ipv6 & 0xffff_ffffn };
  return { bits: 128, value: ipv6 };
}

/** Reads an address or a block in CIDR form; null when malformed or when bits stand beyond the prefix (`10.0.0.1/8`). */
export function parseBlock(text: string): AddressBlock | null {
  const [addressText = '', prefixText, ...rest] = text.split('/');
  const address = parseAddress(addressText);
  if (address === null || rest.length > 0) return null;
  if (prefixText === undefined) return { ...address, prefix: address.bits };
  if (!/^(0|[1-9]\d{0,2})$/.test(prefixText)) return null;
  const isMapped = address.bits === 32 && addressText.includes(':');
  const prefix = Number(prefixText) - (isMapped ? 96 : 0);
  if (prefix < 0 || prefix > address.bits) return null;
  const hostBits = BigInt(address.bits - prefix);
  if ((address.value >> hostBits) << hostBits !== address.value) return null;
  return { ...address, prefix };
}

/** Whether the address lies in one of the blocks. An address that cannot be read lies in none. */
export function isAddressWithin(address: ClientAddress | null, blocks: readonly AddressBlock[]): boolean {
  if (address === null) return false;
  return blocks.some(({ bits, value, prefix }) => {
    const hostBits = BigInt(bits - prefix);
    return bits === address.bits && address.value >> hostBits === value >> hostBits;
  });
}

/** The blocks of a stored list. What is stored was checked before; a malformed entry allows nobody. */
export function parseBlocks(texts: readonly string[]): AddressBlock[] {
  return texts.map(parseBlock).filter((block) => block !== null);
}

/** Who counts as one caller when failures are counted: an IPv4 address, or an IPv6 network of 64 bits. */
export function addressGroup(address: ClientAddress | null): string {
  if (address === null) return 'unknown';
  if (address.bits === 32) return `4:${address.value.toString(16)}`;
  return `6:${(address.value >> BigInt(128 - IPV6_GROUP_PREFIX)).toString(16)}`;
}

function ipv4Value(text: string): bigint | null {
  const parts = IPV4.exec(text)?.slice(1);
  if (parts === undefined) return null;
  let value = 0n;
  for (const part of parts) {
    if (Number(part) > 255 || (part.length > 1 && part.startsWith('0'))) return null;
    value = (value << 8n) | BigInt(part);
  }
  return value;
}

function ipv6Value(text: string): bigint | null {
  const [head = '', tail, ...rest] = withoutZone(text).split('::');
  if (rest.length > 0) return null;
  const headGroups = groupsOf(head, tail === undefined);
  const tailGroups = groupsOf(tail ?? '', true);
  if (headGroups === null || tailGroups === null) return null;
  const missing = 8 - headGroups.length - tailGroups.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...headGroups, ...Array<bigint>(missing).fill(0n), ...tailGroups];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

/** `fe80::1%eth0`: the zone names our own interface, not the caller. */
function withoutZone(text: string): string {
  const at = text.indexOf('%');
  return at === -1 ? text : text.slice(0, at);
}

/** Groups of 16 bits between colons; the last two of an address may be written as an IPv4 address. */
function groupsOf(text: string, isEndOfAddress: boolean): bigint[] | null {
  if (text === '') return [];
  const parts = text.split(':');
  const groups: bigint[] = [];
  for (const [index, part] of parts.entries()) {
    const ipv4 = isEndOfAddress && index === parts.length - 1 ? ipv4Value(part) : null;
    if (ipv4 !== null) groups.push(ipv4 >> 16n, ipv4 & 0xffffn);
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(BigInt(`0x${part}`));
    else return null;
  }
  return groups;
}
