import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { programOf } from '../src/platform/home.ts';

export type Simulator = { readonly url: string; stop(): Promise<void> };

export type StartSimulator = (options: {
  readonly program: 'acquirer' | 'bank' | 'pix' | 'rede' | 'cielo';
  readonly folder: string;
  readonly lateMilliseconds: number;
  /** Words for its command line. */
  readonly options?: readonly string[];
  readonly say: (line: string) => void;
}) => Promise<Simulator>;

const READY_MILLISECONDS = 20_000;
const STOP_MILLISECONDS = 5_000;
const PAUSE_BEFORE_RESTART_MILLISECONDS = 1_000;

/**
 * Starts a simulator as a process with its ledger in `folder`, and restarts it on the same port when it dies.
 * It ends with us, even by kill -9: its standard input closes.
 */
export async function startSimulator(options: Parameters<StartSimulator>[0]): Promise<Simulator> {
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  let isStopping = false;
  let child = launch(options, 0);
  const port = await readyPort(child);

  function watch(): void {
    child.once('exit', (code, signal) => {
      if (isStopping) return;
      options.say(`the simulator of the ${options.program} ended (${signal ?? code}); starting it again`);
      setTimeout(() => {
        if (isStopping) return;
        child = launch(options, port);
        watch();
      }, PAUSE_BEFORE_RESTART_MILLISECONDS);
    });
  }
  watch();

  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      isStopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MILLISECONDS);
      await ended;
      clearTimeout(timer);
    },
  };
}

function launch(
  { program, folder, lateMilliseconds, options: own = [] }: Omit<Parameters<StartSimulator>[0], 'say'>,
  port: number,
): ChildProcess {
  const options = ['--port', String(port), '--host', '127.0.0.1', '--data', folder, '--exit-with-parent'];
  return spawn(
    process.execPath,
    [
      ...programOf(`simulators/${program}/main.ts`),
      ...options,
      '--late-milliseconds',
      String(lateMilliseconds),
      ...own,
    ],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      // A group of its own: Ctrl-C must not end it before our requests are finished.
      detached: true,
    },
  );
}

function readyPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail('it was not ready in time'), READY_MILLISECONDS);
    const fail = (reason: string) => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(`the simulator did not start: ${reason}`));
    };
    child.once('exit', (code) => fail(`it ended with ${code}`));
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', (line) => {
      clearTimeout(timer);
      child.removeAllListeners('exit');
      const { port } = JSON.parse(line) as { port: number };
      resolve(port);
    });
  });
}

const ADDRESS_FILE = 'address';
const LOOK_MILLISECONDS = 2_000;

/** Notes a running service's simulator, for commands beside it. Gives a function that removes the note. */
export async function noteSimulator(folder: string, url: string): Promise<() => Promise<void>> {
  const path = join(folder, ADDRESS_FILE);
  await writeFile(path, url, { mode: 0o600 });
  return () => rm(path, { force: true });
}

/** The running service's simulator, or one started on its ledger. Null: no ledger, so nothing is known. */
export async function findSimulator(
  program: 'acquirer' | 'pix',
  folder: string,
  say: (line: string) => void,
): Promise<Simulator | null> {
  if (!existsSync(folder)) return null;
  const url = await readFile(join(folder, ADDRESS_FILE), 'utf8').catch(() => null);
  if (url !== null && (await isThere(url))) return { url, stop: async () => {} };
  return startSimulator({ program, folder, lateMilliseconds: 0, say });
}

/** A killed service leaves its address behind. */
async function isThere(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(LOOK_MILLISECONDS);
    const answer = await fetch(new URL('/about', url), { signal });
    return answer.ok && ((await answer.json()) as { readonly simulator?: unknown }).simulator === true;
  } catch {
    return false;
  }
}
