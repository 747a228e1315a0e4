import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { freshBundle } from '../bin/bundle.mjs';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../homologation/embedded-postgres/launcher.ts';
import { type Calibration, judgeCosts, openCalibration, secondsOfTree } from './test-budget.ts';
import { changedFiles, findFiles } from './test-files.ts';
import { runFiles } from './test-lanes.ts';
import type { FileResult } from './test-report.ts';
import LONG_FILES from './test-seconds.json' with { type: 'json' };
import { openTurns } from './test-turns.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SERVER_VARIABLE = 'PARCELA_TEST_DATABASE_URL';
/** How databases are copied from their template. */
const STRATEGY_VARIABLE = 'PARCELA_TEST_DATABASE_STRATEGY';
/** How many times longer than on a quiet machine everything may take; measured unless it is set. */
const PATIENCE_VARIABLE = 'PARCELA_TEST_PATIENCE';
/** Set by long proofs: their tests may take longer. */
const LONG_VARIABLE = 'PARCELA_TEST_LONG';
/** On a quiet machine. */
const TEST_MILLISECONDS = 120_000;
const MOST_TIMES_LONGER = 60;
const LEAST_PATIENCE = 2;
const MOST_PATIENCE = 20;
/** So many files that failed run again, alone: more are no accident. To become none (0139). */
const MOST_FILES_AGAIN = 5;
/** Where files cost nothing to write, if there is room for all databases of a run. */
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_BYTES = 4 * 1024 ** 3;
/**
 * What is kept between runs: compiled modules, which every process of a test loads, and how long
 * each file took.
 */
const CACHE = join(ROOT, 'node_modules', '.cache', 'parcela-tests');
const SECONDS_FILE = join(CACHE, 'seconds.json');
/** Most of what a lane loads. */
const WHOLE_SERVICE = join(ROOT, 'test', 'kit', 'service-here.ts');

const HELP = `npm test [-- [--changed[=COMMIT]] [--until-finding] [files]]

Runs the tests, or the files given, on a PostgreSQL of its own in a temporary folder.
--changed runs those that what was changed since the last commit, or the one given, may concern.
--until-finding ends a file with the first test that fails by what it found.
${SERVER_VARIABLE}=postgres://user:password@host:port/database names another PostgreSQL.
${PATIENCE_VARIABLE}=4 multiplies all limits of time by 4; it is measured unless it is set.
`;

async function main(): Promise<number> {
  const words = process.argv.slice(2).map((word) => (word === '--changed' ? '--changed=HEAD' : word));
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      changed: { type: 'string' },
      'until-finding': { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  process.chdir(ROOT);
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stopping.abort(new Error(signal)));
  }
  const found = await findFiles(positionals);
  const chosen = values.changed === undefined ? found : changedFiles(found, values.changed);
  const seconds = await readSeconds();
  const files = longestFirst(chosen, seconds);
  if (files.length === 0) {
    console.log(`No file of tests fits ${positionals.join(' ')}.`);
    return 1;
  }
  process.env.NODE_COMPILE_CACHE ??= join(CACHE, 'compiled');
  // Else each process that is started would build it for itself.
  await freshBundle();
  await compileOnce(process.env.NODE_COMPILE_CACHE);
  const calibration = await openCalibration();
  const server = process.env[SERVER_VARIABLE] ? null : await startTestServer();
  try {
    if (server !== null) process.env[SERVER_VARIABLE] = server.url;
    const isWhole = positionals.length === 0 && values.changed === undefined;
    const isUntilFinding = values['until-finding'] === true;
    return await run(files, {
      isWhole,
      isUntilFinding,
      seconds,
      calibration,
      server,
      signal: stopping.signal,
    });
  } finally {
    calibration.stop();
    await server?.stop();
    await writeSeconds(seconds);
  }
}

/**
 * So that nobody waits for one at the end; of one of which nothing is known its folder tells: rules stand
 * beside the code and take no time.
 */
function longestFirst(files: readonly string[], seconds: ReadonlyMap<string, number>): string[] {
  const lengthOf = (file: string) => seconds.get(file) ?? (file.startsWith('test/') ? 5 : 0);
  return files.toSorted((one, other) => lengthOf(other) - lengthOf(one));
}

/** What the last runs took here; before the first one, what the longest files took elsewhere. */
async function readSeconds(): Promise<Map<string, number>> {
  const text = await readFile(SECONDS_FILE, 'utf8').catch(() => '{}');
  const here = JSON.parse(text) as Record<string, number>;
  return new Map(Object.entries({ ...LONG_FILES, ...here }));
}

async function writeSeconds(seconds: ReadonlyMap<string, number>): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  await writeFile(SECONDS_FILE, JSON.stringify(Object.fromEntries(seconds), null, 1));
}

/**
 * In a fresh clone: a process writes what it compiled at its end, and lanes that begin together would all
 * compile the same.
 */
async function compileOnce(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  const environment = { ...process.env, NODE_COMPILE_CACHE: folder };
  const load = `await import(${JSON.stringify(WHOLE_SERVICE)}); process.exit()`;
  const words = ['--input-type=module', '--eval', load];
  await promisify(execFile)(process.execPath, words, { env: environment }).catch(() => {});
}

type TestServer = { readonly url: string; readonly processId: number; stop(): Promise<void> };

async function startTestServer(): Promise<TestServer> {
  const isInMemory = await hasRoomInMemory();
  process.env[STRATEGY_VARIABLE] = isInMemory ? 'file_copy' : 'wal_log';
  const folder = await mkdtemp(join(isInMemory ? MEMORY_FOLDER : tmpdir(), 'parcela-tests-'));
  // Under root the server runs as another account, which must pass through.
  await chmod(folder, 0o711);
  let server: EmbeddedPostgres;
  try {
    server = await startEmbeddedPostgres({ folder, say: (line) => console.log(line) });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  const { host, port, user, password, database } = server.connection;
  await makeCheap(server.connection);
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return {
    url: `postgres://${login}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
    processId: server.processId,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Tests log in thousands of times, and pages are copied to the log behind each of a thousand checkpoints. */
async function makeCheap(owner: EmbeddedPostgres['connection']): Promise<void> {
  const client = new pg.Client(owner);
  await client.connect();
  try {
    const [name, password] = [client.escapeIdentifier(owner.user), client.escapeLiteral(owner.password)];
    await client.query('set scram_iterations = 1');
    await client.query(`alter role ${name} password ${password}`);
    await client.query('alter role all set wal_compression = off');
  } finally {
    await client.end();
  }
}

async function hasRoomInMemory(): Promise<boolean> {
  const room = await statfs(MEMORY_FOLDER).catch(() => null);
  return room !== null && room.bavail * room.bsize >= MEMORY_BYTES;
}

type Run = {
  /** All files: what they cost together is judged. */
  readonly isWhole: boolean;
  readonly isUntilFinding: boolean;
  readonly seconds: Map<string, number>;
  readonly calibration: Calibration;
  /** Null: another one was named. */
  readonly server: TestServer | null;
  readonly signal: AbortSignal;
};

/** Gives the exit code. The last line is the count of tests. */
async function run(files: readonly string[], { isWhole, isUntilFinding, ...beside }: Run): Promise<number> {
  const { seconds, calibration, server, signal } = beside;
  const startedAt = performance.now();
  const limits = {
    isUntilFinding,
    patience: () => patienceOf(calibration),
    testMilliseconds: TEST_MILLISECONDS * (process.env[LONG_VARIABLE] ? MOST_TIMES_LONGER : 1),
  };
  const results = await runFiles(files, openTurns(), limits, signal);
  const failed = [...results].filter(([, ofFile]) => ofFile.failed > 0).map(([file]) => file);
  const again = results.size > 1 && failed.length <= MOST_FILES_AGAIN && !signal.aborted ? failed : [];
  for (const file of again)
    for (const [, result] of await runFiles([file], openTurns(), limits, signal)) results.set(file, result);
  for (const [file, ofFile] of results) seconds.set(file, Math.round(ofFile.seconds * 10) / 10);
  const { user, system } = process.cpuUsage();
  const besideSeconds = (user + system) / 1e6 + (server === null ? 0 : secondsOfTree(server.processId));
  if (signal.aborted) console.log('The run was stopped before its end.');
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  console.log(`${files.length} files in ${minutes} minutes`);
  const costs = judgeCosts(results, besideSeconds, calibration.costliness(), console.log);
  const faults = isWhole ? costs : [];
  for (const fault of faults) console.log(`OVER BUDGET ${fault}`);
  for (const file of again)
    if (results.get(file)?.failed === 0)
      console.log(`UNSTEADY ${file}: failed beside other files and passed alone`);
  return countTests(results, faults.length > 0 || signal.aborted);
}

/** What is slow now may be slower in a moment. */
function patienceOf(calibration: Calibration): number {
  const named = Number(process.env[PATIENCE_VARIABLE] ?? 0);
  if (named > 0) return named;
  return Math.min(MOST_PATIENCE, Math.max(LEAST_PATIENCE, Math.ceil(calibration.slowness() * 2)));
}

function countTests(results: ReadonlyMap<string, FileResult>, hasFault: boolean): number {
  const counts = { passed: 0, failed: hasFault ? 1 : 0, skipped: 0 };
  for (const { passed, failed, skipped } of results.values()) {
    counts.passed += passed;
    counts.failed += failed;
    counts.skipped += skipped;
  }
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
  return counts.failed > 0 || counts.passed === 0 ? 1 : 0;
}

process.exitCode = await main();
