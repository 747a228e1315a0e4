import { isIP } from 'node:net';
import { databaseAddressFault, databaseAddressWarning } from '../platform/postgres/database-hosts.ts';
import { parseBlock } from '../values/ip-address.ts';
import { readSecretFiles, SECRETS } from './secret-files.ts';

type Setting = { readonly name: string; readonly preset: string };

export type Listener = { readonly host: string; readonly port: number; readonly prefix: string };

export function settingReader(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly Setting[],
) {
  const faults: string[] = [];
  const warnings: string[] = [];
  const known = new Map(settings.map((setting) => [setting.name, setting.preset]));
  faults.push(...unknownNames(Object.keys(environment), known));
  const secrets = readSecretFiles(environment, { faults, warnings });
  const text = (name: string): string =>
    (secrets.get(name) ?? environment[name])?.trim() || (known.get(name) as string);
  const whole = (name: string, least: number, most: number, preset = text(name)): number => {
    const value = Number(preset);
    if (/^\d{1,10}$/.test(preset) && value >= least && value <= most) return value;
    faults.push(`${name}: must be a whole number from ${least} to ${most}, not "${preset}"`);
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
    for (const part of parts) {
      if (parseBlock(part) === null)
        faults.push(`${name}: must be addresses or networks such as 10.1.0.0/16, not "${part}"`);
    }
    return parts;
  };
  const listener = (api: 'GATEWAY' | 'INTEGRATION'): Listener => {
    const prefix = text(`PARCELA_${api}_PREFIX`);
    if (!/^(\/[\w.-]+)*$/.test(prefix))
      faults.push(`PARCELA_${api}_PREFIX: must look like /gateway, not "${prefix}"`);
    const ownPort = text(`PARCELA_${api}_PORT`);
    return {
      host: host(text(`PARCELA_${api}_HOST`) === '' ? 'PARCELA_HOST' : `PARCELA_${api}_HOST`),
      port:
        ownPort === '' ? whole('PARCELA_PORT', 0, 65_535) : whole(`PARCELA_${api}_PORT`, 0, 65_535, ownPort),
      prefix,
    };
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
  const asSet = (fault: string): string => namedAsSet(fault, secrets);
  return { asSet, faults, warnings, text, whole, oneOf, isSet, host, listener, web, database, networks };
}

export type SettingReader = ReturnType<typeof settingReader>;

function unknownNames(names: readonly string[], known: ReadonlyMap<string, unknown>): string[] {
  return names.flatMap((name) => {
    const meant = name.toUpperCase();
    if (known.has(name) || (!known.has(meant) && !meant.startsWith('PARCELA_'))) return [];
    return [`${name}: there is no such setting${known.has(meant) ? `; it is written ${meant}` : ''}`];
  });
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
  if (!protocols.includes(address?.protocol ?? ''))
    return [`${name}: must be an address starting with ${starts}`];
  const { username = '', password = '', search = '', hash = '' } = address ?? {};
  if (`${username}${password}${search}${hash}` === '') return [];
  return [`${name}: must have no user, password, query or fragment; a token stands in a file of its own`];
}

function isHost(text: string): boolean {
  return isIP(text) !== 0 || /^[a-z]([a-z0-9.-]{0,250}[a-z0-9])?$/i.test(text);
}
