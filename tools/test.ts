import { chmod, glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../src/homologation/embedded-postgres/launcher.ts';
import { openFileReport, type TestCounts, type TestEvent } from './test-report.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PATTERNS = ['src', 'simulators', 'tools', 'bench', 'test'].map((folder) => `${folder}/**/*.test.ts`);
const SERVER_VARIABLE = 'PARCELA_TEST_DATABASE_URL';
/** A test that knows that it takes longer says so itself. */
const TEST_TIMEOUT_MILLISECONDS = 2 * 60 * 1_000;
/** A file whose tests are over and that does not end has left something open: nobody else would ever say so. */
const IDLE_TIMEOUT_MILLISECONDS = 60 * 1_000;
/** Files wait for PostgreSQL and for children of their own: some more of them than cores keep the cores busy. */
const FILES_PER_CORE = 1.5;

const HELP = `npm test [-- files]

Runs the tests, or the files given, on a PostgreSQL of its own in a temporary folder.
${SERVER_VARIABLE}=postgres://user:password@host:port/database names another one.
`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
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
  const files = await filesFor(positionals);
  if (files.length === 0) {
    console.log(`No file of tests fits ${positionals.join(' ')}.`);
    return 1;
  }
  const server = process.env[SERVER_VARIABLE] ? null : await startTestServer();
  try {
    if (server !== null) process.env[SERVER_VARIABLE] = server.url;
    return await runFiles(files, stopping.signal);
  } finally {
    await server?.stop();
  }
}

async function filesFor(patterns: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob(patterns.length > 0 ? patterns : PATTERNS, {
    exclude: ['**/node_modules/**'],
  })) {
    files.push(file);
  }
  const isLong = new Set<string>();
  for (const file of files) {
    // Whoever asks for more time than the others starts first, so that nobody waits for it at the end.
    if (/\btimeout: \d{2}/.test(await readFile(file, 'utf8'))) isLong.add(file);
  }
  return files.sort(
    (one, other) => Number(isLong.has(other)) - Number(isLong.has(one)) || (one < other ? -1 : 1),
  );
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
async function runFiles(files: readonly string[], signal: AbortSignal): Promise<number> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const waiting = [...files];
  async function takeTurns(): Promise<void> {
    for (let file = waiting.shift(); file !== undefined && !signal.aborted; file = waiting.shift()) {
      const ofFile = await runFile(file, signal);
      counts.passed += ofFile.passed;
      counts.failed += ofFile.failed;
      counts.skipped += ofFile.skipped;
    }
  }
  const atOnce = Math.max(2, Math.round(availableParallelism() * FILES_PER_CORE));
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
  if (signal.aborted) console.log('The run was stopped before its end.');
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
  return counts.failed > 0 || counts.passed === 0 || signal.aborted ? 1 : 0;
}

/** Runs one file in a process of its own. One that does not end is ended, and failed for it. */
async function runFile(file: string, signal: AbortSignal): Promise<TestCounts> {
  const report = openFileReport(file, (text) => console.log(text));
  const giveUp = new AbortController();
  const patience = setInterval(() => {
    if (report.isIdle()) giveUp.abort();
  }, IDLE_TIMEOUT_MILLISECONDS);
  const events = run({
    files: [file],
    timeout: TEST_TIMEOUT_MILLISECONDS,
    signal: AbortSignal.any([signal, giveUp.signal]),
  });
  for await (const event of events) {
    report.hear(event as TestEvent);
    patience.refresh();
  }
  clearInterval(patience);
  return report.end(giveUp.signal.aborted ? 'the tests were over, but something was left open' : null);
}

process.exitCode = await main();
