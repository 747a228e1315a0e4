import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import type { Demo } from '../../homologation/create-demo-merchant.ts';
import type { Simulator } from '../../homologation/start-simulator.ts';
import { programOf } from '../../src/platform/home.ts';
import { cheapHash } from './cheap-password.ts';
import { createTestDatabase, furnishedTemplate, runSql, type TestDatabase } from './database.ts';
import { makeDemoMerchant } from './demo-merchant.ts';
import { keyFileIn, rememberKeyFile } from './keys.ts';
import { patiently } from './patience.ts';
import { type OpenedService, type RunningService, type ServiceHere, settingsIn } from './running-service.ts';

const MAIN = programOf('src/main.ts');
const READY_MILLISECONDS = 60_000;
const LONGEST_PAUSE_MILLISECONDS = 500;

/** The real program, in a process of its own: to be killed, signalled, or watched as it starts and ends. */
export type Service = RunningService & {
  readonly process: ChildProcess;
  /** Lines of the talk to the person (standard error). */
  readonly said: readonly string[];
  /** SIGTERM; gives the exit code. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
};

export type ServiceOptions = {
  readonly folder: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Where the log goes instead of `log`: an open file. */
  readonly logFile?: number;
  /** Options of Node; those of `npm start` unless others are given. */
  readonly nodeOptions?: readonly string[];
  /** Another program than this checkout's `src/main.ts`: `bin/parcela` of a release. */
  readonly program?: string;
  /** The `src/main.ts` of another version. */
  readonly main?: string;
};

/** As the script `start` of package.json has them. */
const NODE_OPTIONS = ['--disable-sigusr1'];

/** The environment of a child: ours, less the settings of whoever runs the tests. */
export function cleanEnvironment(settings: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('PARCELA_') && name !== 'DATABASE_URL' && !name.startsWith('NODE_TEST'),
  );
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...settings };
}

/** Which the last release does not know. */
const NEW_SETTINGS = ['PARCELA_REQUESTS_PER_SECOND_PER_ADDRESS'];

function settingsOf({ folder, settings, main }: ServiceOptions): Record<string, string> {
  const all = Object.entries(settingsIn(folder, settings));
  return Object.fromEntries(main === undefined ? all : all.filter(([name]) => !NEW_SETTINGS.includes(name)));
}

/** What is said is a line of the log where that is for programs. */
const sentenceOf = (line: string): string => (line.startsWith('{') ? JSON.parse(line).msg : line);

/** Starts `src/main.ts` and waits until it says that it is ready. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const [file, words] =
    options.program === undefined
      ? [
          process.execPath,
          [...(options.nodeOptions ?? NODE_OPTIONS), ...(options.main === undefined ? MAIN : [options.main])],
        ]
      : [options.program, ['serve']];
  const child = spawn(file, words, {
    env: cleanEnvironment(settingsOf(options)),
    stdio: ['ignore', options.logFile ?? 'pipe', 'pipe'],
  });
  const log: string[] = [];
  const said: string[] = [];
  if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', (line) => log.push(line));
  const lines = createInterface({ input: child.stderr as NodeJS.ReadableStream });
  const urls = new Map<string, string>();
  let isReady = false;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => fail('it was not ready in time'), patiently(READY_MILLISECONDS));
    const fail = (reason: string) => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(
        new Error(`the service did not start: ${reason}\n${said.join('\n')}\n${log.slice(-5).join('\n')}`),
      );
    };
    child.once('exit', (code) => fail(`it ended with ${code}`));
    lines.on('line', (line) => {
      said.push(line);
      const reported = /^ {2}(Gateway API|Other APIs|Health|Metrics) +(\S+)$/.exec(sentenceOf(line));
      if (reported?.[1] !== undefined) urls.set(reported[1], reported[2] as string);
      // Of the addresses the last.
      if (!urls.has('Metrics') || isReady) return;
      isReady = true;
      clearTimeout(timer);
      child.removeAllListeners('exit');
      resolve();
    });
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  // A process that is not there for callers has an address for health alone.
  const gatewayUrl = urls.get('Gateway API') ?? urls.get('Health')?.replace('/health/ready', '');
  return {
    gatewayUrl: gatewayUrl as string,
    integrationUrl: urls.get('Other APIs') ?? (gatewayUrl as string),
    metricsUrl: urls.get('Metrics') as string,
    folder: options.folder,
    process: child,
    log,
    said,
    demo: () => demoIn(options.folder),
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** A process beside a service in the lane, on the same database: to be asked and killed. */
export type OwnProcess = { running(): Promise<Service>; stop(): Promise<unknown> };

/** Of the tests of a file a few kill: the one process that they ask runs until it is killed. */
export function openOwnProcess(options: ServiceOptions): OwnProcess {
  let own: Service | null = null;
  return {
    async running() {
      const isGone = own !== null && (own.process.exitCode ?? own.process.signalCode) !== null;
      if (own !== null && !isGone) return own;
      const started = await startService(options);
      own = started;
      // On a busy machine its first connection takes longer than a request may wait.
      await until('it is ready', async () => (await fetch(`${started.gatewayUrl}/health/ready`)).ok);
      return started;
    },
    stop: async () => own?.stop(),
  };
}

export type { OpenedService, RunningService, ServiceHere, Simulator };

/** All of the service that is running, another one after a restart, and what a test has beside it. */
export function currentService<R extends RunningService, B extends object>(
  running: () => R,
  beside: B,
): R & B {
  return new Proxy(beside, {
    get: (target, name) => Reflect.get(name in target ? target : running(), name),
  }) as R & B;
}

export type TestSimulator = { readonly url: string; readonly process: ChildProcess; stop(): Promise<void> };

/** The simulator by itself, so that it outlives the service: an oracle must not die with what it judges. */
export async function startTestSimulator(
  folder: string,
  options: readonly string[] = [],
  program: 'acquirer' | 'bank' | 'pix' | 'rede' | 'cielo' = 'acquirer',
  environment: Readonly<Record<string, string>> = {},
): Promise<TestSimulator> {
  const child = spawn(
    process.execPath,
    [
      ...programOf(`simulators/${program}/main.ts`),
      '--port',
      '0',
      '--host',
      '127.0.0.1',
      '--data',
      folder,
      '--exit-with-parent',
      ...options,
    ],
    { stdio: ['pipe', 'pipe', 'inherit'], env: cleanEnvironment(environment) },
  );
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the simulator ended with ${code}`)));
    createInterface({ input: child.stdout }).once('line', (line) =>
      resolve((JSON.parse(line) as { port: number }).port),
    );
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    process: child,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** `postgres://…` for a database behind a Unix socket or a port. */
export function databaseUrl({ host, port, user, password, database }: TestDatabase['address']): string {
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return `postgres://${login}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}

/** Each connection plans each statement for itself: with fewer than usual a file costs a tenth less. */
export const TEST_CONNECTIONS = 5;

/** The settings of a service on a test database: it works as a role that owns nothing, as in production. */
export function databaseSettings(
  { address, runtime }: Pick<TestDatabase, 'address' | 'runtime'>,
  reachedAt: TestDatabase['address'] = runtime,
): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl(reachedAt),
    PARCELA_OWNER_DATABASE_URL: databaseUrl(address),
    PARCELA_DATABASE_CONNECTIONS: String(TEST_CONNECTIONS),
  };
}

export type TestRows = Record<string, unknown>[];

/** Looks into the database beside the service, as an auditor would. */
export type Auditor = { query(text: string, values?: unknown[]): Promise<TestRows>; close(): Promise<void> };

export function openAuditor(address: TestDatabase['address']): Auditor {
  const pool = new pg.Pool({ ...address, max: 2 });
  // The end of a pool does not wait for its connections: one that is cut when its database is
  // dropped would end the file.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    query: async (text, values = []) => (await pool.query(text, values)).rows as TestRows,
    close: () => pool.end(),
  };
}

type OnTestDatabase = {
  readonly database: TestDatabase;
  readonly auditor: Auditor;
  /** Ends and removes everything. */
  close(): Promise<void>;
};
export type TestService = OpenedService & OnTestDatabase;
export type TestProcess = Service & OnTestDatabase;

/**
 * A service with simulators and a demo merchant on a database of its own, opened in the process of the
 * tests: a real listener, real HTTP, a real PostgreSQL, and the run-time role.
 */
export async function openTestService(settings: Readonly<Record<string, string>> = {}): Promise<TestService> {
  return onTestDatabase(settings, openService, beginsOtherwise(settings) ? null : await furnished());
}

/** Other keys than usual, or fees of its own: a first start would not leave what the template holds. */
const beginsOtherwise = (settings: Readonly<Record<string, string>>) =>
  Object.keys(settings).some((name) => /^PARCELA_(ENVIRONMENT|CELL|KEY|FEES)/.test(name));

/** What a first start leaves: in the database, and in these files of the data folder. */
type Furnished = { readonly template: string; readonly files: Readonly<Record<string, string>> };
let furnishedOnce: Promise<Furnished> | undefined;

/** One first start makes keys and the demo merchant for all test services: it is most of the work of one. */
function furnished(): Promise<Furnished> {
  furnishedOnce ??= furnishedTemplate(async (draft) => {
    const folder = await mkdtemp(join(tmpdir(), 'parcela-furnished-'));
    const service = await openService({ folder, settings: databaseSettings(draft) });
    await service.stop();
    // A copy is another database: as one that was restored it would hold all work.
    await runSql(draft.address, 'delete from database_stamp; delete from service_beats');
    await makePasswordsCheap(draft.address, folder);
    const paths = [relative(folder, keyFileIn(folder)), 'demo.json'];
    const files = await Promise.all(
      paths.map(async (path) => [path, await readFile(join(folder, path), 'utf8')]),
    );
    await rm(folder, { recursive: true, force: true });
    return JSON.stringify(Object.fromEntries(files));
  }).then(({ name, note }) => ({ template: name, files: JSON.parse(note) }));
  return furnishedOnce;
}

/** Logins of the demo merchant, and of those that tests copy from it. */
async function makePasswordsCheap(owner: TestDatabase['address'], folder: string): Promise<void> {
  const demo = await demoIn(folder);
  const hashes = [demo.gateway, demo.recurrence, demo.integration].map(
    async ({ userName, password }) =>
      `update credentials set password_hash = '${await cheapHash(password)}' where user_name = '${userName}'`,
  );
  await runSql(owner, (await Promise.all(hashes)).join(';'));
}

/** A service in the process of the tests, as `startService` starts one in a process of its own. */
export async function openService(
  options: Pick<ServiceOptions, 'folder' | 'settings'>,
): Promise<ServiceHere> {
  // Loaded when it is asked for: files that only start processes load none of the service.
  const { openServiceHere } = await import('./service-here.ts');
  return openServiceHere({ settings: {}, ...options });
}

/** A simulator in the process of the tests: it outlives the service, as an oracle must. */
export async function openSimulator(
  folder: string,
  options: readonly string[] = [],
  program: 'acquirer' | 'bank' | 'pix' = 'acquirer',
): Promise<Simulator> {
  const { openSimulatorHere } = await import('./service-here.ts');
  return openSimulatorHere(program, ['--data', folder, ...options]);
}

/** The same as a process, for a test that kills, signals or watches it. */
export async function openTestProcess(settings: Readonly<Record<string, string>> = {}): Promise<TestProcess> {
  return onTestDatabase(settings, startService, beginsOtherwise(settings) ? null : await furnished());
}

async function onTestDatabase<S extends RunningService & { stop(): Promise<unknown> }>(
  settings: Readonly<Record<string, string>>,
  start: (options: { folder: string; settings: Record<string, string> }) => Promise<S>,
  from: Furnished | null = null,
): Promise<S & OnTestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-test-'));
  const database = from === null ? await bareDatabase(folder) : await copyOf(from, folder);
  const service = await start({ folder, settings: { ...databaseSettings(database), ...settings } });
  const auditor = openAuditor(database.address);
  const beside = {
    database,
    auditor,
    async close() {
      await service.stop();
      await auditor.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return Object.assign(service, beside);
}

/** A migrated database whose keys and demo merchant the first start in this folder makes. */
async function bareDatabase(folder: string): Promise<TestDatabase> {
  const database = await createTestDatabase({ migrated: true });
  rememberKeyFile(database.address.database, keyFileIn(folder));
  return database;
}

/**
 * A database and a data folder as a first start leaves them, for setups that start the service otherwise than
 * `openTestService`: behind a proxy, beside an acquirer of their own. Saves the work of a first start.
 */
export async function furnishedDatabase(
  folder: string,
  /** What the service will be set to, beside its database. */
  settings: Readonly<Record<string, string>>,
): Promise<TestDatabase> {
  if (!beginsOtherwise(settings)) return copyOf(await furnished(), folder);
  const database = await bareDatabase(folder);
  await makeDemoMerchant(database, folder);
  return database;
}

/** The logins of the demo merchant of a service in this folder. */
export async function demoIn(folder: string): Promise<Demo> {
  return JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8')) as Demo;
}

async function copyOf({ template, files }: Furnished, folder: string): Promise<TestDatabase> {
  const database = await createTestDatabase({ migrated: true, template });
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    await writeFile(join(folder, path), content, { mode: 0o600 });
  }
  rememberKeyFile(database.address.database, keyFileIn(folder));
  return database;
}

/** Looks again and again until the condition gives something; throws after the deadline. */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  deadlineMilliseconds = 30_000,
): Promise<T> {
  const startedAt = performance.now();
  for (let waited = 0; waited < patiently(deadlineMilliseconds); waited = performance.now() - startedAt) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    // The longer it takes, the less it matters to see it at once; looking costs what the service
    // could work with.
    await new Promise((wake) => setTimeout(wake, Math.min(LONGEST_PAUSE_MILLISECONDS, 10 + waited / 10)));
  }
  throw new Error(`waited in vain until ${what}`);
}
