import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestMessage } from './test-events.ts';
import { type FileResult, openFileReport } from './test-report.ts';

const REPORTER = fileURLToPath(new URL('test-events.ts', import.meta.url));
/**
 * How long what a file started may take to end before it is killed: a service finishes its
 * requests, PostgreSQL its writes.
 */
const END_MILLISECONDS = 15_000;
const LOOK_AGAIN_MILLISECONDS = 20;

export type FileLimits = {
  /** For a test that names no time of its own. */
  readonly testMilliseconds: number;
  /** A file whose tests are over and that does not end has left something open. */
  readonly idleMilliseconds: number;
};

/**
 * Runs one file in a process group of its own, and ends the whole group afterwards: also services
 * that a test left behind, and also when the run is stopped.
 */
export async function runFile(file: string, limits: FileLimits, signal: AbortSignal): Promise<FileResult> {
  const report = openFileReport(file, (text) => console.log(text));
  const options = [`--test-reporter=${REPORTER}`, '--test-reporter-destination=stdout'];
  const child = spawn(process.execPath, [...options, `--test-timeout=${limits.testMilliseconds}`, file], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let isGivenUp = false;
  const patience = setInterval(() => {
    if (!report.isIdle()) return;
    isGivenUp = true;
    void endGroup(child);
  }, limits.idleMilliseconds);
  const stop = () => void endGroup(child);
  signal.addEventListener('abort', stop, { once: true });
  child.on('message', (message) => {
    report.add(message as TestMessage);
    patience.refresh();
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => report.addOutput(text));
  }
  const code = await new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('error', (error) => report.addOutput(`${error}`));
    // Not `close`: what a test left behind may hold the streams open.
    child.once('exit', (exitCode, endedBy) => resolve(endedBy ?? exitCode));
  });
  clearInterval(patience);
  signal.removeEventListener('abort', stop);
  await endGroup(child);
  if (signal.aborted) return report.end(0, 'the run was stopped');
  return report.end(code, isGivenUp ? 'the tests were over, but something was left open' : null);
}

async function endGroup({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return;
  const killAt = performance.now() + END_MILLISECONDS;
  for (let sign: NodeJS.Signals | 0 = 'SIGTERM'; signalGroup(pid, sign); sign = 0) {
    if (performance.now() > killAt) return void signalGroup(pid, 'SIGKILL');
    await new Promise((wake) => setTimeout(wake, LOOK_AGAIN_MILLISECONDS));
  }
}

/** False when nobody of the group is left. */
function signalGroup(leader: number, sign: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leader, sign);
    return true;
  } catch {
    return false;
  }
}
