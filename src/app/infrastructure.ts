import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Actor, Audit } from '../audit/audit-event.ts';
import { createDemoLink } from '../console/users/invite-user.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import { type BusinessClock, businessClock } from '../platform/business-clock.ts';
import { type Channel, observeChannel, openChannel } from '../platform/channels/open-channel.ts';
import { watchClock } from '../platform/clock-watch.ts';
import type { Closing } from '../platform/closings.ts';
import { READ_TIME } from '../platform/database-time.sql.ts';
import { DatabaseTime } from '../platform/database-time.ts';
import { whyHeld } from '../platform/gate.ts';
import { say, sayWarning } from '../platform/log.ts';
import { histogram, type Metrics } from '../platform/metrics.ts';
import type { ModuleContext } from '../platform/module.ts';
import type { PeerName } from '../platform/outages.ts';
import { batchWrites } from '../platform/postgres/batched-writes.ts';
import type { Database } from '../platform/postgres/database.ts';
import { placeGiven, placeOfService } from '../platform/postgres/database-place.ts';
import type { ObserveCallsOf } from '../platform/process-reports/peer-calls.ts';
import { alsoWhileHeld, noting } from '../platform/work/every-so-often.ts';
import type { Acquirer } from '../providers/acquirers/acquirer.ts';
import {
  ACQUIRER_CONNECT_MILLISECONDS,
  ACQUIRER_PORT,
  checkAcquirer,
  openAcquirer,
} from '../providers/acquirers/open-acquirer.ts';
import type { Bank } from '../providers/banks/bank.ts';
import { BANK_CONNECT_MILLISECONDS, BANK_PORT, openBank } from '../providers/banks/open-bank.ts';
import { openAcquirers } from '../providers/open-acquirers.ts';
import { openBanks } from '../providers/open-banks.ts';
import { openPixBanks } from '../providers/open-pix-banks.ts';
import { openProviderTable } from '../providers/open-provider-table.ts';
import {
  openPixBank,
  openSimulatedPixBank,
  PIX_CONNECT_MILLISECONDS,
  PIX_PORT,
} from '../providers/pix/open-pix-bank.ts';
import type { PixBank } from '../providers/pix/pix-bank.ts';
import { DEFAULT_PROVIDER } from '../providers/provider.ts';
import { utcText } from '../values/instant.ts';
import type { Configuration } from './config.ts';
import type { AppContext, BusinessTime, OpenedProviders, StartContext } from './context.ts';
import {
  type DataFolder,
  type DemoShop,
  loadHomologation,
  type SimulatedAcquirer,
  type StartSimulator,
} from './homologation.ts';

const ACQUIRER_CALL_DURATION_SECONDS = histogram(
  'parcela_acquirer_call_duration_seconds',
  'Duration of calls to the acquirer.',
  [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16],
  ['operation', 'result'],
);
const BANK_CALL_DURATION_SECONDS = histogram(
  'parcela_bank_call_duration_seconds',
  'Duration of calls to the bank that registers boletos.',
  [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16],
  ['operation', 'result'],
);
const PIX_CALL_DURATION_SECONDS = histogram(
  'parcela_pix_call_duration_seconds',
  'Duration of calls to the bank of Pix.',
  [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16],
  ['operation', 'result'],
);
const BATCHED_WRITE_ROWS = histogram(
  'parcela_batched_write_rows',
  'Rows written by one batched statement.',
  [1, 2, 4, 8, 16, 32, 64, 128],
  ['statement'],
);

/** Data folder, PostgreSQL, acquirer and bank. Starts our own where none is set. */
export async function openInfrastructure(start: StartContext, startSimulator?: StartSimulator) {
  const { configuration, closings } = start;
  const { databaseUrl, dataFolder, environment } = configuration;
  let folder: DataFolder | null = null;
  if (databaseUrl === null || (configuration.acquirerUrl === null && environment !== 'production')) {
    const { openDataFolder } = await loadHomologation(environment);
    const held = await openDataFolder(dataFolder, say);
    closings.push({ name: 'data folder', close: async () => held.release() });
    folder = held;
  }
  const own = { configuration, closings, say, start: startSimulator };
  const starting = [
    startOwnPostgres(configuration, closings),
    environment === 'production'
      ? null
      : loadHomologation(environment).then((its) => its.startOwnSimulators(own)),
  ] as const;
  // If one fails the other is closed, so both must have ended.
  await Promise.allSettled(starting);
  const [server, simulators] = await Promise.all(starting);
  const place =
    databaseUrl === null
      ? placeOfService((server as NonNullable<typeof server>).connection)
      : placeGiven(databaseUrl, configuration.ownerDatabaseUrl);
  const acquirerUrl = configuration.acquirerUrl ?? simulators?.acquirer?.url ?? null;
  const observe = observeCalls(start);
  const acquirer =
    acquirerUrl === null ? null : await openNamedAcquirer(start, acquirerUrl, observe.acquirer);
  const bankUrl = configuration.bank.url ?? simulators?.bank?.url ?? null;
  const pixSimulatorUrl = simulators?.pix?.url ?? null;
  return {
    ...{ folder, server, place, acquirerUrl, acquirer, bankUrl, pixSimulatorUrl, observe },
    simulatedAcquirer: simulators?.simulatedAcquirer ?? null,
  };
}

/** The acquirer of the settings, or its simulator. It is not asked while the gate holds work. */
async function openNamedAcquirer(
  start: StartContext,
  url: string,
  observeOf: ObserveCallsOf,
): Promise<Acquirer> {
  const { configuration, closings, gate } = start;
  const channel = await openAcquirerChannel(start);
  const { about, warning } = await checkAcquirer(url, configuration.environment, channel);
  if (warning !== null) sayWarning(warning);
  const acquirer = openAcquirer(url, channel, about, observeOf(DEFAULT_PROVIDER));
  closings.push({ name: 'acquirer', close: () => acquirer.close() });
  return ACQUIRER_PORT.gated(acquirer, () => whyHeld(gate));
}

/** Unusable changed credentials are reported, and the former ones stay in use. */
async function openAcquirerChannel({
  configuration,
  closings,
  log,
  metrics,
}: StartContext): Promise<Channel> {
  const channel = await openChannel(configuration.acquirerChannel, {
    connectTimeoutMilliseconds: ACQUIRER_CONNECT_MILLISECONDS,
    ...observeChannel(
      { log, metrics },
      'acquirer',
      'changed files of the channel to the acquirer are no good',
    ),
  });
  closings.push({ name: 'channel to the acquirer', close: async () => channel.close() });
  return channel;
}

export function serviceHere(): Actor {
  return { actor: 'system', origin: hostname() };
}

async function startOwnPostgres(configuration: Configuration, closings: Closing[]) {
  if (configuration.databaseUrl !== null) return null;
  const { startEmbeddedPostgres } = await loadHomologation(configuration.environment);
  const server = await startEmbeddedPostgres({ folder: configuration.dataFolder, say });
  closings.push({ name: 'PostgreSQL', close: () => server.stop() });
  return server;
}

export async function makeDemo(
  { configuration, whileDatabaseStarts, database, audit }: AppContext,
  folder: DataFolder | null,
  urls: { gatewayUrl: string; integrationUrl: string },
): Promise<{ readonly demoFile: string; readonly signInUrl: string; readonly shopUrl: string } | null> {
  if (configuration.environment !== 'homologation' || folder === null) return null;
  const { addressOfShop, createDemoMerchant, demoOrigin } = await loadHomologation(configuration.environment);
  const file = join(folder.path, 'demo.json');
  const tools = { database, audit, operator: serviceHere(), cell: configuration.cell };
  await whileDatabaseStarts(() => createDemoMerchant(tools, file, urls));
  const token = await createDemoLink(tools);
  const { gatewayUrl } = urls;
  return {
    demoFile: file,
    signInUrl: `${demoOrigin(gatewayUrl)}/console/links/${token}`,
    shopUrl: addressOfShop(configuration.pagesOrigin, gatewayUrl),
  };
}

export async function openShopOfDemo(
  { configuration, log, pixSimulatorUrl }: AppContext,
  folder: DataFolder | null,
): Promise<DemoShop | null> {
  if (configuration.environment !== 'homologation' || folder === null) return null;
  const { openDemoShop } = await loadHomologation(configuration.environment);
  const { pagesOrigin, console, takesWebhooksOnLoopback: takesLoopback } = configuration;
  return openDemoShop({ log, pixSimulatorUrl, pagesOrigin, consoleOrigin: console.origin, takesLoopback });
}

/** Routes the demo merchant's sales to the simulated acquirer of the settings, or removes the route. */
export async function routeDemo(
  { configuration }: Pick<StartContext, 'configuration'>,
  folder: DataFolder | null,
  tools: { readonly database: Database; readonly audit: Audit; readonly keyring: Keyring },
  simulated: SimulatedAcquirer | null,
): Promise<void> {
  if (configuration.environment !== 'homologation' || folder === null) return;
  const { addSimulatedAcquirer } = await loadHomologation(configuration.environment);
  await addSimulatedAcquirer({ ...tools, operator: serviceHere() }, simulated);
}

/** The database's clock in production. In homologation merchants can move theirs. */
export async function openBusinessTime(
  { configuration, outages, metrics, whileDatabaseStarts }: StartContext,
  database: Database,
): Promise<BusinessTime> {
  const noteClock = watchClock({ outages, metrics });
  if (configuration.environment === 'production') {
    const time = new DatabaseTime();
    const follow = () => time.follow(database);
    await whileDatabaseStarts(follow);
    const note = (shown: unknown, askedAt: number, answeredAt: number) => {
      time.note(shown as number, askedAt, answeredAt);
      noteClock(shown as number, askedAt, answeredAt);
    };
    const works = [alsoWhileHeld(noting('followDatabaseTime', READ_TIME, note))];
    return { clock: businessClock(time), isJumping: () => false, testClock: null, works };
  }
  const { openTestClock } = await loadHomologation(configuration.environment);
  const testClock = await whileDatabaseStarts(() => openTestClock(database, noteClock));
  return { clock: testClock, isJumping: testClock.isJumping, testClock, works: [] };
}

type ObserveCalls = Readonly<Record<'acquirer' | 'bank' | 'pix', ObserveCallsOf>>;

function observeCalls({ metrics, peerCalls }: StartContext): ObserveCalls {
  const observing = (peer: PeerName, described: typeof BANK_CALL_DURATION_SECONDS): ObserveCallsOf => {
    const calls = metrics.histogram(described);
    return (provider) => (operation, answer, seconds) => {
      calls.observe({ operation, result: answer.kind }, seconds);
      peerCalls.note(peer, provider, operation, answer, seconds);
    };
  };
  return {
    acquirer: observing('acquirer', ACQUIRER_CALL_DURATION_SECONDS),
    bank: observing('bank', BANK_CALL_DURATION_SECONDS),
    pix: observing('pix', PIX_CALL_DURATION_SECONDS),
  };
}

type NamedProviders = {
  readonly acquirer: Acquirer | null;
  readonly bank: Bank | null;
  readonly pixBank: PixBank | null;
  readonly observe: ObserveCalls;
};

/** Providers of the settings and of the table. Production needs one acquirer. */
export async function openProviders(
  start: StartContext,
  { database, keyring }: { readonly database: Database; readonly keyring: Keyring },
  { acquirer, bank, pixBank, observe }: NamedProviders,
): Promise<OpenedProviders> {
  const { configuration, closings, gate, log } = start;
  const { environment } = configuration;
  const providerTable = await openProviderTable({ database, keyring, log, closings });
  const acquirers = await openAcquirers(providerTable, {
    environment,
    gate,
    byDefault: acquirer,
    observe: observe.acquirer,
  });
  const banks = await openBanks(providerTable, {
    environment,
    gate,
    byDefault: bank,
    database,
    observe: observe.bank,
  });
  const pixBanks = await openPixBanks(providerTable, { gate, byDefault: pixBank, observe: observe.pix });
  if (acquirers.all().length === 0)
    throw new Error(
      'PARCELA_ACQUIRER_URL: production needs a bridge to an acquirer; name it, or add one with `parcela provider add`',
    );
  return { providerTable, acquirers, banks, pixBanks };
}

/** The bank of the settings, or its simulator; null: none. */
export async function openNamedBank(
  start: StartContext,
  url: string | null,
  observeOf: ObserveCallsOf,
): Promise<Bank | null> {
  if (url === null) return null;
  const { configuration, closings, metrics, gate, log } = start;
  const channel = await openChannel(configuration.bank.channel, {
    connectTimeoutMilliseconds: BANK_CONNECT_MILLISECONDS,
    ...observeChannel({ log, metrics }, 'bank', 'changed files of the channel to the bank are no good'),
  });
  closings.push({ name: 'channel to the bank', close: async () => channel.close() });
  const { bank, warning } = await openBank(url, channel, {
    isRealOnly: configuration.environment === 'production',
    observe: observeOf(DEFAULT_PROVIDER),
  });
  closings.push({ name: 'bank', close: () => bank.close() });
  if (warning !== null) sayWarning(warning);
  return BANK_PORT.gated(bank, () => whyHeld(gate));
}

/**
 * Where clocks can be moved, the simulated bank follows each merchant's clock for Pix Automático; other banks
 * ignore these headers.
 */
function headersOfClock(merchantId: string, clock: BusinessClock): Readonly<Record<string, string>> {
  return { 'x-parcela-now': utcText(clock.now(merchantId)), 'x-parcela-clock': merchantId };
}

/** The bank of Pix of the settings, or its simulator; null: none. */
export async function openNamedPixBank(
  start: StartContext,
  simulatorUrl: string | null,
  { observe: observeOf, clock }: { readonly observe: ObserveCallsOf; readonly clock: BusinessClock },
): Promise<PixBank | null> {
  const { configuration, closings, metrics, gate, log } = start;
  const { url, settings } = configuration.pix;
  const observe = observeOf(DEFAULT_PROVIDER);
  const open = async () => {
    const opened = await openChannel(configuration.pix.channel, {
      connectTimeoutMilliseconds: PIX_CONNECT_MILLISECONDS,
      ...observeChannel(
        { log, metrics },
        'pix',
        'changed files of the channel to the bank of Pix are no good',
      ),
    });
    closings.push({ name: 'channel to the bank of Pix', close: async () => opened.close() });
    return opened;
  };
  const headersOf = (merchantId: string) => headersOfClock(merchantId, clock);
  const simulated = () =>
    simulatorUrl === null
      ? null
      : openSimulatedPixBank({ url: simulatorUrl, settings }, { observe, headersOf });
  const isTold = configuration.environment === 'homologation' && settings.testClock === 'told';
  const told = isTold ? { observe, headersOf } : { observe };
  const bank = url === null ? simulated() : openPixBank({ url, settings }, await open(), told);
  if (bank === null) return null;
  closings.push({ name: 'bank of Pix', close: () => bank.close() });
  return PIX_PORT.gated(bank, () => whyHeld(gate));
}

export function batchedWith(metrics: Metrics): ModuleContext['batched'] {
  const rowsWritten = metrics.histogram(BATCHED_WRITE_ROWS);
  return (options) =>
    batchWrites({
      ...options,
      onBatch: (rows) => rowsWritten.observe({ statement: options.name }, rows),
    });
}
