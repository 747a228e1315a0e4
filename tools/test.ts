import { pbkdf2Sync } from 'node:crypto';
import { chmod, glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../src/homologation/embedded-postgres/launcher.ts';
import { type FileLimits, runFile } from './test-file.ts';
import type { FileResult } from './test-report.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PATTERNS = ['src', 'simulators', 'conformance', 'tools', 'bench', 'test'].map(
  (folder) => `${folder}/**/*.test.ts`,
);
const SERVER_VARIABLE = 'PARCELA_TEST_DATABASE_URL';
/** How many times longer than on a quiet machine everything may take; measured unless it is set. */
const PATIENCE_VARIABLE = 'PARCELA_TEST_PATIENCE';
/** Set: generated cases and kills in their full number. */
const LONG_VARIABLE = 'PARCELA_TEST_LONG';
/** On a quiet machine; a test that takes longer on purpose names its own. */
const TEST_TIMEOUT_MILLISECONDS = 6 * 60 * 1_000;
/**
 * A file whose tests are over and that does not end has left something open: nobody else would ever
 * say so.
 */
const IDLE_TIMEOUT_MILLISECONDS = 60 * 1_000;
const MOST_PATIENCE = 10;
/** A long proof beside its slice. */
const MOST_TIMES_LONGER = 15;
const PATIENCE_ROUNDS = 200_000;
const PATIENCE_QUIET_MILLISECONDS = 60;
/**
 * Most of a file's time is waiting for leases, pauses and silent acquirers: so many of them keep a
 * core busy.
 */
const FILES_PER_CORE = 3;
/** They need the machine for their load (decision 0065). */
const ALONE = ['test/proxies/rolling.test.ts', 'test/restored/soak.test.ts', 'test/wire/attacked.test.ts'];
/** More than these, one in a hundred, that fail at once are no accident of a busy machine. */
const MOST_FILES_AGAIN = 5;
/**
 * What is kept between runs: compiled modules, which every process of a test loads, and how long
 * each file took.
 */
const CACHE = join(ROOT, 'node_modules', '.cache', 'parcela-tests');
const SECONDS_FILE = join(CACHE, 'seconds.json');

const HELP = `npm test [-- [--long] files]

Runs the tests, or the files given, on a PostgreSQL of its own in a temporary folder.
--long runs generated cases, kills and calendars in their full number instead of a slice of them.
${SERVER_VARIABLE}=postgres://user:password@host:port/database names another PostgreSQL.
${PATIENCE_VARIABLE}=4 multiplies all limits of time by 4; it is measured unless it is set.
`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' }, long: { type: 'boolean', default: false } },
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
  const seconds = await readSeconds();
  const files = await filesFor(positionals, seconds);
  if (files.length === 0) {
    console.log(`No file of tests fits ${positionals.join(' ')}.`);
    return 1;
  }
  process.env.NODE_COMPILE_CACHE ??= join(CACHE, 'compiled');
  process.env[PATIENCE_VARIABLE] ??= String(measuredPatience());
  if (values.long) process.env[LONG_VARIABLE] = '1';
  const server = process.env[SERVER_VARIABLE] ? null : await startTestServer();
  try {
    if (server !== null) process.env[SERVER_VARIABLE] = server.url;
    return await runFiles(files, seconds, stopping.signal);
  } finally {
    await server?.stop();
    await writeSeconds(seconds);
  }
}

/**
 * The longest first, so that nobody waits for it at the end; one of which nothing is known may be
 * long.
 */
async function filesFor(
  patterns: readonly string[],
  seconds: ReadonlyMap<string, number>,
): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob(patterns.length > 0 ? patterns : PATTERNS, {
    exclude: ['**/node_modules/**'],
  })) {
    files.push(file);
  }
  const lengthOf = (file: string) => seconds.get(file) ?? (file.startsWith('test/') ? Infinity : 0);
  return files.sort((one, other) => lengthOf(other) - lengthOf(one) || (one < other ? -1 : 1));
}

async function readSeconds(): Promise<Map<string, number>> {
  const text = await readFile(SECONDS_FILE, 'utf8').catch(() => '{}');
  return new Map(Object.entries(JSON.parse(text) as Record<string, number>));
}

async function writeSeconds(seconds: ReadonlyMap<string, number>): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  await writeFile(SECONDS_FILE, JSON.stringify(Object.fromEntries(seconds), null, 1));
}

/**
 * A fixed piece of work, in units of the time that it takes a quiet core: other programs and slow
 * machines raise it.
 */
function measuredPatience(): number {
  const startedAt = performance.now();
  pbkdf2Sync('parcela', 'patience', PATIENCE_ROUNDS, 32, 'sha256');
  const measured = (performance.now() - startedAt) / PATIENCE_QUIET_MILLISECONDS;
  // Measured once, and the machine may have more to do later.
  return Math.min(MOST_PATIENCE, Math.max(2, Math.ceil(measured * 2)));
}

async function startTestServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-tests-'));
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
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return {
    url: `postgres://${login}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Gives the exit code. The last line is the count of tests. */
async function runFiles(
  files: readonly string[],
  seconds: Map<string, number>,
  signal: AbortSignal,
): Promise<number> {
  const patience = Number(process.env[PATIENCE_VARIABLE]);
  const limits = {
    testMilliseconds:
      TEST_TIMEOUT_MILLISECONDS * patience * (process.env[LONG_VARIABLE] ? MOST_TIMES_LONGER : 1),
    idleMilliseconds: IDLE_TIMEOUT_MILLISECONDS * patience,
  };
  const startedAt = performance.now();
  const results = new Map<string, FileResult>();
  const waiting = files.filter((file) => !ALONE.includes(file));
  async function takeTurns(): Promise<void> {
    for (let file = waiting.shift(); file !== undefined && !signal.aborted; file = waiting.shift())
      await runOne(file);
  }
  async function runOne(file: string): Promise<void> {
    const ofFile = await runFile(file, limits, signal);
    results.set(file, ofFile);
    seconds.set(file, Math.round(ofFile.seconds * 10) / 10);
  }
  const atOnce = Math.max(2, Math.round(availableParallelism() * FILES_PER_CORE));
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
  for (const file of files.filter((one) => ALONE.includes(one) && !signal.aborted)) await runOne(file);
  const unsteady = signal.aborted ? [] : await runFailedAlone(results, limits, signal);
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const ofFile of results.values()) {
    counts.passed += ofFile.passed;
    counts.failed += ofFile.failed;
    counts.skipped += ofFile.skipped;
  }
  if (signal.aborted) console.log('The run was stopped before its end.');
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  console.log(`${files.length} files in ${minutes} minutes, ${atOnce} at once, patience ${patience}`);
  for (const file of unsteady) console.log(`UNSTEADY ${file}: failed beside other files and passed alone`);
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
  return counts.failed > 0 || counts.passed === 0 || signal.aborted ? 1 : 0;
}

/**
 * A few files that failed run once more, one by one: what fails again is wrong, what passes is
 * unsteady and named, with its first failure above. Gives the unsteady ones; `results` holds the
 * second result of each.
 */
async function runFailedAlone(
  results: Map<string, FileResult>,
  limits: FileLimits,
  signal: AbortSignal,
): Promise<string[]> {
  const failed = [...results].filter(([, { failed }]) => failed > 0).map(([file]) => file);
  if (failed.length > MOST_FILES_AGAIN || results.size === 1) return [];
  const unsteady: string[] = [];
  for (const file of failed) {
    console.log(`once more, alone: ${file}`);
    const ofFile = await runFile(file, limits, signal);
    results.set(file, ofFile);
    if (ofFile.failed === 0) unsteady.push(file);
  }
  return unsteady;
}

process.exitCode = await main();
