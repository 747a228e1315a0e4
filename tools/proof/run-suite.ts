import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SEED_WORD, type Suite } from './suites.ts';

/** A suite may take so many times its share: a busy machine is no finding, a suite that hangs is one. */
const LIMIT_SHARES = 4;
/** Of what a suite started, to end by itself before it is killed. */
const END_MILLISECONDS = 30_000;
const LOOK_AGAIN_MILLISECONDS = 100;
/** Limits of time inside the suites: another suite has the second core. */
const PATIENCE = '4';

export type SuiteResult = {
  readonly isGood: boolean;
  readonly seconds: number;
  /** Why it failed, in a few words; null when it is good, or when its output alone says so. */
  readonly fault: string | null;
  readonly outputFile: string;
};

export type SuitePlace = { readonly root: string; readonly folder: string; readonly seed: number };

/**
 * Runs a suite in a process group of its own, its output in a file, and ends the whole group
 * afterwards.
 */
export async function runSuite(suite: Suite, place: SuitePlace, signal: AbortSignal): Promise<SuiteResult> {
  const outputFile = join(place.folder, `${suite.name}.log`);
  const output = openSync(outputFile, 'w');
  const startedAt = performance.now();
  let fault: string | null = null;
  const seeded = (text: string) => text.replaceAll(SEED_WORD, String(place.seed));
  const child = spawn(process.execPath, suite.words.map(seeded), {
    cwd: place.root,
    detached: true,
    env: {
      ...process.env,
      ...(suite.words[0] === 'tools/test.ts' ? {} : { PARCELA_TEST_PATIENCE: PATIENCE }),
      ...Object.fromEntries(Object.entries(suite.settings).map(([name, value]) => [name, seeded(value)])),
    },
    stdio: ['ignore', output, output],
  });
  const limit = setTimeout(
    () => {
      fault = `it was not over after ${LIMIT_SHARES * suite.minutes} minutes`;
      void endGroup(child);
    },
    LIMIT_SHARES * suite.minutes * 60_000,
  );
  const stop = () => {
    fault = 'the proof was stopped';
    void endGroup(child);
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const code = await new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('exit', (exitCode, endedBy) => resolve(endedBy ?? exitCode));
  });
  clearTimeout(limit);
  signal.removeEventListener('abort', stop);
  await endGroup(child);
  closeSync(output);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  return { isGood: code === 0 && fault === null, seconds, fault, outputFile };
}

async function endGroup({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return;
  const killAt = performance.now() + END_MILLISECONDS;
  for (let sign: NodeJS.Signals | 0 = 'SIGTERM'; signalGroup(pid, sign); sign = 0) {
    if (performance.now() > killAt) return void signalGroup(pid, 'SIGKILL');
    await pause(LOOK_AGAIN_MILLISECONDS);
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
