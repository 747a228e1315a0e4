import pg from 'pg';
import { isLoopback } from '../channels/channel-url.ts';

export type DatabaseHosts = {
  readonly addresses: readonly string[];
  readonly isPrimarySought: boolean;
};

const PARTS = /^(?<scheme>postgres(?:ql)?:\/\/)(?<login>[^/?#]*@)?(?<hosts>[^/?#]*)(?<rest>.*)$/s;
const ATTRIBUTE = 'target_session_attrs';
const WRITING: readonly string[] = ['read-write', 'primary'];

/**
 * `postgres://user@one:5432,two:5432/name`, as in libpq. Several hosts, or `target_session_attrs=read-write`,
 * mean the one that takes writes; the driver supports neither.
 */
export function databaseHosts(address: string): DatabaseHosts {
  const { scheme = '', login = '', hosts = '', rest = '' } = PARTS.exec(address)?.groups ?? {};
  const names = hosts.split(',');
  const isPrimarySought = names.length > 1 || attributesOf(address).length > 0;
  const kept = withModeOfDriver(isPrimarySought ? withoutAttribute(rest) : rest);
  return { addresses: names.map((name) => scheme + login + name + kept), isPrimarySought };
}

/** Modes of TLS that the driver treats as verify-full, with a warning on each start. */
const ALIAS = /([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/g;
const isByLibpq = (text: string) => /[?&]uselibpqcompat=true(?=&|$)/.test(text);

function withModeOfDriver(rest: string): string {
  return isByLibpq(rest) ? rest : rest.replaceAll(ALIAS, '$1verify-full');
}

/**
 * What an `sslmode` means to the driver, as the rest of a sentence after the setting's name; null: what it
 * says.
 */
export function databaseAddressWarning(address: string): string | null {
  const mode = isByLibpq(address) ? undefined : [...address.matchAll(ALIAS)].at(-1)?.[2];
  return mode === undefined
    ? null
    : `sslmode=${mode} is taken for verify-full: certificate and name of the server are checked; write verify-full`;
}

const MALFORMED =
  'must be an address such as postgres://user:password@one:5432,two:5432/name, with signs of user and password escaped';

/** The fault of an address, as the rest of a sentence after the setting's name; null: it has none. */
export function databaseAddressFault(address: string): string | null {
  if (!PARTS.test(address)) return 'must be an address starting with postgres:// or postgresql://';
  const { addresses } = databaseHosts(address);
  if (addresses.some((one) => URL.parse(one) === null)) return MALFORMED;
  const { rest = '' } = PARTS.exec(address)?.groups ?? {};
  const [path = ''] = rest.split('?');
  // A password with an unescaped delimiter would be read as the database's name.
  if (/[@/]/.test(path.slice(1)) || !isDecodable(path)) return MALFORMED;
  if (databaseNameOf(address) === '') return 'names no database: …@host:5432/parcela';
  if (/[#\s]/.test(rest))
    return 'must end with its name and parameters: a comment stands on a line of its own, and # in a name is %23';
  const mode = modesOf(address).find((one) => !MODES.includes(one));
  if (mode !== undefined) return `sslmode must be one of ${MODES.join(', ')}, not "${mode}"`;
  const unknown = attributesOf(address).find((value) => !WRITING.includes(value));
  if (unknown !== undefined) return `${ATTRIBUTE} must be read-write, not "${unknown}": Parcela writes`;
  return null;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The hosts of an address for a person, without user and password. */
export function hostOf(address: string): string {
  const { hosts = '', rest = '' } = PARTS.exec(address)?.groups ?? {};
  const named = new URLSearchParams(queryOf(rest)).get('host');
  return decodeURIComponent(named ?? hosts);
}

export function databaseNameOf(address: string): string {
  const { rest = '' } = PARTS.exec(address)?.groups ?? {};
  const [path = ''] = rest.split('?');
  return decodeURIComponent(path.slice(1));
}

/** For a person: `parcela at db.internal:5432`. */
export function placeNameOf(address: string): string {
  return `${databaseNameOf(address)} at ${hostOf(address) || 'this machine'}`;
}

function attributesOf(address: string): readonly string[] {
  return new URLSearchParams(queryOf(address)).getAll(ATTRIBUTE);
}

const MODES: readonly string[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const modesOf = (address: string) => new URLSearchParams(queryOf(address)).getAll('sslmode');

function queryOf(text: string): string {
  return text.includes('?') ? text.slice(text.indexOf('?') + 1) : '';
}

function withoutAttribute(rest: string): string {
  if (!rest.includes('?')) return rest;
  const kept = queryOf(rest)
    .split('&')
    .filter((one) => !one.startsWith(`${ATTRIBUTE}=`));
  return rest.slice(0, rest.indexOf('?')) + (kept.length === 0 ? '' : `?${kept.join('&')}`);
}

/** `verified`: TLS that checks certificate and name. Only the address counts. Throws the driver's errors. */
export function databaseChannel(address: string): (typeof KINDS)[number] {
  const mode = modesOf(address).at(-1) ?? null;
  const found = databaseHosts(address).addresses.map((one) => channelToOne(one, mode));
  return KINDS.find((kind) => found.includes(kind)) ?? 'unverified';
}

/** From the weakest to the strongest: an address is as weak as its weakest host. */
const KINDS = ['unverified', 'verified', 'local'] as const;

function channelToOne(address: string, mode: string | null): (typeof KINDS)[number] {
  const client = new pg.Client({ connectionString: address });
  if (isLocal(client.host)) return 'local';
  return mode === 'verify-full' && client.ssl ? 'verified' : 'unverified';
}

/** A socket is named by its folder or, on Linux, by a name that begins with @. */
function isLocal(host: string): boolean {
  return /^[/@]/.test(host) || isLoopback(host);
}
