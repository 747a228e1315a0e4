import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACQUIRER_PROGRAM } from '../../../simulators/acquirer/program.ts';
import { CIELO_PROGRAM } from '../../../simulators/cielo/program.ts';
import { type LedgerProgram, startLedgerServer } from '../../../simulators/kit/ledger-server.ts';
import { readLedgerSettings } from '../../../simulators/kit/ledger-settings.ts';
import { REDE_PROGRAM } from '../../../simulators/rede/program.ts';
import { plainChannel } from '../../../src/platform/channels/open-channel.ts';
import type { Acquirer } from '../../../src/providers/acquirers/acquirer.ts';
import { ACQUIRER_ADAPTERS } from '../../../src/providers/acquirers/open-acquirer.ts';
import { shortReference } from '../../../src/providers/acquirers/short-reference.ts';
import { ESTABLISHMENT, KEY, millisecondsUntilNoon } from '../acquirer-service.ts';

/** What a request is asked for, as the scripts of Rede and Cielo call it. */
export type Operation = 'authorize' | 'capture' | 'refund';

/** The books of an acquirer under one reference, in cents. */
export type Booked = {
  /** Sales that were approved, whatever became of them. */
  readonly sales: number;
  readonly live: number;
  readonly captured: number;
  readonly refunds: number;
};

/** An adapter, and the simulated acquirer behind it. */
export type PortBench = {
  readonly name: string;
  readonly acquirer: Acquirer;
  /** The same where nobody listens. */
  readonly absent: Acquirer;
  /** Its own codes of an authorization that it did not book, and those that it answers although it did. */
  readonly codes: {
    readonly undone: readonly string[];
    readonly done: readonly string[];
    /** A clear no to a void, and that it is too late for one. */
    readonly no: string | null;
    readonly late: string;
  };
  booked(reference: string): Promise<Booked>;
  /** Spoils the next request of the kind; false: this acquirer's script has no such fault. */
  spoil(on: Operation, step: object): Promise<boolean>;
  /** A day at the acquirer, after which Rede has given parts back. */
  nextDay(): Promise<void>;
  close(): Promise<void>;
};

export const MERCHANT = '01700555550000';
const CONNECT_MILLISECONDS = 2_000;
const DAY_MILLISECONDS = 86_400_000;
const LATE_MILLISECONDS = '100';

const CREDENTIALS = {
  ...{ token: null, authority: null, certificate: null, certificateKey: null },
  ...{ establishment: ESTABLISHMENT, establishmentKey: KEY },
};

type Place = { readonly url: string; close(): Promise<void> };

async function openSimulator<B>(program: LedgerProgram<B>, options: readonly string[]): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-port-'));
  const words = ['--data', folder, '--ledger-sync', 'off', '--late-milliseconds', LATE_MILLISECONDS];
  const settings = readLedgerSettings([...words, ...options], program.options ?? {});
  if (typeof settings === 'string') throw new Error(settings);
  const onFailure = (error: Error) => process.stderr.write(`${program.name} failed: ${error.stack}\n`);
  const running = await startLedgerServer(program, settings, onFailure);
  return {
    url: `http://127.0.0.1:${running.port}`,
    close: async () => {
      await running.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function openAdapter(adapter: string, url: string, settings: Readonly<Record<string, string>>): Acquirer {
  const known = ACQUIRER_ADAPTERS[adapter];
  if (known === undefined) throw new Error(`there is no adapter ${adapter}`);
  return known.open(
    { url, credentials: CREDENTIALS, settings },
    plainChannel(CONNECT_MILLISECONDS),
    () => {},
  );
}

async function post(url: string, body: object): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  await answer.text();
}

// biome-ignore lint/suspicious/noExplicitAny: it looks into books of two shapes.
type Items = { readonly items: readonly any[] };

async function read(url: string): Promise<Items['items']> {
  return ((await (await fetch(url)).json()) as Items).items;
}

/** `NOWHERE`: port 1 of this machine, where nobody listens. */
const NOWHERE = 'http://127.0.0.1:1';

async function openBridge(): Promise<PortBench> {
  const simulator = await openSimulator(ACQUIRER_PROGRAM, []);
  const [acquirer, absent] = [simulator.url, NOWHERE].map((url) => openAdapter('bridge', url, {}));
  return {
    ...{ name: 'bridge', acquirer: acquirer as Acquirer, absent: absent as Acquirer },
    codes: { undone: [], done: [], no: null, late: '' },
    async booked(reference) {
      const all = await read(`${simulator.url}/ledger/all?limit=10000`);
      const found = all.filter(({ paymentId, status }) => paymentId === reference && status !== 'declined');
      const isHeld = (status: string) => status === 'preauthorized';
      const isCharged = (status: string) => status === 'approved' || status === 'canceled';
      const sum = (of: (charge: Items['items'][number]) => number) =>
        found.reduce((total: number, charge) => total + of(charge), 0);
      return {
        sales: found.filter(({ status }) => status !== 'undone').length,
        live: sum(({ status, amount, canceledAmount }) =>
          isHeld(status) || isCharged(status) ? amount - canceledAmount : 0,
        ),
        captured: sum(({ status, amount }) => (isCharged(status) ? amount : 0)),
        refunds: found.filter(({ canceledAmount }) => canceledAmount > 0).length,
      };
    },
    async spoil(on, { fault }: { fault?: string }) {
      if (on !== 'authorize' || fault === undefined || !FAULTS_OF_BRIDGE.includes(fault)) return false;
      await post(`${simulator.url}/script`, { merchantId: MERCHANT, steps: [{ fault }] });
      return true;
    },
    nextDay: async () => {},
    async close() {
      await Promise.all([acquirer?.close(), absent?.close()]);
      await simulator.close();
    },
  };
}

const FAULTS_OF_BRIDGE = ['silent', 'booksButSilent', 'late', 'garbage'];

const CODES = {
  rede: {
    undone: ['898', '150', '42', '74', '51', '999'],
    done: ['150', '56', '899'],
    no: '365',
    late: '354',
  },
  cielo: { undone: ['101', '302', '0', '129'], done: ['302', '0'], no: '309', late: '40' },
} as const;
const PROGRAMS = { rede: REDE_PROGRAM, cielo: CIELO_PROGRAM } as const;

async function openSales(adapter: 'rede' | 'cielo', capture: 'atOnce' | 'twoSteps'): Promise<PortBench> {
  const options =
    adapter === 'rede'
      ? ['--refund-milliseconds', '1']
      : ['--last-digit', '0', '--replica-lag-milliseconds', '0', '--spacing-milliseconds', '0'];
  const simulator = await openSimulator(PROGRAMS[adapter], options);
  const [acquirer, absent] = [simulator.url, NOWHERE].map((url) => openAdapter(adapter, url, { capture }));
  const desk = (path: string, body: object) => post(`${simulator.url}/simulator/${path}`, body);
  // So that no sale is given back on the day after it.
  await desk('clock', { forwardMilliseconds: millisecondsUntilNoon() });
  return {
    ...{ name: `${adapter}, ${capture}`, acquirer: acquirer as Acquirer, absent: absent as Acquirer },
    codes: CODES[adapter],
    async booked(reference) {
      const found = await read(`${simulator.url}/simulator/ledger?reference=${shortReference(reference)}`);
      const sales = found.filter(({ decision }) => decision.outcome === 'approved');
      const sum = (of: (sale: Items['items'][number]) => number) =>
        sales.reduce((total: number, sale) => total + of(sale), 0);
      return {
        sales: sales.length,
        live: sum(({ liveAmount }) => liveAmount),
        captured: sum(({ capturedAmount }) => capturedAmount),
        refunds: sum(({ refunds }) => refunds.length),
      };
    },
    async spoil(on, step) {
      await desk('script', { merchantId: ESTABLISHMENT, steps: [{ on, ...step }] });
      return true;
    },
    nextDay: () => desk('clock', { forwardMilliseconds: DAY_MILLISECONDS }),
    async close() {
      await Promise.all([acquirer?.close(), absent?.close()]);
      await simulator.close();
    },
  };
}

/** Every adapter of the port, in every way of charging. */
export function openPortBenches(): Promise<PortBench[]> {
  return Promise.all([
    openBridge(),
    openSales('rede', 'atOnce'),
    openSales('rede', 'twoSteps'),
    openSales('cielo', 'atOnce'),
    openSales('cielo', 'twoSteps'),
  ]);
}
