import { resolve } from 'node:path';
import { type ProviderSettings, providerSettings, VERDICTS, type Verdict } from '../antifraud/anti-fraud.ts';
import { CARD_TESTING_MODES, type CardTestingMode } from '../antifraud/card-testing.ts';
import { PRODUCTION_RULES, readVelocityRules, type VelocityRule } from '../antifraud/velocity.ts';
import { type KeyStoreSettings, keyStoreSettings, SECRET_KEY_SETTINGS } from '../keys/key-store-settings.ts';
import type { ChannelFiles, NamedFile } from '../platform/channels/channel-files.ts';
import { readSecurityContact, type SecurityContact } from '../platform/http/security-text.ts';
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from '../platform/log.ts';
import type { Connections } from '../platform/postgres/pools.ts';
import { type BankSettings, readBankUrl } from '../providers/banks/bank.ts';
import { readDialect } from '../providers/pix/adapters/standard/dialect.ts';
import {
  type PixSettings,
  readPixDialect,
  readPixUrl,
  readPixWebhook,
} from '../providers/pix/pix-settings.ts';
import { type ChargeWindow, NO_WINDOW, readChargeWindow } from '../recurrence/collection/day-window.ts';
import { readFeeTable } from '../transactions/fees/fee-table.ts';
import { LIMIT_MODES, type LimitMode } from '../transactions/methods/card/network-limits.ts';
import { isCell } from '../values/cell.ts';
import { type Cents, cents } from '../values/cents.ts';
import { type AddressBlock, parseBlocks } from '../values/ip-address.ts';
import { type ChannelName, readChannelSettings, readUnguarded } from './channel-settings.ts';
import { type ConsoleSettings, readConsole } from './console-settings.ts';
import { type FrontSettings, readFront } from './front-settings.ts';
import { type ObservabilitySettings, readObservability } from './observability-settings.ts';
import { contradictions, oddSettings } from './production-faults.ts';
import { type Role, readRoles } from './roles.ts';
import { openToAll } from './secret-files.ts';
import { type Listener, type SettingReader, settingReader } from './setting-reader.ts';
import { SETTINGS } from './settings.ts';

export type Environment = 'homologation' | 'production';

export type Configuration = FrontSettings & {
  readonly environment: Environment;
  readonly cell: string | null;
  readonly roles: readonly Role[];
  readonly gateway: Listener;
  readonly integration: Listener;
  /** `tokenFile` null: only this machine may read metrics. */
  readonly metrics: { readonly host: string; readonly port: number; readonly tokenFile: NamedFile | null };
  readonly console: ConsoleSettings;
  readonly dataFolder: string;
  /** Null: the embedded PostgreSQL in the data folder. */
  readonly databaseUrl: string | null;
  /** The role that migrates and grants rights to `databaseUrl`. Null: `databaseUrl` itself. */
  readonly ownerDatabaseUrl: string | null;
  readonly databaseConnections: Connections;
  readonly databaseWaitSeconds: number;
  readonly keyStore: KeyStoreSettings;
  /** Null: the simulator, started beside the service. */
  readonly acquirerUrl: string | null;
  readonly acquirerChannel: ChannelFiles;
  readonly bank: BankSettings;
  readonly pix: PixSettings;
  readonly unguardedChannels: readonly ChannelName[];
  readonly acquirerTimeoutMilliseconds: number;
  /** For charges without a waiting caller. `searchMilliseconds`: how long an unknown charge is sought. */
  readonly billings: { readonly acquirerTimeoutMilliseconds: number; readonly searchMilliseconds: number };
  readonly changesSeconds: number;
  readonly requestDeadlineMilliseconds: number;
  readonly drainSeconds: number;
  readonly simulatorLateMilliseconds: number;
  /** The simulated acquirer of the demo merchant; null: our own simulator. */
  readonly simulatedAcquirer: 'rede' | 'cielo' | null;
  readonly minimumInstallment: Cents;
  /** Unparsed; see `readFeeTable`. */
  readonly fees: string;
  readonly settlementFolder: string | null;
  readonly networkLimits: LimitMode;
  readonly captureDays: number;
  readonly cancelWindowDays: number;
  readonly chargeWindow: ChargeWindow;
  readonly chargesAtOnce: number;
  readonly connections: { readonly inAll: number; readonly perAddress: number };
  readonly requestsAtOnce: number;
  readonly requestsPerSecond: {
    readonly perCredential: number;
    readonly perMerchant: number;
    readonly perAddress: number;
  };
  readonly loginFailures: { readonly perUserName: number; readonly perAddress: number };
  /** 0: passwords do not age. */
  readonly passwordMaxAgeDays: number;
  /** 0: unused credentials stay valid. */
  readonly credentialUnusedDays: number;
  readonly storedCopies: number;
  /** Days of real time that an unused expired card is kept. 0: for ever. */
  readonly expiredCardRetentionDays: number;
  readonly antiFraud: {
    readonly rules: readonly VelocityRule[];
    readonly cardTesting: CardTestingMode;
    readonly timeoutMilliseconds: number;
    readonly verdictWhenSilent: Verdict;
    /** Null: only velocity rules decide. */
    readonly provider: ProviderSettings | null;
  };
  readonly clockAnswerMilliseconds: number;
  /** Networks that are not public, but may be called. */
  readonly webhookNetworks: readonly AddressBlock[];
  /** Days of real time until a payment's customer is erased. 0: never. */
  readonly customerRetentionDays: number;
  readonly webhooks: {
    readonly retentionDays: number;
    readonly testsPerMinute: number;
    readonly registrationsPerMinute: number;
  };
  /** Nothing is charged, resolved, sent or changed until a start without it. */
  readonly isWorkHeld: boolean;
  readonly securityContact: SecurityContact | null;
  readonly takesWebhooksOnLoopback: boolean;
  readonly servesDocuments: boolean;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly observability: ObservabilitySettings;
  /** What the operator should fix, although the service starts. */
  readonly warnings: readonly string[];
};

/** The message names each faulty setting. */
export class ConfigurationFault extends Error {
  override readonly name = 'ConfigurationFault';
}

/** Read before other settings, to report their faults in this format. */
export function logFormatOf({
  PARCELA_LOG_FORMAT: set = '',
}: Readonly<Record<string, string | undefined>>): LogFormat {
  return LOG_FORMATS.find((format) => format === set.trim()) ?? 'auto';
}

/** Reads and checks all settings, and removes the keys from `environment`. Throws `ConfigurationFault`. */
export function readConfiguration(environment: Record<string, string | undefined>): Configuration {
  const reader = settingReader(environment, SETTINGS);
  const { faults, text, whole, oneOf, isSet, host, listener, web, networks } = reader;
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
    cell: readCell(reader),
    roles: readRolesHere(reader),
    gateway: listener('GATEWAY'),
    integration: listener('INTEGRATION'),
    metrics: {
      host: host('PARCELA_METRICS_HOST'),
      port: whole('PARCELA_METRICS_PORT', 0, 65_535, metricsPort),
      tokenFile: readMetricsToken(reader),
    },
    console: readConsole(reader),
    dataFolder,
    ...readDatabase(reader),
    keyStore: keyStoreSettings(
      text,
      faults,
      `${dataFolder}/keys/key-encryption-key.json`,
      readChannelSettings('PARCELA_KEY_STORE', text, reader),
    ),
    acquirerUrl: web('PARCELA_ACQUIRER_URL', ['http:', 'https:']),
    acquirerChannel: readChannelSettings('PARCELA_ACQUIRER', text, reader),
    bank: readBank(reader, runningAs, acquirerTimeoutMilliseconds),
    pix: readPix(reader, runningAs, acquirerTimeoutMilliseconds),
    unguardedChannels: readUnguarded(text, faults),
    acquirerTimeoutMilliseconds,
    billings: readPatience(reader),
    changesSeconds: readChangesSeconds(reader, runningAs),
    requestDeadlineMilliseconds: whole('PARCELA_REQUEST_DEADLINE_MILLISECONDS', 3_000, 120_000),
    drainSeconds: readDrainSeconds(reader, runningAs),
    simulatorLateMilliseconds,
    simulatedAcquirer: readSimulatedAcquirer(reader),
    minimumInstallment: cents(whole('PARCELA_MINIMUM_INSTALLMENT_CENTS', 1, 1_000_000)),
    fees: feeRules(text('PARCELA_FEES'), faults),
    settlementFolder: text('PARCELA_SETTLEMENT_FOLDER') || null,
    networkLimits: oneOf('PARCELA_NETWORK_LIMITS', LIMIT_MODES),
    captureDays: whole('PARCELA_CAPTURE_DAYS', 1, 30),
    cancelWindowDays: whole('PARCELA_CANCEL_WINDOW_DAYS', 1, 3_650),
    chargeWindow: readWindow(reader),
    chargesAtOnce: whole('PARCELA_CHARGES_AT_ONCE', 0, 1_000),
    ...readFront(reader),
    ...readCallerLimits(reader),
    storedCopies: whole('PARCELA_STORED_COPIES', 1, 1_000_000),
    expiredCardRetentionDays: whole('PARCELA_EXPIRED_CARD_RETENTION_DAYS', 0, 36_500),
    antiFraud: readAntiFraud(reader, runningAs),
    clockAnswerMilliseconds: whole('PARCELA_CLOCK_ANSWER_MILLISECONDS', 1, 600_000),
    webhookNetworks: parseBlocks(networks('PARCELA_WEBHOOK_NETWORKS')),
    customerRetentionDays: whole('PARCELA_CUSTOMER_RETENTION_DAYS', 0, 36_500),
    takesWebhooksOnLoopback: isSet('PARCELA_WEBHOOK_LOOPBACK') && runningAs === 'homologation',
    webhooks: {
      retentionDays: whole('PARCELA_WEBHOOK_RETENTION_DAYS', 1, 400),
      testsPerMinute: whole('PARCELA_WEBHOOK_TESTS_PER_MINUTE', 1, 1_000_000),
      registrationsPerMinute: whole('PARCELA_REGISTRATIONS_PER_MINUTE', 1, 1_000_000),
    },
    isWorkHeld: isSet('PARCELA_HOLD_WORK'),
    servesDocuments: isSet('PARCELA_DOCS'),
    securityContact: readSecurityContact(text, faults),
    logLevel: oneOf('PARCELA_LOG_LEVEL', LOG_LEVELS),
    logFormat: oneOf('PARCELA_LOG_FORMAT', LOG_FORMATS),
    observability: readObservability(reader),
    warnings: reader.warnings,
  };
  faults.push(...contradictions(configuration, environment));
  reader.warnings.push(...oddSettings(configuration));
  // Protects only child processes: the kernel keeps showing the environment of the start.
  for (const name of SECRET_KEY_SETTINGS) delete environment[name];
  if (faults.length > 0) throw new ConfigurationFault(reader.allFaults().join('\n'));
  return configuration;
}

function readDatabase({
  database,
  whole,
}: SettingReader): Pick<
  Configuration,
  'databaseUrl' | 'ownerDatabaseUrl' | 'databaseConnections' | 'databaseWaitSeconds'
> {
  return {
    databaseUrl: database('DATABASE_URL'),
    ownerDatabaseUrl: database('PARCELA_OWNER_DATABASE_URL'),
    databaseConnections: {
      work: whole('PARCELA_DATABASE_CONNECTIONS', 4, 200),
      search: whole('PARCELA_SEARCH_CONNECTIONS', 1, 100),
    },
    databaseWaitSeconds: whole('PARCELA_DATABASE_WAIT_SECONDS', 0, 3_600),
  };
}

function readMetricsToken({ text, warnings }: SettingReader): NamedFile | null {
  const setting = 'PARCELA_METRICS_TOKEN_FILE';
  const path = text(setting);
  if (path === '') return null;
  warnings.push(...openToAll(setting, path));
  return { setting, path };
}

function readCell({ text, faults }: SettingReader): string | null {
  const cell = text('PARCELA_CELL');
  if (cell !== '' && !isCell(cell))
    faults.push(`PARCELA_CELL: must be a small letter and a small letter or digit such as a1, not "${cell}"`);
  return cell || null;
}

function readRolesHere({ text, faults }: SettingReader): readonly Role[] {
  const read = readRoles(text('PARCELA_ROLES'));
  if (typeof read !== 'string') return read;
  faults.push(`PARCELA_ROLES: ${read}`);
  return [];
}

function readCallerLimits({
  whole,
}: SettingReader): Pick<
  Configuration,
  | 'connections'
  | 'requestsAtOnce'
  | 'requestsPerSecond'
  | 'loginFailures'
  | 'passwordMaxAgeDays'
  | 'credentialUnusedDays'
> {
  return {
    connections: {
      inAll: whole('PARCELA_CONNECTIONS', 16, 100_000),
      perAddress: whole('PARCELA_CONNECTIONS_PER_ADDRESS', 1, 100_000),
    },
    requestsAtOnce: whole('PARCELA_REQUESTS_AT_ONCE', 8, 100_000),
    requestsPerSecond: {
      perCredential: whole('PARCELA_REQUESTS_PER_SECOND_PER_CREDENTIAL', 1, 1_000_000),
      perMerchant: whole('PARCELA_REQUESTS_PER_SECOND_PER_MERCHANT', 1, 1_000_000),
      perAddress: whole('PARCELA_REQUESTS_PER_SECOND_PER_ADDRESS', 1, 1_000_000),
    },
    passwordMaxAgeDays: whole('PARCELA_PASSWORD_MAX_AGE_DAYS', 0, 3_650),
    credentialUnusedDays: whole('PARCELA_CREDENTIAL_UNUSED_DAYS', 0, 3_650),
    loginFailures: {
      perUserName: whole('PARCELA_LOGIN_FAILURES_PER_USER_NAME', 10, 1_000_000),
      perAddress: whole('PARCELA_LOGIN_FAILURES_PER_ADDRESS', 10, 1_000_000),
    },
  };
}

function readPatience({ whole }: SettingReader): Configuration['billings'] {
  return {
    acquirerTimeoutMilliseconds: whole('PARCELA_BILLING_ACQUIRER_TIMEOUT_MILLISECONDS', 250, 120_000),
    searchMilliseconds: whole('PARCELA_BILLING_SEARCH_MILLISECONDS', 0, 600_000),
  };
}

function readSimulatedAcquirer({ text, oneOf }: SettingReader): Configuration['simulatedAcquirer'] {
  return text('PARCELA_ACQUIRER') === ''
    ? null
    : oneOf<'rede' | 'cielo'>('PARCELA_ACQUIRER', ['rede', 'cielo']);
}

function readTimeout({ text, whole }: SettingReader, name: string, acquirerTimeout: number): number {
  return text(name) === '' ? acquirerTimeout : whole(name, 250, 60_000);
}

function readBank(reader: SettingReader, runningAs: Environment, acquirerTimeout: number): BankSettings {
  const { text, whole, faults } = reader;
  const changes = text('PARCELA_BANK_CHANGES_SECONDS') || (runningAs === 'production' ? '60' : '1');
  return {
    url: readBankUrl(text, faults),
    channel: readChannelSettings('PARCELA_BANK', text, reader),
    timeoutMilliseconds: readTimeout(reader, 'PARCELA_BANK_TIMEOUT_MILLISECONDS', acquirerTimeout),
    changesSeconds: whole('PARCELA_BANK_CHANGES_SECONDS', 1, 86_400, changes),
  };
}

function readPix(reader: SettingReader, runningAs: Environment, acquirerTimeout: number): PixSettings {
  const { text, whole, faults } = reader;
  const changes = text('PARCELA_PIX_CHANGES_SECONDS') || (runningAs === 'production' ? '30' : '1');
  const url = readPixUrl(text, faults);
  const settings = readPixDialect(text('PARCELA_PIX_SETTINGS'));
  if (typeof settings === 'string') faults.push(`PARCELA_PIX_SETTINGS: ${settings}`);
  else if (url !== null) {
    const fault = readDialect(url, settings);
    if (typeof fault === 'string') faults.push(`PARCELA_PIX_SETTINGS: ${fault}`);
  }
  return {
    url,
    channel: readChannelSettings('PARCELA_PIX', text, reader),
    settings: typeof settings === 'string' ? {} : settings,
    timeoutMilliseconds: readTimeout(reader, 'PARCELA_PIX_TIMEOUT_MILLISECONDS', acquirerTimeout),
    changesSeconds: whole('PARCELA_PIX_CHANGES_SECONDS', 1, 86_400, changes),
    webhook: readPixWebhook(reader),
  };
}

/** Homologation shows the simulator's acts at once. */
function readChangesSeconds({ text, whole }: SettingReader, runningAs: Environment) {
  const preset = runningAs === 'production' ? '60' : '1';
  const name = 'PARCELA_ACQUIRER_CHANGES_SECONDS';
  return whole(name, 1, 86_400, text(name) || preset);
}

/** Homologation has no proxy in front, but a person who waits for the prompt. */
function readDrainSeconds({ text, whole }: SettingReader, runningAs: Environment) {
  const name = 'PARCELA_DRAIN_SECONDS';
  return whole(name, 0, 300, text(name) || (runningAs === 'production' ? '5' : '0'));
}

function readWindow({ text, faults }: SettingReader): ChargeWindow {
  const given = text('PARCELA_CHARGE_WINDOW');
  const read = given === '' ? NO_WINDOW : readChargeWindow(given);
  if (read === null)
    faults.push(
      `PARCELA_CHARGE_WINDOW: must be a part of one day such as 06:00-20:00, up to 23:59 at the latest, not "${given}"`,
    );
  return read ?? NO_WINDOW;
}

/** Homologation counts nothing by default: people try one card all day. */
function readAntiFraud(reader: SettingReader, runningAs: Environment) {
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
    cardTesting: reader.oneOf('PARCELA_CARD_TESTING', CARD_TESTING_MODES),
    timeoutMilliseconds: reader.whole('PARCELA_ANTIFRAUD_TIMEOUT_MILLISECONDS', 50, 10_000),
    verdictWhenSilent: reader.oneOf('PARCELA_ANTIFRAUD_WHEN_SILENT', VERDICTS),
    provider: providerSettings(
      reader.text,
      readChannelSettings('PARCELA_ANTIFRAUD', reader.text, reader),
      reader.whole('PARCELA_ANTIFRAUD_PROVIDER_TIMEOUT_MILLISECONDS', 100, 10_000),
      reader.faults,
    ),
  };
}

function feeRules(text: string, faults: string[]): string {
  const read = readFeeTable(text);
  if (typeof read === 'string') faults.push(`PARCELA_FEES: ${read}`);
  return text;
}
