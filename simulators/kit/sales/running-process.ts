import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { atHour, dayAfter, saoPauloDayOf } from '../days.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const RUN = join(import.meta.dirname, '../../../bin/run.mjs');

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
export type Answered = { readonly status: number; readonly body: any };

/** The real program, started by a test. */
export type RunningProcess = {
  readonly url: string;
  readonly folder: string;
  readonly process: ChildProcess;
  readonly ask: (method: string, path: string, more?: Asking) => Promise<Answered>;
  /** Lays out what happens to the merchant's next requests. */
  readonly script: (merchantId: string, steps: readonly object[]) => Promise<Answered>;
  /** The sales that the ledger has, as `/simulator/ledger` names them. */
  readonly ledger: (query: string) => Promise<Answered['body'][]>;
  /** Puts its clock forward. */
  readonly wait: (milliseconds: number) => Promise<Answered>;
  /** Puts its clock to the noon of the next day: what comes then is of one day. */
  readonly waitForNoon: () => Promise<void>;
  /** Ends the program and waits until it has gone. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
};
/** `form`: a body that is no JSON. */
export type Asking = {
  readonly json?: unknown;
  readonly form?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Starts the program in the folder (a new one unless given) and waits until it is ready. */
export async function startProcess(
  t: TestContext,
  program: string,
  { folder = temporaryFolder(t), options = [] as readonly string[] } = {},
): Promise<RunningProcess> {
  const words = [RUN, program, '--data', folder, '--exit-with-parent', ...options];
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  t.after(() => child.kill('SIGKILL'));
  for await (const line of createInterface(child.stdout)) {
    const { port } = JSON.parse(line) as { port: number };
    const url = `http://127.0.0.1:${port}`;
    const ask: RunningProcess['ask'] = (method, path, more) => asked(url + path, method, more);
    return {
      ...{ url, folder, process: child, ask },
      script: (merchantId, steps) => ask('POST', '/simulator/script', { json: { merchantId, steps } }),
      ledger: async (query) => (await ask('GET', `/simulator/ledger?${query}`)).body.items,
      wait: (milliseconds) =>
        ask('POST', '/simulator/clock', { json: { forwardMilliseconds: milliseconds } }),
      waitForNoon: async () => {
        const { now } = (await ask('GET', '/simulator/about')).body;
        const at = Date.parse(now);
        const forwardMilliseconds = atHour(dayAfter(saoPauloDayOf(at), 1), 12) - at;
        await ask('POST', '/simulator/clock', { json: { forwardMilliseconds } });
      },
      end: async (signal) => {
        child.kill(signal);
        await ended;
      },
    };
  }
  throw new Error('the simulator ended before it was ready');
}

async function asked(url: string, method: string, more: Asking = {}): Promise<Answered> {
  const body = more.form ?? (more.json === undefined ? null : JSON.stringify(more.json));
  const named = more.json === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(url, { method, body, headers: { ...named, ...more.headers } });
  const text = await response.text();
  return { status: response.status, body: isJson(response) && text !== '' ? JSON.parse(text) : text };
}

function isJson(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('application/json') === true;
}
