import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const RUN = join(import.meta.dirname, '../../bin/run.mjs');

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
export type Answered = { readonly status: number; readonly body: any };

/** The real program, started by a test. */
export type RunningBank = {
  readonly url: string;
  readonly process: ChildProcess;
  readonly folder: string;
  readonly post: (path: string, body: unknown) => Promise<Answered>;
  readonly get: (path: string) => Promise<Answered>;
  /** Ends the program and waits until it has gone. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
};

/** Starts the program in the folder (a new one unless given) and waits until it is ready. */
export async function startBank(
  t: TestContext,
  { folder = temporaryFolder(t), options = [] as readonly string[] } = {},
): Promise<RunningBank> {
  const words = [RUN, 'simulators/bank/main.ts', '--data', folder, '--exit-with-parent', ...options];
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  t.after(() => child.kill('SIGKILL'));
  for await (const line of createInterface(child.stdout)) {
    const { port } = JSON.parse(line) as { port: number };
    const url = `http://127.0.0.1:${port}`;
    return {
      ...{ url, process: child, folder },
      post: (path, body) => ask(url + path, { method: 'POST', body: JSON.stringify(body) }),
      get: (path) => ask(url + path, {}),
      end: async (signal) => {
        child.kill(signal);
        await ended;
      },
    };
  }
  throw new Error('the simulator ended before it was ready');
}

/** A registration that is accepted, save for what is given. */
export function registration(ourNumber: string, changed: object = {}): Record<string, unknown> {
  return {
    ourNumber,
    merchantId: 'M1',
    amount: 25_000,
    issuedOn: '2026-11-02',
    dueOn: '2026-11-10',
    payableUntil: '2026-12-10',
    payer: {
      name: 'Ana Souza',
      documentNumber: '52998224725',
      email: null,
      address: {
        street: 'Rua das Flores',
        number: '100',
        complement: null,
        district: 'Centro',
        city: 'São Paulo',
        state: 'SP',
        zipCode: '01001000',
      },
    },
    instructions: ['Não receber depois do vencimento'],
    finePortion: null,
    interestPortion: null,
    discount: null,
    ...changed,
  };
}

async function ask(url: string, options: RequestInit): Promise<Answered> {
  const response = await fetch(url, options);
  return { status: response.status, body: await response.json() };
}
