import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createDemoMerchant, type Demo, type DemoLogin } from '../homologation/create-demo-merchant.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../homologation/embedded-postgres/launcher.ts';
import { SETTINGS } from '../src/app/settings.ts';
import { createMerchant } from '../src/merchants/create-merchant.ts';
import { createCredential } from '../src/merchants/credentials/create-credential.ts';
import { migrate } from '../src/platform/migrations/migrations.ts';
import { openDatabase } from '../src/platform/postgres/database.ts';
import type { TestDatabaseAddress } from '../test/kit/database.ts';
import { auditedTools, keyFileIn, rememberKeyFile } from '../test/kit/keys.ts';
import { databaseUrl, until } from '../test/kit/service.ts';
import { type CancelSpoiler, openCancelSpoiler } from './cancel-interceptor.ts';
import { chanceFrom } from './chance.ts';
import {
  ACQUIRER_SETTINGS,
  type ChaosAcquirer,
  type ChaosSimulator,
  openAcquirers,
  openSimulator,
  portsOf,
} from './chaos-simulators.ts';
import { pixSettings } from './pix/bank-settings.ts';
import { type MerchantSystem, openMerchantSystems, SYSTEM_NAMES } from './webhooks/merchant-system.ts';

const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));

/** Short, for most of a round is waiting for an acquirer that says nothing. */
const ACQUIRER_TIMEOUT_MILLISECONDS = 500;
/** As short as the configuration allows: a lease is the deadline and five seconds more. */
export const DEADLINE_MILLISECONDS = 3_000;
/** Another acquirer is asked only with three seconds left. */
const ROUTING_DEADLINE_MILLISECONDS = 5_000;

/**
 * A client that lost the connection asks after the deadline and a second: until then what was sent
 * may still begin.
 */
export function certainAfterMilliseconds({ deadlineMilliseconds }: ChaosBench): number {
  return deadlineMilliseconds + 1_000;
}

/** The deadline and the margin behind it, less what two clocks of one machine may differ. */
export function shortestLeaseMilliseconds({ deadlineMilliseconds }: ChaosBench): number {
  return deadlineMilliseconds + 5_000 - 250;
}

/** What the operator keeps of a sale in one installment and in several, in hundredths of a percent. */
export const FEE_PORTIONS = { one: 249, several: 333 };

/** A merchant who pays in the suite. */
export type Shop = {
  readonly merchantId: string;
  readonly accountNumber: string;
  readonly login: DemoLogin;
  /** For the Other APIs. */
  readonly integration: DemoLogin;
  /** For plans and subscriptions. */
  readonly recurrence: DemoLogin;
};

/**
 * What outlives the gateways: PostgreSQL, the simulator, the merchants. All of it is ours, and may
 * be killed too.
 */
export type ChaosBench = {
  readonly folder: string;
  readonly shops: readonly Shop[];
  /** The systems that notifications go to, one for each shop; none by default. */
  readonly systems: readonly MerchantSystem[];
  readonly address: TestDatabaseAddress;
  readonly simulatorUrl: string;
  /** The bank's simulator, where the suite wants one. */
  readonly bank: ChaosSimulator | null;
  /** The simulated bank of Pix, where the suite wants one. */
  readonly pixBank: ChaosSimulator | null;
  /** Rede and Cielo, simulated, where the suite wants them. */
  readonly acquirers: readonly ChaosAcquirer[];
  /** Between the gateways and the simulator. */
  readonly cancelSpoiler: CancelSpoiler;
  /** Settings of a gateway, less its database. */
  readonly settings: Readonly<Record<string, string>>;
  /** How long a request may take. */
  readonly deadlineMilliseconds: number;
  /** Where PostgreSQL keeps its files. */
  readonly databaseFolder: string;
  readonly server: () => EmbeddedPostgres;
  /** Whether PostgreSQL has ended although nobody stopped it. */
  hasServerEnded(): boolean;
  /** Asks the database beside the gateways, again and again while it is away. */
  query(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** A connection of one's own, for holding locks. */
  connect(): Promise<pg.Client>;
  /** Starts PostgreSQL anew after its end, whatever ended it. */
  restartServer(): Promise<void>;
  /** kill -9, and a new start on the same port and ledger. */
  killSimulator(): Promise<void>;
  restartSimulator(): Promise<void>;
  /** SIGSTOP and SIGCONT: what lies in its sockets meanwhile it reads afterwards. */
  pauseSimulator(): void;
  resumeSimulator(): void;
  close(): Promise<void>;
};

export type BenchOptions = {
  /** Where the database is to be, instead of the bench's own folder. */
  readonly databaseFolder?: string | null;
  /** The merchants have systems that are notified. */
  readonly hasSystems?: boolean;
  /** The services have a bank. */
  readonly hasBank?: boolean;
  /** The services have a bank of Pix, which tells them of what happens. */
  readonly hasPixBank?: boolean;
  /** There are a simulated Rede and a simulated Cielo. */
  readonly hasAcquirers?: boolean;
  /** How many merchants there are: two, or one for each system. */
  readonly shops?: number;
  /** Migrates and makes the merchants, instead of this version. */
  readonly openShops?: (place: BenchPlace) => Promise<Shop[]>;
  /** Another PostgreSQL than one of the bench's own; `root` is a folder that everybody passes through. */
  readonly openServer?: (root: string) => Promise<BenchServer>;
};

/** What the merchants are made on. */
type BenchPlace = { readonly address: TestDatabaseAddress; readonly folder: string };

/** PostgreSQL as the bench has it. */
export type BenchServer = {
  readonly address: TestDatabaseAddress;
  readonly current: () => EmbeddedPostgres;
  readonly hasEnded: () => boolean;
  readonly restart: () => Promise<void>;
};

export async function openChaosBench(seed: number, options: BenchOptions = {}): Promise<ChaosBench> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-faults-'));
  const databaseFolder = options.databaseFolder ?? folder;
  const server = await (options.openServer ?? openServer)(databaseFolder);
  const { address } = server;
  const shops = await (options.openShops ?? makeShops(options))({ address, folder });
  const systems = options.hasSystems ? await openMerchantSystems(chanceFrom(seed).fork('systems')) : [];
  const simulator = await openSimulator(join(folder, 'ledger'));
  const bank = options.hasBank ? await openSimulator(join(folder, 'bank'), 'bank') : null;
  const pixBank = options.hasPixBank ? await openSimulator(join(folder, 'pix'), 'pix') : null;
  const acquirers = options.hasAcquirers ? await openAcquirers(folder) : [];
  const deadlineMilliseconds = options.hasAcquirers ? ROUTING_DEADLINE_MILLISECONDS : DEADLINE_MILLISECONDS;
  const cancelSpoiler = await openCancelSpoiler(simulator.url, chanceFrom(seed).fork('cancels'));
  const pool = new pg.Pool({ ...address, max: 3, application_name: 'faults' });
  pool.on('error', quiet);
  return {
    folder,
    shops,
    systems,
    address,
    simulatorUrl: simulator.url,
    bank,
    pixBank,
    acquirers,
    cancelSpoiler,
    settings: {
      ...gatewaySettings(cancelSpoiler.url, folder, deadlineMilliseconds),
      ...(bank === null ? {} : { PARCELA_BANK_URL: bank.url }),
      ...(pixBank === null ? {} : await pixSettings(folder, pixBank.url)),
      ...(options.hasAcquirers ? { ...ACQUIRER_SETTINGS, ...portsOf(acquirers) } : {}),
    },
    deadlineMilliseconds,
    databaseFolder,
    server: server.current,
    hasServerEnded: server.hasEnded,
    restartServer: server.restart,
    killSimulator: simulator.kill,
    restartSimulator: simulator.restart,
    pauseSimulator: () => simulator.signal('SIGSTOP'),
    resumeSimulator: () => simulator.signal('SIGCONT'),
    query: (text, values = []) => queryWhenBack(pool, text, values),
    connect: async () => {
      const client = new pg.Client({ ...address, application_name: 'faults' });
      client.on('error', quiet);
      await client.connect();
      return client;
    },
    close: async () => {
      await pool.end();
      await cancelSpoiler.close();
      await Promise.all(systems.map((system) => system.goAway()));
      await simulator.stop();
      await bank?.stop();
      await pixBank?.stop();
      await Promise.all(acquirers.map((acquirer) => acquirer.stop()));
      await server.current().stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const quiet = () => {};

/** PostgreSQL of our own, so that it may be killed. */
async function openServer(folder: string): Promise<BenchServer> {
  // Under root the server runs as another account, which must pass through.
  await chmod(folder, 0o711);
  let hasEnded = false;
  const start = async () => {
    const started = await startEmbeddedPostgres({ folder, say: quiet });
    hasEnded = false;
    void started.exited.then(() => {
      hasEnded = true;
    });
    return started;
  };
  let server = await start();
  return {
    address: server.connection,
    current: () => server,
    hasEnded: () => hasEnded,
    restart: async () => {
      await server.stop();
      server = await start();
    },
  };
}

/**
 * As short for charges that nobody waits for: longer than a checkout's, and under the delays of a
 * slow acquirer twice.
 */
const BILLING_SETTINGS = {
  PARCELA_BILLING_ACQUIRER_TIMEOUT_MILLISECONDS: '2000',
  PARCELA_BILLING_SEARCH_MILLISECONDS: '2000',
};

function gatewaySettings(acquirerUrl: string, folder: string, deadline: number): Record<string, string> {
  return {
    PARCELA_ACQUIRER_URL: acquirerUrl,
    PARCELA_KEY_FILE: keyFileIn(folder),
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: String(ACQUIRER_TIMEOUT_MILLISECONDS),
    PARCELA_REQUEST_DEADLINE_MILLISECONDS: String(deadline),
    PARCELA_REQUESTS_PER_SECOND_PER_CREDENTIAL: '1000000',
    PARCELA_REQUESTS_PER_SECOND_PER_ADDRESS: '1000000',
    PARCELA_REQUESTS_PER_SECOND_PER_MERCHANT: '1000000',
    PARCELA_FEES: `any:1=${FEE_PORTIONS.one / 100}, any:2-99=${FEE_PORTIONS.several / 100}`,
    PARCELA_LOG_LEVEL: 'error',
    ...knownSettings({ ...BILLING_SETTINGS, PARCELA_STORED_COPIES: '1000000' }),
  };
}

/** Those that this version has: the suites are run against earlier ones too. */
function knownSettings(wanted: Readonly<Record<string, string>>): Record<string, string> {
  const names = new Set(SETTINGS.map(({ name }) => name));
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => names.has(name)));
}

/** The address with which a gateway is started. */
export function addressSettings(address: TestDatabaseAddress): Record<string, string> {
  return { DATABASE_URL: databaseUrl(address) };
}

async function queryWhenBack(
  pool: pg.Pool,
  text: string,
  values: readonly unknown[],
): Promise<Record<string, unknown>[]> {
  let reason = '';
  const found = await until(
    `the database answers ${text.slice(0, 60)}`,
    async () => {
      try {
        return (await pool.query(text, [...values])).rows as Record<string, unknown>[];
      } catch (error) {
        reason = String(error);
        // A mistake in the question does not go away by waiting.
        if (/^42/.test((error as { code?: string }).code ?? '')) throw error;
        return null;
      }
    },
    120_000,
  ).catch((error: Error) => {
    throw new Error(`${error.message}: ${reason}`);
  });
  return found;
}

/** Several merchants: what is one's must never become another's. */
const makeShops =
  ({ shops, hasSystems }: BenchOptions) =>
  async ({ address, folder }: BenchPlace): Promise<Shop[]> => {
    await migrate(address, MIGRATIONS, quiet);
    return openShops(address, folder, shops ?? (hasSystems ? SYSTEM_NAMES.length : 2));
  };

async function openShops(address: TestDatabaseAddress, folder: string, count: number): Promise<Shop[]> {
  const database = openDatabase(address, () => {});
  try {
    const file = join(folder, 'demo.json');
    rememberKeyFile(address.database, keyFileIn(folder));
    const tools = await auditedTools(database);
    await createDemoMerchant(tools, file, { gatewayUrl: '', integrationUrl: '' });
    const demo = JSON.parse(await readFile(file, 'utf8')) as Demo;
    const { merchantId, accountNumber, gateway, integration, recurrence } = demo;
    const shops: Shop[] = [{ merchantId, accountNumber, login: gateway, integration, recurrence }];
    for (const more of MORE_SHOPS.slice(0, count - 1)) shops.push(await openShop(tools, more));
    return shops;
  } finally {
    await database.close();
  }
}

export const MORE_SHOPS = [
  { merchantId: '01700555550001', accountNumber: '2000001', cnpj: '11.444.777/0001-61' },
  { merchantId: '01700555550002', accountNumber: '3000001', cnpj: '12.345.678/0001-95' },
] as const;

async function openShop(
  tools: Awaited<ReturnType<typeof auditedTools>>,
  { merchantId, accountNumber, cnpj }: (typeof MORE_SHOPS)[number],
): Promise<Shop> {
  await createMerchant(tools, {
    merchantId,
    cnpj,
    legalName: `Loja ${accountNumber} Ltda.`,
    contact: { name: 'Equipe', email: 'loja@example.com', phone: '+55 11 4000 0001' },
    accountNumbers: [accountNumber],
    productionAddresses: [],
    softDescriptor: null,
    businessAddress: null,
  });
  const loginFor = async (scope: 'gateway' | 'integration' | 'recurrence') => {
    const wanted = { merchantId, accountNumber: null, userName: null, scopes: [scope], allowedAddresses: [] };
    const made = await createCredential({ ...tools, enforceAddresses: false }, wanted);
    if ('refusal' in made) throw new Error(`the login of ${merchantId} was refused: ${made.refusal}`);
    return { userName: made.credential.userName, password: made.password };
  };
  const login = await loginFor('gateway');
  const [integration, recurrence] = [await loginFor('integration'), await loginFor('recurrence')];
  return { merchantId, accountNumber, login, integration, recurrence };
}
