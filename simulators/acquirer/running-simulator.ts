import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import type { Brand } from '../kit/cards/decline-codes.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const RUN = join(import.meta.dirname, '../../bin/run.mjs');

/** The real program, started by a test. */
export type RunningSimulator = {
  readonly process: ChildProcess;
  readonly port: number;
  readonly post: (path: string, body: unknown) => Promise<Answered>;
  readonly get: (path: string) => Promise<Answered>;
  /**
   * Ends the program and waits until it has gone; the exit code, or null when the signal killed it.
   */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
};

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
export type Answered = { readonly status: number; readonly body: any };

/** Starts the program in the folder (a new one unless given) and waits until it is ready. */
export async function startSimulator(
  t: TestContext,
  { data = temporaryFolder(t), options = [] as string[] } = {},
): Promise<RunningSimulator> {
  const child = spawnSimulator(t, ['--data', data, ...options]);
  const line = await firstLine(child);
  if (line === null) throw new Error('the simulator ended before it was ready');
  const { port } = JSON.parse(line) as { port: number };
  const base = `http://127.0.0.1:${port}`;
  return {
    process: child,
    port,
    post: (path, body) => ask(base + path, { method: 'POST', body: JSON.stringify(body) }),
    get: (path) => ask(base + path, {}),
    end: async (signal) => {
      const ended = once(child, 'exit');
      child.kill(signal);
      const [code] = (await ended) as [number | null];
      return code;
    },
  };
}

export function spawnSimulator(t: TestContext, words: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [RUN, 'simulators/acquirer/main.ts', ...words], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** How the program ended, and what it said on its error output. */
export async function endOf(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}

export function testCard(
  number = '4111111111111111',
  brand: Brand = 'visa',
  securityCode: string | null = '123',
) {
  return {
    number,
    brand,
    expirationMonth: '12',
    expirationYear: '30',
    holderName: 'ANA SOUZA',
    securityCode,
  };
}

/** An authorization that is approved, save for what is given. */
export function authorization(reference: string, changed: object = {}): Record<string, unknown> {
  return {
    reference,
    merchantId: 'M1',
    merchantReference: `order of ${reference}`,
    amount: 2_500,
    installments: 1,
    initiator: 'cardholder',
    networkTransactionId: null,
    card: testCard(),
    ...changed,
  };
}

async function ask(url: string, options: RequestInit): Promise<Answered> {
  const response = await fetch(url, options);
  return { status: response.status, body: await response.json() };
}

async function firstLine(child: ChildProcess): Promise<string | null> {
  if (child.stdout === null) return null;
  for await (const line of createInterface(child.stdout)) return line;
  return null;
}
