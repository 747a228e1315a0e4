import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { VERDICTS, type Verdict } from '../antifraud/anti-fraud.ts';
import { PRODUCTION_RULES, readVelocityRules, type VelocityRule } from '../antifraud/velocity.ts';
import { type KeyStoreSettings, keyStoreSettings, SECRET_KEY_SETTINGS } from '../keys/key-store-settings.ts';
import { type AddressBlock, parseBlock } from '../merchants/client-address.ts';
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from '../platform/log.ts';
import { type ChargeWindow, NO_WINDOW, readChargeWindow } from '../recurrence/collection/day-window.ts';
import { type FeeTable, readFeeTable } from '../transactions/fee-table.ts';
import { LIMIT_MODES, type LimitMode } from '../transactions/limits/network-limits.ts';
import { type Cents, cents } from '../values/cents.ts';
import { SETTINGS } from './settings.ts';

export type Environment = 'homologation' | 'production';

export type Listener = { readonly host: string; readonly port: number; readonly prefix: string };

/** Everything that an operator may set, read once at the start. */
export type Configuration = {
  readonly environment: Environment;
  readonly gateway: Listener;
  readonly integration: Listener;
  readonly metrics: { readonly host: string; readonly port: number };
  readonly dataFolder: string;
  /** Null: the embedded PostgreSQL in the data folder. */
  readonly databaseUrl: string | null;
  /** Who migrates and gives `databaseUrl` its rights; null: `databaseUrl` itself. */
  readonly ownerDatabaseUrl: string | null;
  readonly databaseWaitSeconds: number;
  readonly keyStore: KeyStoreSettings;
  /** Null: the simulator, started beside the service. */
  readonly acquirerUrl: string | null;
  readonly acquirerTimeoutMilliseconds: number;
  /** Of charges for which nobody waits: their time with the acquirer, and how long an unknown one is looked for. */
  readonly billings: { readonly acquirerTimeoutMilliseconds: number; readonly searchMilliseconds: number };
  readonly changesSeconds: number;
  readonly requestDeadlineMilliseconds: number;
  readonly drainSeconds: number;
  readonly simulatorLateMilliseconds: number;
  readonly minimumInstallment: Cents;
  readonly fees: FeeTable;
  readonly networkLimits: LimitMode;
  readonly cancelWindowDays: number;
  readonly chargeWindow: ChargeWindow;
  readonly chargesAtOnce: number;
  readonly trustedProxies: readonly string[];
  readonly requestsPerSecond: { readonly perCredential: number; readonly perMerchant: number };
  readonly loginFailures: { readonly perUserName: number; readonly perAddress: number };
  readonly antiFraud: {
    readonly rules: readonly VelocityRule[];
    readonly timeoutMilliseconds: number;
    readonly verdictWhenSilent: Verdict;
  };
  readonly clockAnswerMilliseconds: number;
  /** Where a merchant's address may lead though it is not public. */
  readonly webhookNetworks: readonly AddressBlock[];
  readonly webhooks: { readonly retentionDays: number; readonly testsPerMinute: number };
  /** Nothing is charged, settled, told or changed until it is started without. */
  readonly isWorkHeld: boolean;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
};

/** One or more settings are unknown, malformed or contradict each other; the message names each. */
export class ConfigurationFault extends Error {
  override readonly name = 'ConfigurationFault';
}

/** Reads single settings and gathers what is wrong with them. */
function settingReader(environment: Readonly<Record<string, string | undefined>>) {
  const faults: string[] = [];
  const known = new Map(SETTINGS.map((setting) => [setting.name, setting.preset]));
  for (const name of Object.keys(environment)) {
    if (name.startsWith('PARCELA_') && !known.has(name)) faults.push(`${name}: there is no such setting`);
  }
  const text = (name: string): string => environment[name]?.trim() || (known.get(name) as string);
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
  const host = (name: string): string => {
    const value = text(name);
    if (!isHost(value)) faults.push(`${name}: must be an address or a host name, not "${value}"`);
    return value;
  };
  const networks = (name: string): string[] => {
    const parts = text(name)
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
    for (const part of parts) {
      if (!isNetwork(part))
        faults.push(`${name}: must be addresses or networks such as 10.0.0.0/8, not "${part}"`);
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
    if (!protocols.includes(URL.parse(value)?.protocol ?? '')) {
      faults.push(
        `${name}: must be an address starting with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
      );
    }
    return value;
  };
  return { faults, text, whole, oneOf, host, listener, web, networks };
}

/**
 * Reads and checks all settings, and takes the secret ones out of `environment`. Throws `ConfigurationFault` naming every
 * setting that is wrong.
 */
export function readConfiguration(environment: Record<string, string | undefined>): Configuration {
  const reader = settingReader(environment);
  const { faults, text, whole, oneOf, host, listener, web, networks } = reader;
  const port = whole('PARCELA_PORT', 0, 65_535);
  const metricsPort =
    text('PARCELA_METRICS_PORT') || String(port === 0 ? 0 : port + (port > 64_535 ? -1_000 : 1_000));
  const acquirerTimeoutMilliseconds = whole('PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS', 250, 60_000);
  const late = text('PARCELA_SIMULATOR_LATE_MILLISECONDS') || String(acquirerTimeoutMilliseconds + 2_000);
  const simulatorLateMilliseconds = whole('PARCELA_SIMULATOR_LATE_MILLISECONDS', 1, 120_000, late);
  const dataFolder = resolve(text('PARCELA_DATA_DIR'));
  const runningAs = oneOf('PARCELA_ENVIRONMENT', ['homologation', 'production']);
  const configuration: Configuration = {
    environment: runningAs,
    gateway: listener('GATEWAY'),
    integration: listener('INTEGRATION'),
    metrics: {
      host: host('PARCELA_METRICS_HOST'),
      port: whole('PARCELA_METRICS_PORT', 0, 65_535, metricsPort),
    },
    dataFolder,
    databaseUrl: web('DATABASE_URL', ['postgres:', 'postgresql:']),
    ownerDatabaseUrl: web('PARCELA_OWNER_DATABASE_URL', ['postgres:', 'postgresql:']),
    databaseWaitSeconds: whole('PARCELA_DATABASE_WAIT_SECONDS', 0, 3_600),
    keyStore: keyStoreSettings(text, faults, `${dataFolder}/keys/key-encryption-key.json`),
    acquirerUrl: web('PARCELA_ACQUIRER_URL', ['http:', 'https:']),
    acquirerTimeoutMilliseconds,
    billings: readPatience(reader),
    changesSeconds: readChangesSeconds(reader, runningAs),
    requestDeadlineMilliseconds: whole('PARCELA_REQUEST_DEADLINE_MILLISECONDS', 3_000, 120_000),
    drainSeconds: readDrainSeconds(reader, runningAs),
    simulatorLateMilliseconds,
    minimumInstallment: cents(whole('PARCELA_MINIMUM_INSTALLMENT_CENTS', 1, 1_000_000)),
    fees: feeTable(text('PARCELA_FEES'), faults),
    networkLimits: oneOf('PARCELA_NETWORK_LIMITS', LIMIT_MODES),
    cancelWindowDays: whole('PARCELA_CANCEL_WINDOW_DAYS', 1, 3_650),
    chargeWindow: readWindow(reader),
    chargesAtOnce: whole('PARCELA_CHARGES_AT_ONCE', 0, 1_000),
    trustedProxies: networks('PARCELA_TRUSTED_PROXIES'),
    ...readCallerLimits(reader),
    antiFraud: readAntiFraud(reader, runningAs),
    clockAnswerMilliseconds: whole('PARCELA_CLOCK_ANSWER_MILLISECONDS', 1, 600_000),
    webhookNetworks: readBlocks('PARCELA_WEBHOOK_NETWORKS', text, faults),
    webhooks: {
      retentionDays: whole('PARCELA_WEBHOOK_RETENTION_DAYS', 1, 400),
      testsPerMinute: whole('PARCELA_WEBHOOK_TESTS_PER_MINUTE', 1, 1_000_000),
    },
    isWorkHeld: oneOf('PARCELA_HOLD_WORK', ['0', '1']) === '1',
    logLevel: oneOf('PARCELA_LOG_LEVEL', LOG_LEVELS),
    logFormat: oneOf('PARCELA_LOG_FORMAT', LOG_FORMATS),
  };
  faults.push(...contradictions(configuration, environment));
  // Read once: neither children nor a later dump of the environment shall have the keys.
  for (const name of SECRET_KEY_SETTINGS) delete environment[name];
  if (faults.length > 0) throw new ConfigurationFault([...new Set(faults)].join('\n'));
  return configuration;
}

function readCallerLimits({
  whole,
}: ReturnType<typeof settingReader>): Pick<Configuration, 'requestsPerSecond' | 'loginFailures'> {
  return {
    requestsPerSecond: {
      perCredential: whole('PARCELA_REQUESTS_PER_SECOND_PER_CREDENTIAL', 1, 1_000_000),
      perMerchant: whole('PARCELA_REQUESTS_PER_SECOND_PER_MERCHANT', 1, 1_000_000),
    },
    loginFailures: {
      perUserName: whole('PARCELA_LOGIN_FAILURES_PER_USER_NAME', 10, 1_000_000),
      perAddress: whole('PARCELA_LOGIN_FAILURES_PER_ADDRESS', 10, 1_000_000),
    },
  };
}

function readPatience({ whole }: ReturnType<typeof settingReader>): Configuration['billings'] {
  return {
    acquirerTimeoutMilliseconds: whole('PARCELA_BILLING_ACQUIRER_TIMEOUT_MILLISECONDS', 250, 120_000),
    searchMilliseconds: whole('PARCELA_BILLING_SEARCH_MILLISECONDS', 0, 600_000),
  };
}

/** Homologation shows at once what the simulator did. */
function readChangesSeconds({ text, whole }: ReturnType<typeof settingReader>, runningAs: Environment) {
  const preset = runningAs === 'production' ? '60' : '1';
  const name = 'PARCELA_ACQUIRER_CHANGES_SECONDS';
  return whole(name, 1, 86_400, text(name) || preset);
}

/** Homologation has no proxy in front, but a person who waits for the prompt. */
function readDrainSeconds({ text, whole }: ReturnType<typeof settingReader>, runningAs: Environment) {
  const name = 'PARCELA_DRAIN_SECONDS';
  return whole(name, 0, 300, text(name) || (runningAs === 'production' ? '5' : '0'));
}

function readWindow({ text, faults }: ReturnType<typeof settingReader>): ChargeWindow {
  const given = text('PARCELA_CHARGE_WINDOW');
  const read = given === '' ? NO_WINDOW : readChargeWindow(given);
  if (read === null)
    faults.push(
      `PARCELA_CHARGE_WINDOW: must be a part of one day such as 06:00-20:00, up to 23:59 at the latest, not "${given}"`,
    );
  return read ?? NO_WINDOW;
}

/** Homologation counts nothing unless told to: whoever tries out payments uses one card all day. */
function readAntiFraud(reader: ReturnType<typeof settingReader>, runningAs: Environment) {
  const preset = runningAs === 'production' ? PRODUCTION_RULES : 'none';
  const given = reader.text('PARCELA_ANTIFRAUD_RULES') || preset;
  const read = readVelocityRules(given === 'none' ? '' : given);
  if ('faulty' in read) {
    const parts = read.faulty.map((part) => `"${part}"`).join(', ');
    reader.faults.push(
      `PARCELA_ANTIFRAUD_RULES: must be rules such as card/hour/attempts/10=reject, not ${parts}`,
    );
  }
  return {
    rules: 'rules' in read ? read.rules : [],
    timeoutMilliseconds: reader.whole('PARCELA_ANTIFRAUD_TIMEOUT_MILLISECONDS', 50, 10_000),
    verdictWhenSilent: reader.oneOf('PARCELA_ANTIFRAUD_WHEN_SILENT', VERDICTS),
  };
}

/** Networks without bits beyond their prefix: 10.1.2.3/8 may be meant as one address or as a network. */
function readBlocks(name: string, text: (name: string) => string, faults: string[]): AddressBlock[] {
  const parts = text(name)
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  return parts.flatMap((part) => {
    const block = parseBlock(part);
    if (block === null)
      faults.push(`${name}: must be addresses or networks such as 10.1.0.0/16, not "${part}"`);
    return block === null ? [] : [block];
  });
}

function feeTable(text: string, faults: string[]): FeeTable {
  const read = readFeeTable(text);
  if (typeof read !== 'string') return read;
  faults.push(`PARCELA_FEES: ${read}`);
  return [];
}

/** The time kept for committing intent and outcome beside the acquirer's. */
const COMMIT_MARGIN_MILLISECONDS = 2_000;

function contradictions(
  configuration: Configuration,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  const faults: string[] = [];
  const { acquirerTimeoutMilliseconds, requestDeadlineMilliseconds } = configuration;
  if (acquirerTimeoutMilliseconds + COMMIT_MARGIN_MILLISECONDS > requestDeadlineMilliseconds) {
    faults.push(
      'PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: must be at least 2000 under PARCELA_REQUEST_DEADLINE_MILLISECONDS, ' +
        'so that an outcome can still be recorded',
    );
  }
  if (configuration.acquirerUrl !== null && environment.PARCELA_SIMULATOR_LATE_MILLISECONDS !== undefined) {
    faults.push(
      'PARCELA_SIMULATOR_LATE_MILLISECONDS: has no effect beside PARCELA_ACQUIRER_URL; leave one out',
    );
  }
  if (configuration.simulatorLateMilliseconds <= acquirerTimeoutMilliseconds) {
    faults.push(
      'PARCELA_SIMULATOR_LATE_MILLISECONDS: must be more than PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS',
    );
  }
  if (configuration.ownerDatabaseUrl !== null && configuration.databaseUrl === null) {
    faults.push(
      'PARCELA_OWNER_DATABASE_URL: has no effect without DATABASE_URL; the embedded database has both roles',
    );
  }
  const { metrics, gateway, integration } = configuration;
  if (metrics.port !== 0 && (metrics.port === gateway.port || metrics.port === integration.port)) {
    faults.push(
      `PARCELA_METRICS_PORT: ${metrics.port} is the port of an API; metrics ask for no token and stand apart`,
    );
  }
  if (configuration.environment === 'production') faults.push(...productionFaults(configuration));
  return faults;
}

function productionFaults(configuration: Configuration): string[] {
  const faults: string[] = [];
  if (configuration.databaseUrl === null) {
    faults.push(
      'DATABASE_URL: production needs a PostgreSQL of its own; the embedded one is for homologation',
    );
  }
  if (configuration.acquirerUrl === null) {
    faults.push(
      'PARCELA_ACQUIRER_URL: production needs a bridge to an acquirer; the simulator is for homologation',
    );
  }
  const bridge = URL.parse(configuration.acquirerUrl ?? '');
  if (bridge?.protocol === 'http:' && !isLoopback(bridge.hostname.replace(/^\[(.*)\]$/, '$1'))) {
    faults.push(
      `PARCELA_ACQUIRER_URL: ${bridge.host} would get card numbers in clear over the network; use https://, or a bridge on ` +
        'loopback',
    );
  }
  for (const [api, { host }] of Object.entries({
    GATEWAY: configuration.gateway,
    INTEGRATION: configuration.integration,
  })) {
    if (isLoopback(host) || configuration.trustedProxies.length > 0) continue;
    faults.push(
      `PARCELA_${api}_HOST: ${host} would serve cards without TLS; listen on loopback, or name the TLS proxy in front ` +
        'in PARCELA_TRUSTED_PROXIES',
    );
  }
  return faults;
}

function isHost(text: string): boolean {
  return isIP(text) !== 0 || /^[a-z]([a-z0-9.-]{0,250}[a-z0-9])?$/i.test(text);
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const most = isIP(address) === 6 ? 128 : 32;
  return (
    isIP(address) !== 0 &&
    rest.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
