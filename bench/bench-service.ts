import { openSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDemoMerchant, type Demo } from '../homologation/create-demo-merchant.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../homologation/embedded-postgres/launcher.ts';
import type { Keyring } from '../src/keys/open-keyring.ts';
import { type Database, openDatabase, statement } from '../src/platform/postgres/database.ts';
import { type AuditedTools, auditedTools, keyFileIn, rememberKeyFile } from '../test/kit/keys.ts';
import { logIn } from '../test/kit/merchant.ts';
import {
  databaseUrl,
  openAuditor,
  type Service,
  startService,
  startTestSimulator,
  type TestSimulator,
} from '../test/kit/service.ts';
import { type Carriers, createEncryptedCards, createTokens, createVaultCards } from './load/carriers.ts';
import { COUNTING_SETTINGS, type PaymentKind } from './load/payment-kinds.ts';
import type { Load } from './load/wrk-load.ts';

/** PostgreSQL, simulator and services as they are started by anybody, each a process of its own. */
export type BenchService = {
  readonly server: EmbeddedPostgres;
  readonly postgresVersion: string;
  readonly simulator: TestSimulator;
  /** For what is written in bulk, with files beside it. */
  readonly tools: AuditedTools;
  readonly folder: string;
  /** The service that takes payments of this kind, started when it is asked for first. */
  serviceFor(kind: PaymentKind): Promise<Service>;
  /**
   * Ends all services, so that what they would act on can be loaded in peace; `serviceFor` starts a
   * new one then.
   */
  stopServices(): Promise<void>;
  /** New carriers, so that there are enough for `payments`, and a new access token. */
  loadOf(kind: PaymentKind, payments: number): Promise<Load>;
  close(): Promise<void>;
};

/** A shop that has been selling for a while. */
const VAULT_CARDS = 10_000;

const SETTINGS = {
  PARCELA_REQUESTS_PER_SECOND_PER_CREDENTIAL: '1000000',
  PARCELA_REQUESTS_PER_SECOND_PER_ADDRESS: '1000000',
  PARCELA_REQUESTS_PER_SECOND_PER_MERCHANT: '1000000',
};

/** A profile is read through the inspector, which production never opens. */
const INSPECTED = ['--inspect=127.0.0.1:0'];

const READ_VERSION = statement('bench.read_version', "select current_setting('server_version') as version");

export type BenchOptions = {
  /** Of the server, beside those that it has anyhow, by their names in its configuration. */
  readonly serverSettings?: Readonly<Record<string, string>>;
  /** What is in it stays there, for the next run; null: a new folder, which goes in the end. */
  readonly keptFolder?: string | null;
};

export async function openBenchService(options: BenchOptions = {}): Promise<BenchService> {
  const { serverSettings = {}, keptFolder = null } = options;
  if (keptFolder !== null) await mkdir(keptFolder, { recursive: true });
  const folder = keptFolder ?? (await mkdtemp(join(tmpdir(), 'parcela-bench-')));
  const server = await startServer(folder, serverSettings);
  // Its ledger is an oracle for faults; here it stands for somebody else's machine, whose disk is not ours.
  const simulator = await startTestSimulator(join(folder, 'ledger'), ['--ledger-sync', 'off']);
  const database = openDatabase(server.connection, () => {});
  const services = new Map<string, Promise<Service>>();

  const start = (name: string, settings: Readonly<Record<string, string>>): Promise<Service> => {
    const known = services.get(name);
    if (known !== undefined) return known;
    const starting = startService({
      folder: join(folder, name),
      logFile: openSync(join(folder, `${name}.log`), 'w'),
      nodeOptions: INSPECTED,
      settings: {
        DATABASE_URL: databaseUrl(server.connection),
        PARCELA_ACQUIRER_URL: simulator.url,
        PARCELA_KEY_FILE: keyFileIn(folder),
        ...SETTINGS,
        ...settings,
      },
    });
    services.set(name, starting);
    return starting;
  };
  const serviceFor = (kind: PaymentKind) =>
    kind.isCounted ? start('counting', COUNTING_SETTINGS) : start('plain', {});

  const stopServices = async () => {
    for (const service of services.values()) await (await service).stop();
    services.clear();
  };

  // The first service makes the keys and the tables.
  await start('plain', {});
  rememberKeyFile(server.connection.database, keyFileIn(folder));
  const { keyring, demo } = await openShop(database, folder);
  const [about] = await database.query(READ_VERSION, []);
  const makeLoad = loadMaker({ database, keyring, demo, folder });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeAll();
    return closing;
  };
  async function closeAll(): Promise<void> {
    await database.close();
    await stopServices();
    await simulator.stop();
    await server.stop();
    // As root the server's files are kept elsewhere.
    const made = keptFolder === null ? [server.place, folder] : [];
    for (const path of made) await rm(path, { recursive: true, force: true });
    for (const signal of signals) process.removeListener(signal, closeAndEnd);
  }
  // Services and PostgreSQL outlive whoever started them.
  const closeAndEnd = () => void close().finally(() => process.exit(1));
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, closeAndEnd);
  return {
    server,
    postgresVersion: about?.version as string,
    simulator,
    tools: await auditedTools(database),
    folder,
    serviceFor,
    stopServices,
    loadOf: async (kind, payments) => makeLoad(await serviceFor(kind), kind, payments),
    close,
  };
}

/** Some of its settings hold from a start on. */
async function startServer(
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ folder, say: console.error });
  if (Object.keys(settings).length === 0) return server;
  const auditor = openAuditor(server.connection);
  try {
    for (const [name, value] of Object.entries(settings))
      await auditor.query(`alter system set ${name} = '${value}'`);
  } finally {
    await auditor.close();
  }
  await server.stop();
  return startEmbeddedPostgres({ folder, say: console.error });
}

async function openShop(database: Database, folder: string): Promise<{ keyring: Keyring; demo: Demo }> {
  const tools = await auditedTools(database);
  const file = join(folder, 'demo.json');
  await createDemoMerchant(tools, file, { gatewayUrl: '', integrationUrl: '' });
  const demo = (await import(file, { with: { type: 'json' } })).default as Demo;
  return { keyring: tools.keyring, demo };
}

function loadMaker(shop: { database: Database; keyring: Keyring; demo: Demo; folder: string }) {
  const tools = { ...shop, merchantId: shop.demo.merchantId };
  let vaultCards: Promise<Carriers> | undefined;
  return async ({ gatewayUrl }: Service, kind: PaymentKind, payments: number): Promise<Load> => {
    const accessToken = await logIn(gatewayUrl, shop.demo.gateway);
    const file = join(shop.folder, `${kind.cardSource}s`);
    const make = {
      numberToken: () => createTokens(tools, file, payments),
      vaultId: () => {
        vaultCards ??= createVaultCards(tools, file, VAULT_CARDS);
        return vaultCards;
      },
      encryptedCard: () =>
        createEncryptedCards({ gatewayUrl, accessToken, merchantId: tools.merchantId }, file, payments),
    };
    return { gatewayUrl, accessTokens: [accessToken], kind, carriers: await make[kind.cardSource]() };
  };
}
