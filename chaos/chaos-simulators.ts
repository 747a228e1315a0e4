import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { startTestSimulator, type TestSimulator } from '../test/kit/service.ts';
import { StepOrders } from './step-orders.ts';

const LATE_MILLISECONDS = 750;

/** A simulator that may be killed: it comes back on its port and its ledger. */
export type ChaosSimulator = {
  readonly url: string;
  /** Where its steps are counted; of others than acquirers nothing is. */
  readonly orders: StepOrders;
  processId(): number;
  isAlive(): boolean;
  kill(): Promise<void>;
  restart(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
};

/** An acquirer of the table of providers. */
export type ChaosAcquirer = ChaosSimulator & { readonly name: AcquirerName };
type AcquirerName = 'rede' | 'cielo';
type SimulatorName = 'acquirer' | 'bank' | 'pix' | AcquirerName;

/** Two calls make a charge at Cielo, and a third one may look it up. */
export const ACQUIRER_SETTINGS = { PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '1500' } as const;

/** Hours and minutes of a real one in a second or less. Of Cielo the sandbox's cards decide nothing. */
const ACQUIRERS: readonly (readonly [AcquirerName, readonly string[]])[] = [
  ['rede', ['--refund-milliseconds', '400', '--token-seconds', '20']],
  [
    'cielo',
    ['--replica-lag-milliseconds', '150', '--horizon-milliseconds', '1500', '--last-digit', '0'].concat(
      ...['--spacing-milliseconds', '1000'],
    ),
  ],
];

export function openAcquirers(folder: string): Promise<ChaosAcquirer[]> {
  const open = async ([name, options]: (typeof ACQUIRERS)[number]) => {
    const simulator = await openSimulator(join(folder, name), name, options, true);
    return { name, ...simulator };
  };
  return Promise.all(ACQUIRERS.map(open));
}

/** For the step counter inside a service: which of its sockets leads where. */
export function portsOf(acquirers: readonly ChaosAcquirer[]): Record<string, string> {
  const ports = acquirers.map(({ name, url }) => `${name}=${new URL(url).port}`);
  return { FAULTS_ACQUIRERS: ports.join() };
}

export async function openSimulator(
  folder: string,
  program: SimulatorName = 'acquirer',
  options: readonly string[] = [],
  isCounted = false,
): Promise<ChaosSimulator> {
  await mkdir(folder);
  const port = await freePort();
  const orders = new StepOrders(`${folder}.steps`);
  const start = () =>
    startTestSimulator(
      folder,
      [
        ...['--port', String(port), '--late-milliseconds', String(LATE_MILLISECONDS)],
        // The books must outlive the simulator, not the machine.
        ...['--ledger-sync', 'off', ...options],
      ],
      program,
      isCounted ? orders.settings() : {},
    );
  let simulator: TestSimulator = await start();
  const isAlive = () => simulator.process.exitCode === null && simulator.process.signalCode === null;
  return {
    url: simulator.url,
    orders,
    processId: () => simulator.process.pid as number,
    isAlive,
    kill: async () => {
      const ended = new Promise((resolve) => simulator.process.once('exit', resolve));
      if (!isAlive()) return;
      simulator.process.kill('SIGKILL');
      await ended;
    },
    restart: async () => {
      if (isCounted) orders.disarmFromStart();
      simulator = await start();
    },
    signal: (name: NodeJS.Signals) => void simulator.process.kill(name),
    // Ctrl-C reaches it as it reaches us: there may be nothing left to stop.
    stop: async () => {
      if (isAlive()) await simulator.stop();
    },
  };
}

/** What is started again on its port cannot have the next best: one that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const listener = createServer();
    listener.once('error', reject);
    listener.listen(0, '127.0.0.1', () => {
      const address = listener.address();
      listener.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
