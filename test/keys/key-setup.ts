import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDemoMerchant, type Demo } from '../../homologation/create-demo-merchant.ts';
import { programOf } from '../../src/platform/home.ts';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import { type Ended, runCommandHere } from '../kit/command.ts';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';
import { type AuditedTools, auditedTools, keyFileIn, rememberKeyFile } from '../kit/keys.ts';
import {
  type Auditor,
  cleanEnvironment,
  databaseSettings,
  type OpenedService,
  openAuditor,
  openService,
  openSimulator,
  type Service,
  startService,
} from '../kit/service.ts';
import { startHereInVain } from '../kit/service-here.ts';

const PARCELA = programOf('src/cli/parcela.ts');
const MAIN = programOf('src/main.ts');

export type EndedProcess = Omit<Ended, 'code'> & { readonly code: number | null };
export type Running = { readonly child: ChildProcess; readonly ended: Promise<EndedProcess> };
type Settings = Readonly<Record<string, string>>;

/**
 * A database, a simulator and a key file that outlive the services and commands which come and go
 * on them.
 */
export type KeySetup = {
  readonly folder: string;
  readonly keyFile: string;
  readonly database: TestDatabase;
  readonly auditor: Auditor;
  readonly settings: Settings;
  startService(change?: Settings): Promise<Service>;
  /** The same in the process of the tests, which is asked and watched, and not killed. */
  openService(change?: Settings): Promise<OpenedService>;
  /** Starts the service where it is expected to refuse. */
  startInVain(change?: Settings): Promise<{ readonly code: number | null; readonly said: string }>;
  /** `parcela …` */
  parcela(words: readonly string[], change?: Settings): Promise<Ended>;
  /** The same in a process of its own. */
  runParcela(words: readonly string[], change?: Settings): Running;
  /** The demo merchant, made on the keys of the key file. */
  makeDemo(): Promise<{ readonly demo: Demo; readonly tools: AuditedTools }>;
  close(): Promise<void>;
};

export async function openKeySetup(): Promise<KeySetup> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-keys-'));
  const database = await createTestDatabase({ migrated: true });
  const simulator = await openSimulator(join(folder, 'ledger'));
  const auditor = openAuditor(database.address);
  const keyFile = keyFileIn(folder);
  const settings = {
    ...databaseSettings(database),
    PARCELA_DATA_DIR: folder,
    PARCELA_ACQUIRER_URL: simulator.url,
    PARCELA_PORT: '0',
    PARCELA_REQUEST_DEADLINE_MILLISECONDS: '30000',
  };
  const services: Service[] = [];
  const opened = new Set<OpenedService>();
  const databases: Database[] = [];
  const run = (program: readonly string[], words: readonly string[], change: Settings): Running => {
    const child = spawn(process.execPath, [...program, ...words], {
      env: cleanEnvironment(kept({ ...settings, ...change })),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { child, ended: endOf(child) };
  };
  return {
    folder,
    keyFile,
    database,
    auditor,
    settings,
    async startService(change = {}) {
      const service = await startService({ folder, settings: kept({ ...settings, ...change }) });
      services.push(service);
      return service;
    },
    async openService(change = {}) {
      const inside = await openService({ folder, settings: kept({ ...settings, ...change }) });
      const service = {
        ...inside,
        stop() {
          opened.delete(service);
          return inside.stop();
        },
      };
      opened.add(service);
      return service;
    },
    startInVain: (change = {}) =>
      // What is set for Node itself concerns a whole process.
      Object.keys(change).some((name) => name.startsWith('NODE_'))
        ? run(MAIN, [], change).ended
        : startHereInVain(kept({ ...settings, ...change })),
    parcela: (words, change = {}) => runCommandHere(words, kept({ ...settings, ...change })),
    runParcela: (words, change = {}) => run(PARCELA, words, change),
    async makeDemo() {
      const pool = openDatabase(database.runtime, () => {});
      databases.push(pool);
      rememberKeyFile(database.address.database, keyFile);
      const tools = await auditedTools(pool);
      await createDemoMerchant(tools, join(folder, 'demo.json'), { gatewayUrl: '', integrationUrl: '' });
      const { default: demo } = (await import(join(folder, 'demo.json'), { with: { type: 'json' } })) as {
        default: Demo;
      };
      return { demo, tools };
    },
    async close() {
      for (const service of services) if (service.process.exitCode === null) await service.kill();
      for (const service of opened) await service.stop();
      for (const pool of databases) await pool.close();
      await simulator.stop();
      await auditor.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A setting of "" is none at all. */
function kept(settings: Settings): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== ''));
}

function endOf(child: ChildProcess): Promise<EndedProcess> {
  const printed: Buffer[] = [];
  const said: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => printed.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => said.push(chunk));
  return new Promise((resolve) =>
    child.once('close', (code) =>
      resolve({ code, printed: Buffer.concat(printed).toString(), said: Buffer.concat(said).toString() }),
    ),
  );
}

/** How many rows are sealed under keys that are retired, and how many in all. */
export async function sealedRows(auditor: Auditor): Promise<{ underRetired: number; all: number }> {
  const [row] = await auditor.query(
    `select count(*) filter (where k.retired_at is not null)::int as retired, count(*)::int as total
     from (select data_key_id from card_tokens union all select data_key_id from vault_cards
           union all select data_key_id from card_key_pairs) s join data_keys k using (data_key_id)`,
  );
  return { underRetired: row?.retired as number, all: row?.total as number };
}

/** Stores cards as the service does, many at once: what a rotation finds in a vault that is in use. */
export async function fillVault(
  { auditor }: KeySetup,
  { keyring }: AuditedTools,
  merchantId: string,
  count: number,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => crypto.randomUUID());
  const sealed = ids.map((id) =>
    keyring.seal('card', `vault card|${merchantId}|${id}`, Buffer.from('5155901222280001')),
  );
  await auditor.query(
    `insert into vault_cards (merchant_id, vault_id, sealed_number, data_key_id, brand, first_six, last_four,
       expiration_month, expiration_year, holder_name, created_by)
     select $1, i.id, i.sealed, $2, 'mastercard', '515590', '0001', '12', '39', 'ANA SOUZA', 'test'
     from unnest($3::uuid[], $4::bytea[]) as i (id, sealed)`,
    [merchantId, sealed[0]?.dataKeyId, ids, sealed.map(({ bytes }) => bytes)],
  );
  return ids;
}
