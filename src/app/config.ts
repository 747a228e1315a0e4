import { resolve } from 'node:path';
import { providerSettings, VERDICTS } from '../antifraud/anti-fraud.ts';
import { CARD_TESTING_MODES } from '../antifraud/card-testing.ts';
import { PRODUCTION_RULES, readVelocityRules } from '../antifraud/velocity.ts';
import { keyStoreSettings, SECRET_KEY_SETTINGS } from '../keys/key-store-settings.ts';
import type { NamedFile } from '../platform/channels/channel-files.ts';
import { readSecurityContact } from '../platform/http/security-text.ts';
import { LOG_FORMATS, LOG_LEVELS, type LogFormat } from '../platform/log.ts';
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
import { LIMIT_MODES } from '../transactions/methods/card/network-limits.ts';
import { isCell } from '../values/cell.ts';
import { cents } from '../values/cents.ts';
import { parseBlocks } from '../values/ip-address.ts';
import { readChannelSettings, readUnguarded } from './channel-settings.ts';
import { readConsole } from './console-settings.ts';
import { readFront } from './front-settings.ts';
import { readObservability } from './observability-settings.ts';
import { contradictions, oddSettings } from './production-faults.ts';
import { type Role, readRoles } from './roles.ts';
import { openToAll } from './secret-files.ts';
import { type SettingReader, settingReader } from './setting-reader.ts';
import { SETTINGS } from './settings.ts';

export type Environment = 'homologation' | 'production';

export type Configuration = ReturnType<typeof readSettings>;

/** The message names each faulty setting. */
export class ConfigurationFault extends Error {
  override readonly name = 'ConfigurationFault';
}

/** The log format is read before other settings, so that their faults are reported in it. */
export function logFormatOf({
  PARCELA_LOG_FORMAT: set = '',
}: Readonly<Record<string, string | undefined>>): LogFormat {
  return LOG_FORMATS.find((format) => format === set.trim()) ?? 'auto';
}

/** Reads and checks all settings, and removes the keys from `environment`. Throws `ConfigurationFault`. */
export function readConfiguration(environment: Record<string, string | undefined>): Configuration {
  const reader = settingReader(environment, SETTINGS);
  const configuration = readSettings(reader);
  reader.faults.push(...contradictions(configuration, environment));
  reader.warnings.push(...oddSettings(configuration));
  // Keeps keys from child processes only: the kernel goes on showing the environment of the start.
  for (const name of SECRET_KEY_SETTINGS) delete environment[name];
  if (reader.faults.length > 0) throw new ConfigurationFault(reader.allFaults().join('\n'));
  return configuration;
}

function readSettings(reader: SettingReader) {
  const { faults, text, whole, oneOf, isSet, host, listener, web, networks } = reader;
  const port = whole('PARCELA_PORT', 0, 65_535);
  const metricsPort = port === 0 ? 0 : port + (port > 64_535 ? -1_000 : 1_000);
  const acquirerTimeoutMilliseconds = whole('PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS', 250, 60_000);
  const late = acquirerTimeoutMilliseconds + 2_000;
  const simulatorLateMilliseconds = whole('PARCELA_SIMULATOR_LATE_MILLISECONDS', 1, 120_000, late);
  const dataFolder = resolve(text('PARCELA_DATA_DIR'));
  const runningAs = oneOf('PARCELA_ENVIRONMENT', ['homologation', 'production']);
  const isReal = runningAs === 'production';
  return {
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
    keyStore: readKeyStore(reader, dataFolder),
    /** Null: the simulator, started beside the service. */
    acquirerUrl: web('PARCELA_ACQUIRER_URL', ['http:', 'https:']),
    acquirerChannel: readChannelSettings('PARCELA_ACQUIRER', text, reader),
    bank: readBank(reader, runningAs, acquirerTimeoutMilliseconds),
    pix: readPix(reader, runningAs, acquirerTimeoutMilliseconds),
    unguardedChannels: readUnguarded(text, faults),
    acquirerTimeoutMilliseconds,
    billings: readPatience(reader),
    // Homologation shows the simulator's acts at once.
    changesSeconds: whole('PARCELA_ACQUIRER_CHANGES_SECONDS', 1, 86_400, isReal ? 60 : 1),
    requestDeadlineMilliseconds: whole('PARCELA_REQUEST_DEADLINE_MILLISECONDS', 3_000, 120_000),
    // Homologation has no proxy that must see the end first, but a person who waits for the prompt.
    drainSeconds: whole('PARCELA_DRAIN_SECONDS', 0, 300, isReal ? 5 : 0),
    simulatorLateMilliseconds,
    simulatedAcquirer: readSimulatedAcquirer(reader),
    minimumInstallment: cents(whole('PARCELA_MINIMUM_INSTALLMENT_CENTS', 1, 1_000_000)),
    /** The rules as text; `readFeeTable` reads them. */
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
    /** Days of real time that an unused expired card is kept. 0: for ever. */
    expiredCardRetentionDays: whole('PARCELA_EXPIRED_CARD_RETENTION_DAYS', 0, 36_500),
    antiFraud: readAntiFraud(reader, runningAs),
    clockAnswerMilliseconds: whole('PARCELA_CLOCK_ANSWER_MILLISECONDS', 1, 600_000),
    /** Networks that are not public, but may be called. */
    webhookNetworks: parseBlocks(networks('PARCELA_WEBHOOK_NETWORKS')),
    /** Days of real time until a payment's customer is erased. 0: never. */
    customerRetentionDays: whole('PARCELA_CUSTOMER_RETENTION_DAYS', 0, 36_500),
    takesWebhooksOnLoopback: isSet('PARCELA_WEBHOOK_LOOPBACK') && runningAs === 'homologation',
    webhooks: {
      retentionDays: whole('PARCELA_WEBHOOK_RETENTION_DAYS', 1, 400),
      testsPerMinute: whole('PARCELA_WEBHOOK_TESTS_PER_MINUTE', 1, 1_000_000),
      registrationsPerMinute: whole('PARCELA_REGISTRATIONS_PER_MINUTE', 1, 1_000_000),
    },
    /** True: this process charges, resolves, sends and changes nothing. */
    isWorkHeld: isSet('PARCELA_HOLD_WORK'),
    servesDocuments: isSet('PARCELA_DOCS'),
    securityContact: readSecurityContact(text, faults),
    logLevel: oneOf('PARCELA_LOG_LEVEL', LOG_LEVELS),
    logFormat: oneOf('PARCELA_LOG_FORMAT', LOG_FORMATS),
    observability: readObservability(reader),
    /** What the operator should fix, although the service starts. */
    warnings: reader.warnings as readonly string[],
  } as const;
}

function readDatabase({ database, whole }: SettingReader) {
  return {
    /** Null: the embedded PostgreSQL in the data folder. */
    databaseUrl: database('DATABASE_URL'),
    /** The role that migrates and grants rights to `databaseUrl`. Null: `databaseUrl` itself. */
    ownerDatabaseUrl: database('PARCELA_OWNER_DATABASE_URL'),
    databaseConnections: {
      work: whole('PARCELA_DATABASE_CONNECTIONS', 4, 200),
      search: whole('PARCELA_SEARCH_CONNECTIONS', 1, 100),
    },
    databaseWaitSeconds: whole('PARCELA_DATABASE_WAIT_SECONDS', 0, 3_600),
  } as const;
}

function readKeyStore(reader: SettingReader, dataFolder: string) {
  const { text, faults } = reader;
  const channel = readChannelSettings('PARCELA_KEY_STORE', text, reader);
  return keyStoreSettings(text, faults, `${dataFolder}/keys/key-encryption-key.json`, channel);
}

/** Null: only this machine may read metrics. */
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

function readCallerLimits({ whole }: SettingReader) {
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
    /** 0: passwords do not age. */
    passwordMaxAgeDays: whole('PARCELA_PASSWORD_MAX_AGE_DAYS', 0, 3_650),
    /** 0: unused credentials stay valid. */
    credentialUnusedDays: whole('PARCELA_CREDENTIAL_UNUSED_DAYS', 0, 3_650),
    loginFailures: {
      perUserName: whole('PARCELA_LOGIN_FAILURES_PER_USER_NAME', 10, 1_000_000),
      perAddress: whole('PARCELA_LOGIN_FAILURES_PER_ADDRESS', 10, 1_000_000),
    },
  } as const;
}

/** For charges without a waiting caller. `searchMilliseconds`: how long an unknown charge is sought. */
function readPatience({ whole }: SettingReader) {
  return {
    acquirerTimeoutMilliseconds: whole('PARCELA_BILLING_ACQUIRER_TIMEOUT_MILLISECONDS', 250, 120_000),
    searchMilliseconds: whole('PARCELA_BILLING_SEARCH_MILLISECONDS', 0, 600_000),
  } as const;
}

/** The simulated acquirer of the demo merchant; null: our own simulator. */
function readSimulatedAcquirer({ text, oneOf }: SettingReader) {
  return text('PARCELA_ACQUIRER') === '' ? null : oneOf('PARCELA_ACQUIRER', ['rede', 'cielo']);
}

function readBank(reader: SettingReader, runningAs: Environment, acquirerTimeout: number): BankSettings {
  const { text, whole, faults } = reader;
  return {
    url: readBankUrl(text, faults),
    channel: readChannelSettings('PARCELA_BANK', text, reader),
    timeoutMilliseconds: whole('PARCELA_BANK_TIMEOUT_MILLISECONDS', 250, 60_000, acquirerTimeout),
    changesSeconds: whole('PARCELA_BANK_CHANGES_SECONDS', 1, 86_400, runningAs === 'production' ? 60 : 1),
  };
}

function readPix(reader: SettingReader, runningAs: Environment, acquirerTimeout: number): PixSettings {
  const { text, whole, faults } = reader;
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
    timeoutMilliseconds: whole('PARCELA_PIX_TIMEOUT_MILLISECONDS', 250, 60_000, acquirerTimeout),
    changesSeconds: whole('PARCELA_PIX_CHANGES_SECONDS', 1, 86_400, runningAs === 'production' ? 30 : 1),
    webhook: readPixWebhook(reader),
  };
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

/** By default homologation has no velocity rules: people try one card all day. */
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
    /** Null: only velocity rules decide. */
    provider: providerSettings(
      reader.text,
      readChannelSettings('PARCELA_ANTIFRAUD', reader.text, reader),
      reader.whole('PARCELA_ANTIFRAUD_PROVIDER_TIMEOUT_MILLISECONDS', 100, 10_000),
      reader.faults,
    ),
  } as const;
}

function feeRules(text: string, faults: string[]): string {
  const read = readFeeTable(text);
  if (typeof read === 'string') faults.push(`PARCELA_FEES: ${read}`);
  return text;
}
