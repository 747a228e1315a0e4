import type { Fault } from '../../platform/http/endpoint.ts';
import { type RefusalShape, refusal } from '../../platform/http/refusal.ts';
import type { Sentence } from '../../platform/http/sentence.ts';
import { type AddressBlock, isAddressWithin, parseAddress, parseBlocks } from '../../values/ip-address.ts';
import { isHostName } from '../../values/web-origin.ts';

export type CallRules = AddressRules & {
  /** Production takes https only. */
  readonly takesHttp: boolean;
};

/** Production's rules if the operator opened nothing. */
export const PUBLIC_ONLY: CallRules = { takesHttp: false, takesLoopback: false, openedNetworks: [] };

/**
 * Returns all addresses of a name, or an empty array if it has none. Rejects if the look-up failed, with
 * `Overloaded` if too many others waited before it.
 */
export type Resolver = {
  lookup(host: string, signal: AbortSignal, merchantId: string): Promise<readonly string[]>;
};

export type Lookup = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

export function lookupFor(resolver: Resolver, merchantId: string): Lookup {
  return (host, signal) => resolver.lookup(host, signal, merchantId);
}

export type UrlRules = CallRules & { readonly resolver: Resolver };

export const URL_FAULTS = [
  'tooLong',
  'malformed',
  'scheme',
  'userInfo',
  'fragment',
  'name',
  'port',
  'address',
  'unresolved',
  'lookupFailed',
] as const;
export type UrlFault = (typeof URL_FAULTS)[number];
export type UrlFormFault = Exclude<UrlFault, 'unresolved' | 'lookupFailed'>;

export type CheckedUrl = { readonly ok: true; readonly url: URL };
export type RefusedUrl<Fault = UrlFault> = { readonly ok: false; readonly reason: Fault };

/** In code points, as written and as stored. */
const LONGEST_URL = 500;

/** Refuses what `new URL` would repair (blanks, backslashes): another reader may repair it differently. */
export function checkUrl(rules: CallRules, text: string): CheckedUrl | RefusedUrl<UrlFormFault> {
  const refused = (reason: UrlFormFault) => ({ ok: false, reason }) as const;
  if (isTooLong(text)) return refused('tooLong');
  if (/^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(text)) return refused('scheme');
  const authority = /^https?:\/\/([^/?#\s\\\p{C}]+)[^\s\\\p{C}]*$/iu.exec(text)?.[1];
  const url = normalUrl(text);
  if (authority === undefined || url === null || url.port === '0') return refused('malformed');
  if (url.protocol === 'http:' && !rules.takesHttp) return refused('scheme');
  if (authority.includes('@')) return refused('userInfo');
  if (text.includes('#')) return refused('fragment');
  if (isTooLong(url.href)) return refused('tooLong');
  const reason = hostFault(rules, url, authority);
  return reason === null ? { ok: true, url } : refused(reason);
}

function normalUrl(text: string): URL | null {
  const url = URL.parse(text);
  if (url?.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  return url;
}

/** The address that stands in a URL in place of a name; null: a name stands there. */
export function literalAddress({ hostname }: URL): string | null {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return parseAddress(hostname) === null ? null : hostname;
}

function isTooLong(text: string): boolean {
  return text.length > 2 * LONGEST_URL || [...text].length > LONGEST_URL;
}

function hostFault(rules: CallRules, url: URL, authority: string): UrlFormFault | null {
  const address = literalAddress(url);
  if (address !== null) {
    // Few readers recognize an address in 0177.1 or 0x7f000001.
    const isPlain = address.includes(':') || authority.replace(/:\d*$/, '') === address;
    if (!isPlain || !isAddressAllowed(rules, address)) return 'address';
    return isPortUsual(url) || isAddressOpened(rules, address) ? null : 'port';
  }
  if (!isHostName(url.hostname)) return 'malformed';
  const isInside = isNameOfInside(url.hostname);
  const hasOpened = rules.openedNetworks.length > 0;
  const isOpen = hasOpened || (rules.takesLoopback && isNameOfLoopback(url.hostname));
  if (isInside && !isOpen) return 'name';
  // A name may lead into an opened network, where any port is allowed: the look-up decides.
  return hasOpened || isPortUsual(url) ? null : 'port';
}

export function isNameOfLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost');
}

/** Suffixes without a public name server (RFC 6761, 6762, 7686, 8375 and custom). */
const ENDS_INSIDE = [
  'alt',
  'arpa',
  'corp',
  'home',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'onion',
  'private',
  'test',
];

/**
 * Names that only internal networks know. Their addresses would be refused too, but this saves the look-up,
 * and the merchant learns it at once.
 */
function isNameOfInside(hostname: string): boolean {
  const labels = hostname.split('.');
  return labels.length === 1 || ENDS_INSIDE.includes(labels.at(-1) ?? '');
}

/** Ports from 1024 on of services that a request could harm. */
const PORTS_OF_OTHERS = new Set(
  [
    '1433 1434 1521 1719 1720 1723 1883 2049 2181 2375 2376 2379 2380 3128 3306 3389 3659 4045 4190 4369 5060 5061 5432 5433',
    '5672 5900 5901 5984 5985 5986 6000 6001 6379 6380 6432 6443 6566 6665 6666 6667 6668 6669 6679 6697 7000 7001 7199 7687',
    '8020 8125 8472 8500 8600 9042 9092 9100 9160 9200 9300 9418 10080 10248 10249 10250 10255 10256 11211 15672 16379 25565',
    '26257 27017 27018 27019 28015',
  ].flatMap((ports) => ports.split(' ').map(Number)),
);

/** The scheme's port, or one from 1024 on that no other service uses. */
export function isPortUsual({ port }: URL): boolean {
  if (port === '') return true;
  return Number(port) >= 1_024 && !PORTS_OF_OTHERS.has(Number(port));
}

const URL_FAULT_SENTENCES: Readonly<Record<UrlFault, Sentence>> = {
  tooLong: {
    pt: 'O endereço tem mais de 500 caracteres.',
    en: 'The URL is longer than 500 characters.',
  },
  malformed: {
    pt: 'Deve ser um endereço http ou https bem formado.',
    en: 'Must be a well-formed http or https URL.',
  },
  scheme: { pt: 'O endereço deve começar com https://.', en: 'The URL must start with https://.' },
  userInfo: {
    pt: 'O endereço não pode ter usuário e senha.',
    en: 'The URL must not have a user and password.',
  },
  fragment: { pt: 'O endereço não pode ter fragmento (#).', en: 'The URL must not have a fragment (#).' },
  name: {
    pt: 'O nome do servidor só existe em redes internas.',
    en: 'The name of the server exists in internal networks only.',
  },
  port: {
    pt: 'A porta não é permitida: use a do protocolo, ou uma a partir de 1024 que não seja de outro serviço.',
    en: 'The port is not allowed: use that of the protocol, or one from 1024 on that is not of another service.',
  },
  address: {
    pt: 'O servidor está em um endereço que não é público.',
    en: 'The server is at an address that is not public.',
  },
  unresolved: {
    pt: 'O nome do servidor não existe no DNS.',
    en: 'The name of the server does not exist in DNS.',
  },
  lookupFailed: {
    pt: 'O nome do servidor não pôde ser consultado agora; tente de novo.',
    en: 'The name of the server could not be looked up now; try again.',
  },
};

export function urlRefusals(tag: string): Readonly<Record<UrlFault, RefusalShape>> {
  const refusals = URL_FAULTS.map((fault) => [fault, refusal(400, tag, URL_FAULT_SENTENCES[fault])]);
  return Object.fromEntries(refusals) as Record<UrlFault, RefusalShape>;
}

const callbackRefusal = (fault: UrlFormFault) => refusal(400, 'urlCallBack', URL_FAULT_SENTENCES[fault]);

export const CALLBACK_FAULTS: Readonly<Record<UrlFormFault, RefusalShape>> = {
  tooLong: callbackRefusal('tooLong'),
  malformed: callbackRefusal('malformed'),
  scheme: callbackRefusal('scheme'),
  userInfo: callbackRefusal('userInfo'),
  fragment: callbackRefusal('fragment'),
  name: callbackRefusal('name'),
  port: callbackRefusal('port'),
  address: callbackRefusal('address'),
};

/** Checks only the text: a look-up of the name would make a buyer wait. Each delivery looks the name up. */
export function checkCallback(rules: CallRules, text: string): Fault[] {
  const checked = checkUrl(rules, text);
  return checked.ok ? [] : [CALLBACK_FAULTS[checked.reason]];
}

/** A callback's URL as it is stored. `text` has passed `checkCallback`; null: the payment has no callback. */
export function callbackUrl(text: string | null): string | null {
  return text === null ? null : (normalUrl(text)?.href ?? null);
}

/** Exceptions to "public addresses only". */
type AddressRules = {
  /** Opened by the operator. Any address and port there may be called. */
  readonly openedNetworks: readonly AddressBlock[];
  /** Addresses of this machine may be called, for trials in homologation. */
  readonly takesLoopback: boolean;
};

const LOOPBACK = parseBlocks(['127.0.0.0/8', '::1']);

/** Not on the public internet, by RFC 6890 and its successors. */
const BLOCKED_IPV4 = parseBlocks([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // A public address, but inside every Azure machine it serves keys and settings.
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

/** Everything public of IPv6. The rest is refused: loopback, link-local, private, mapped IPv4, NAT64, … */
const PUBLIC_IPV6 = parseBlocks(['2000::/3']);
/** Parts of 2000::/3 that are not public, or that lead to an internal IPv4 address. */
const BLOCKED_IPV6 = parseBlocks([
  // Teredo (2001::/32), benchmarks (2001:2::/48) and ORCHID (2001:10::/28, 2001:20::/28) among others.
  '2001::/23',
  '2001:db8::/32',
  // 6to4 contains an IPv4 address.
  '2002::/16',
  '3fff::/20',
]);

/** Refuses zones (`fe80::1%eth0`) and IPv4 written as IPv6 (`::ffff:10.0.0.1`), even in opened networks. */
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
