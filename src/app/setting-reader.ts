import { isIP } from 'node:net';
import { databaseAddressFault, databaseAddressWarning } from '../platform/postgres/database-hosts.ts';
import { parseBlock, parseBlocks } from '../values/ip-address.ts';
import { pathFault, readSecretFiles, SECRETS } from './secret-files.ts';

type Setting = { readonly name: string; readonly preset: string };

/** Callers in these networks are trusted, or called: a wider one has strangers in it. */
const WIDEST_PREFIX = { 32: 8, 128: 7 } as const;

export type Listener = { readonly host: string; readonly port: number; readonly prefix: string };

export function settingReader(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly Setting[],
) {
  const faults: string[] = [];
  const warnings: string[] = [];
  const known = new Map(settings.map((setting) => [setting.name, setting.preset]));
  faults.push(...unknownNames(environment, known));
  for (const name of known.keys()) {
    const fault = pathFault(name, environment[name]?.trim() ?? '');
    if (fault !== null) faults.push(fault);
  }
  const secrets = readSecretFiles(environment, { faults, warnings });
  faults.push(...quotedValues(environment, known));
  const text = (name: string): string =>
    withoutQuotes((secrets.get(name) ?? environment[name])?.trim() ?? '') || (known.get(name) as string);
  /** `preset`: where the table of settings has none, as it follows from other settings. */
  const whole = (name: string, least: number, most: number, preset?: number): number => {
    const given = text(name) || String(preset ?? '');
    const value = Number(given);
    if (/^\d{1,10}$/.test(given) && value >= least && value <= most) return value;
    faults.push(`${name}: must be a whole number from ${least} to ${most}, not "${given}"`);
    return least;
  };
  const oneOf = <T extends string>(name: string, allowed: readonly T[]): T => {
    const value = text(name) as T;
    if (!allowed.includes(value))
      faults.push(`${name}: must be one of ${allowed.join(', ')}, not "${value}"`);
    return value;
  };
  const isSet = (name: string): boolean => oneOf(name, ['0', '1']) === '1';
  const host = (name: string): string => {
    const value = text(name);
    if (!isHost(value)) faults.push(`${name}: must be an address or a host name, not "${value}"`);
    return value;
  };
  // Without bits after the prefix: 10.1.2.3/8 could mean an address or a network.
  const networks = (name: string): string[] => {
    const parts = text(name)
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
    faults.push(...networkFaults(name, parts));
    return parts;
  };
  const listener = (api: 'GATEWAY' | 'INTEGRATION'): Listener => {
    const prefix = text(`PARCELA_${api}_PREFIX`);
    if (!/^(\/[\w.-]+)*$/.test(prefix))
      faults.push(`PARCELA_${api}_PREFIX: must look like /gateway, not "${prefix}"`);
    const ownOrShared = (of: 'HOST' | 'PORT') =>
      text(`PARCELA_${api}_${of}`) === '' ? `PARCELA_${of}` : `PARCELA_${api}_${of}`;
    return { host: host(ownOrShared('HOST')), port: whole(ownOrShared('PORT'), 0, 65_535), prefix };
  };
  const web = (name: string, protocols: readonly string[]): string | null => {
    const value = text(name);
    if (value === '') return null;
    faults.push(...webFaults(name, value, protocols));
    return value;
  };
  const database = (name: string): string | null => {
    const value = text(name);
    const fault = value === '' ? null : databaseAddressFault(value);
    if (fault !== null) faults.push(`${name}: ${fault}`);
    const warning = databaseAddressWarning(value);
    if (warning !== null) warnings.push(`${name}: ${warning}`);
    return value === '' ? null : value;
  };
  const isUnread = ({ name, file }: (typeof SECRETS)[number]) =>
    (environment[file]?.trim() ?? '') !== '' && !secrets.has(name);
  const unread = SECRETS.filter(isUnread).map(({ name }) => `${name}: `);
  /** Each fault once. Leaves out the consequences of a file that could not be read. */
  const allFaults = (): string[] => {
    const own = faults.filter((fault) => !unread.some((name) => fault.startsWith(name)));
    return [...new Set(own.map((fault) => namedAsSet(fault, secrets)))];
  };
  return { allFaults, faults, warnings, text, whole, oneOf, isSet, host, listener, web, database, networks };
}

/** The description of each, with its preset if it has one. */
export type Settings = Readonly<Record<string, string | readonly [preset: string, description: string]>>;

export type SettingReader = ReturnType<typeof settingReader>;

function networkFaults(name: string, parts: readonly string[]): string[] {
  const malformed = parts.filter((part) => parseBlock(part) === null);
  const wide = parseBlocks(parts).filter(({ bits, prefix }) => prefix < WIDEST_PREFIX[bits]);
  return [
    ...malformed.map((part) => `${name}: must be addresses or networks such as 10.1.0.0/16, not "${part}"`),
    ...wide.map(
      ({ ip, prefix }) => `${name}: ${ip}/${prefix} has strangers in it; name the networks that are meant`,
    ),
  ];
}

/** What a shell line has around a name, and invisible characters. */
const AROUND = /^\W*(?:export )?\W*|\W+$/g;
const DATABASE = ['DATABASE_URL', 'DATABASE_URL_FILE'];

function unknownNames(
  environment: Readonly<Record<string, string | undefined>>,
  known: ReadonlyMap<string, unknown>,
): string[] {
  // DATABASE_URI may belong to another program, unless there is no database.
  const isSought =
    environment.PARCELA_ENVIRONMENT?.trim() === 'production' &&
    DATABASE.every((name) => environment[name] === undefined);
  return Object.keys(environment).flatMap((name) => {
    if (known.has(name)) return [];
    const meant = name.replaceAll(AROUND, '').replaceAll('-', '_').toUpperCase();
    // Shows invisible characters.
    const said = JSON.stringify(name)
      .slice(1, -1)
      .replaceAll(/[^ -~]/g, '…');
    if (known.has(meant)) return [`${said}: there is no such setting; it is written ${meant}`];
    const nearest = nearestOf(meant, [...known.keys()]);
    const isOurs = `${nearest}`.startsWith('PARCELA_') || (isSought && nearest !== null);
    if (!isOurs && !meant.startsWith('PARCELA_')) return [];
    return [`${said}: there is no such setting${nearest === null ? '' : `; is ${nearest} meant?`}`];
  });
}

/** A typing error: one letter too many, too few or different, or two swapped. */
const MOST_EDITS = 2;

function nearestOf(name: string, known: readonly string[]): string | null {
  const near = known
    .filter((one) => Math.abs(one.length - name.length) <= MOST_EDITS)
    .map((one) => ({ one, edits: editsBetween(name, one) }));
  const best = near.toSorted((a, b) => a.edits - b.edits)[0];
  return best !== undefined && best.edits <= MOST_EDITS ? best.one : null;
}

/** Levenshtein's distance. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [at, other] of [...to].entries()) {
      const changed = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

const QUOTED = /^(["'])(.*)\1$/s;
const withoutQuotes = (value: string) => QUOTED.exec(value)?.[2] ?? value;

/** A shell removes quotes; readers of a settings file may not. */
function quotedValues(
  environment: Readonly<Record<string, string | undefined>>,
  known: ReadonlyMap<string, unknown>,
): string[] {
  const isQuoted = (name: string) => QUOTED.test(environment[name]?.trim() ?? '');
  return [...known.keys()].filter(isQuoted).map((name) => `${name}: stands in quotes; write it without them`);
}

/** Names the setting that was given, which may be the one with the file. */
function namedAsSet(fault: string, byFile: ReadonlyMap<string, string>): string {
  const [names = '', ...rest] = fault.split(': ');
  const set = names.split(', ').map((name) => {
    const secret = byFile.has(name) ? SECRETS.find((one) => one.name === name) : undefined;
    return secret?.file ?? name;
  });
  return [set.join(', '), ...rest].join(': ');
}

function webFaults(name: string, value: string, protocols: readonly string[]): string[] {
  const address = URL.parse(value);
  const starts = protocols.map((protocol) => `${protocol}//`).join(' or ');
  if (address === null && protocols.some((protocol) => value.startsWith(`${protocol}//`)))
    return [`${name}: is no address; behind the host stands a port up to 65535 at most, and no comment`];
  if (!protocols.includes(address?.protocol ?? ''))
    return [`${name}: must be an address starting with ${starts}`];
  const { username = '', password = '', search = '', hash = '' } = address ?? {};
  if (`${username}${password}${search}${hash}` === '') return [];
  return [`${name}: must have no user, password, query or fragment; a token stands in a file of its own`];
}

function isHost(text: string): boolean {
  return isIP(text) !== 0 || /^[a-z]([a-z0-9.-]{0,250}[a-z0-9])?$/i.test(text);
}
