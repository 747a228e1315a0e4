import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findRunningPostgres } from '../../homologation/embedded-postgres/launcher.ts';
import { placeOf } from '../../homologation/embedded-postgres/server-place.ts';
import { programOf } from '../../src/platform/home.ts';
import { startCollector } from '../kit/collector.ts';
import { runCommandHere } from '../kit/command.ts';
import { patiently } from '../kit/patience.ts';
import { openPixBank } from '../kit/pix-bank.ts';
import {
  type Auditor,
  cleanEnvironment,
  currentService,
  openAuditor,
  openSimulator,
  type Service,
  startService,
} from '../kit/service.ts';
import type { Marks } from './marks.ts';
import type { Sighting } from './watch-sinks.ts';

const SIMULATOR = programOf('simulators/acquirer/main.ts');
const PARCELA = programOf('src/cli/parcela.ts');
const WATCH = fileURLToPath(new URL('watch-sinks.ts', import.meta.url));

/**
 * A service on an embedded PostgreSQL, with a simulator beside it, both of them watched. Everything that
 * they keep lies in one folder, and everything that they say is kept here.
 */
export type WatchedService = Omit<Service, 'stop'> & {
  readonly marks: Marks;
  /** What the operator's disk would hold: data folder, database, the ledger of the simulator. */
  readonly folder: string;
  /** kill -9 and the next start, on the same folder. */
  restart(): Promise<void>;
  /** Without its acquirer, then with it again. */
  withoutAcquirer(act: () => Promise<void>): Promise<void>;
  /** One command of the operator, watched too; throws when it fails. */
  operate(words: readonly string[]): Promise<void>;
  /** The same of one that only reads: what it prints is kept. */
  read(words: readonly string[]): Promise<void>;
  openAuditor(): Promise<Auditor>;
  /** What service, simulator and commands wrote to their streams, over all starts. */
  streams(): string;
  sightings(): Promise<Sighting[]>;
  /** Where the files of the database are. */
  databaseFolder(): Promise<string>;
  stop(): Promise<void>;
  remove(): Promise<void>;
};
/** What is not the running service's own. */
type Beside = Omit<WatchedService, Exclude<keyof Service, 'stop' | 'folder'>>;

const COMMAND_MILLISECONDS = 60_000;
const SETTINGS = {
  PARCELA_LOG_LEVEL: 'debug',
  PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '600',
  PARCELA_REQUEST_DEADLINE_MILLISECONDS: '10000',
  PARCELA_LOGIN_FAILURES_PER_ADDRESS: '1000000',
};

type RunningSimulator = { readonly child: ChildProcess; readonly port: number; stop(): Promise<void> };

async function startSimulator(
  folder: string,
  port: number,
  environment: Record<string, string>,
  said: string[],
): Promise<RunningSimulator> {
  const child = spawn(
    process.execPath,
    [
      ...SIMULATOR,
      '--port',
      String(port),
      '--host',
      '127.0.0.1',
      '--data',
      folder,
      '--exit-with-parent',
      '--late-milliseconds',
      '900',
    ],
    { stdio: ['pipe', 'pipe', 'pipe'], env: cleanEnvironment(environment) },
  );
  createInterface({ input: child.stderr }).on('line', (line) => said.push(line));
  const first = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the simulator ended with ${code}: ${said.join('\n')}`)));
    createInterface({ input: child.stdout })
      .once('line', resolve)
      .on('line', (line) => said.push(line));
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    child,
    port: (JSON.parse(first) as { port: number }).port,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function openBanks(folder: string) {
  const bank = await openSimulator(join(folder, 'bank'), [], 'bank');
  const { pix, settings } = await openPixBank(folder);
  return {
    settings: { PARCELA_BANK_URL: bank.url, ...settings },
    stop: () => Promise.all([bank.stop(), pix.stop()]),
  };
}

const placeOfCommands = (folder: string) => ({
  PARCELA_ENVIRONMENT: 'homologation',
  PARCELA_DATA_DIR: folder,
});

/** What a watched command prints and says. */
async function operateOn(
  folder: string,
  settings: Readonly<Record<string, string>>,
  words: readonly string[],
): Promise<string[]> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...PARCELA, ...words], {
    env: cleanEnvironment({ ...settings, ...placeOfCommands(folder) }),
    timeout: patiently(COMMAND_MILLISECONDS),
    maxBuffer: 64 * 1024 * 1024,
  });
  return [stdout, stderr];
}

/** The same of one that only reads, in the process of the tests. */
async function readHere(folder: string, words: readonly string[]): Promise<string[]> {
  const { code, printed, said } = await runCommandHere(words, placeOfCommands(folder));
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${said}`);
  return [printed, said];
}

export async function openWatchedService(marks: Marks): Promise<WatchedService> {
  const desk = await mkdtemp(join(tmpdir(), 'parcela-marks-'));
  const folder = await mkdtemp(join(tmpdir(), 'parcela-leaks-'));
  // Under root PostgreSQL runs as another account, which must pass through to have its files here.
  await chmod(folder, 0o711);
  const report = join(desk, 'report.jsonl');
  const marksFile = join(desk, 'marks.json');
  await writeFile(marksFile, JSON.stringify(marks));
  await writeFile(report, '');
  const watched = { NODE_OPTIONS: `--import=${WATCH}`, LEAK_MARKS: marksFile, LEAK_REPORT: report };
  const said: string[] = [];
  const ledger = join(folder, 'simulator');
  let simulator = await startSimulator(ledger, 0, watched, said);
  const { port } = simulator;
  const banks = await openBanks(folder);
  // What goes to it is looked at like everything that leaves the process.
  const collector = await startCollector();
  const settings = {
    ...SETTINGS,
    ...watched,
    LEAK_ACQUIRER_PORT: String(port),
    PARCELA_ACQUIRER_URL: `http://127.0.0.1:${port}`,
    ...banks.settings,
    PARCELA_OTLP_URL: collector.url,
    PARCELA_TRACE_RATIO: '1',
  };
  let service = await startService({ folder, settings });
  const earlier: Service[] = [];
  return currentService<Service, Beside>(() => service, {
    marks,
    folder,
    async restart() {
      await service.kill();
      earlier.push(service);
      service = await startService({ folder, settings });
    },
    async withoutAcquirer(act) {
      await simulator.stop();
      await act();
      simulator = await startSimulator(ledger, port, watched, said);
    },
    async operate(words) {
      said.push(...(await operateOn(folder, settings, words)));
    },
    async read(words) {
      said.push(...(await readHere(folder, words)));
    },
    async openAuditor() {
      const connection = await findRunningPostgres(folder);
      if (connection === null) throw new Error(`no PostgreSQL runs for ${folder}`);
      return openAuditor(connection);
    },
    streams: () =>
      [...said, ...[...earlier, service].flatMap(({ log, said: reported }) => [...log, ...reported])].join(
        '\n',
      ),
    async sightings() {
      const lines = (await readFile(report, 'utf8')).split('\n').filter(Boolean);
      return lines.map((line) => JSON.parse(line) as Sighting);
    },
    databaseFolder: () => placeOf(folder),
    async stop() {
      await service.stop();
      await simulator.stop();
      await banks.stop();
      await collector.close();
    },
    async remove() {
      const place = await placeOf(folder);
      for (const path of [place, folder, desk]) await rm(path, { recursive: true, force: true });
    },
  });
}
