import pg from 'pg';
import { isLoopback } from '../channels/channel-url.ts';

/** An address as an operator writes it, host by host. */
export type DatabaseHosts = {
  /** The same address with one host each. */
  readonly addresses: readonly string[];
  /** Whether it means the one of them that takes writes, whichever that is now. */
  readonly isPrimarySought: boolean;
};

const PARTS = /^(?<scheme>postgres(?:ql)?:\/\/)(?<login>[^/?#]*@)?(?<hosts>[^/?#]*)(?<rest>.*)$/s;
const ATTRIBUTE = 'target_session_attrs';
/** Both say that writes are wanted; a service that only reads there is none. */
const WRITING: readonly string[] = ['read-write', 'primary'];

/**
 * `postgres://user@one:5432,two:5432/name`, as libpq has it. Several hosts, or
 * `target_session_attrs=read-write`, mean the one that takes writes; the driver knows neither.
 */
export function databaseHosts(address: string): DatabaseHosts {
  const { scheme = '', login = '', hosts = '', rest = '' } = PARTS.exec(address)?.groups ?? {};
  const names = hosts.split(',');
  const isPrimarySought = names.length > 1 || attributesOf(address).length > 0;
  const kept = withModeOfDriver(isPrimarySought ? withoutAttribute(rest) : rest);
  return { addresses: names.map((name) => scheme + login + name + kept), isPrimarySought };
}

/** The driver takes these for verify-full, and says on each start that it will not do so for ever. */
const ALIAS = /([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/g;
const isByLibpq = (text: string) => /[?&]uselibpqcompat=true(?=&|$)/.test(text);

function withModeOfDriver(rest: string): string {
  return isByLibpq(rest) ? rest : rest.replaceAll(ALIAS, '$1verify-full');
}

/** What an address means and does not say, to be said behind the name of its setting; null: nothing. */
export function databaseAddressWarning(address: string): string | null {
  const mode = isByLibpq(address) ? undefined : [...address.matchAll(ALIAS)].at(-1)?.[2];
  return mode === undefined
    ? null
    : `sslmode=${mode} is taken for verify-full: certificate and name of the server are checked; write verify-full`;
}

const MALFORMED =
  'must be an address such as postgres://user:password@one:5432,two:5432/name, with signs of user and password escaped';

/** What is wrong with an address, to be said behind the name of its setting; null: nothing. */
export function databaseAddressFault(address: string): string | null {
  if (!PARTS.test(address)) return 'must be an address starting with postgres:// or postgresql://';
  const { addresses } = databaseHosts(address);
  if (addresses.some((one) => URL.parse(one) === null)) return MALFORMED;
  const { rest = '' } = PARTS.exec(address)?.groups ?? {};
  const [path = ''] = rest.split('?');
  // A password with a sign that ends an address would stand where the name of the database does.
  if (/[@/]/.test(path.slice(1)) || !isDecodable(path)) return MALFORMED;
  if (databaseNameOf(address) === '') return 'names no database: …@host:5432/parcela';
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

/** For a person: the place without user and password. */
export function hostOf(address: string): string {
  const { hosts = '', rest = '' } = PARTS.exec(address)?.groups ?? {};
  const named = new URLSearchParams(queryOf(rest)).get('host');
  return decodeURIComponent(named ?? hosts);
}

/** Empty: it names none, which would be that of its user's name. */
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

/**
 * The channel to a database: this machine, TLS that checks the server's certificate and name, or
 * less. Only the address itself counts, not the environment. Throws the driver's error for an
 * address, or for a file that it names.
 */
export function databaseChannel(address: string): (typeof KINDS)[number] {
  const mode = new URLSearchParams(address.split('?')[1]).getAll('sslmode').at(-1) ?? null;
  const found = databaseHosts(address).addresses.map((one) => channelToOne(one, mode));
  return KINDS.find((kind) => found.includes(kind)) ?? 'unverified';
}

/** From the least: what holds for one host of several holds for the address. */
const KINDS = ['unverified', 'verified', 'local'] as const;

function channelToOne(address: string, mode: string | null): (typeof KINDS)[number] {
  const client = new pg.Client({ connectionString: address });
  if (isLocal(client.host)) return 'local';
  return mode === 'verify-full' && client.ssl ? 'verified' : 'unverified';
}

/** A socket of this machine is named by its folder, or, in Linux, by a name that begins with @. */
function isLocal(host: string): boolean {
  return /^[/@]/.test(host) || isLoopback(host);
}
