import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestDatabaseAddress } from '../test/kit/database.ts';
import { type Service, startService } from '../test/kit/service.ts';
import type { Chance } from './chance.ts';
import { addressSettings, type ChaosBench } from './chaos-bench.ts';
import { type StepAction, StepOrders } from './step-orders.ts';
import { openTlsFront } from './tls-front.ts';

/** One running service with a step counter inside. */
export type Gateway = {
  readonly name: string;
  readonly url: string;
  readonly integrationUrl: string;
  readonly metricsUrl: string;
  /** Where a bank of Pix tells what happened; null: nowhere. */
  readonly pixWebhookUrl: string | null;
  readonly processId: number;
  readonly orders: StepOrders;
  /** Lines of its log. */
  readonly log: readonly string[];
  isAlive(): boolean;
  /** Resolves when the process has ended, whoever ended it. */
  readonly ended: Promise<void>;
  signal(name: NodeJS.Signals): void;
  kill(): Promise<void>;
};

const CLOCK = fileURLToPath(new URL('clock-shift.ts', import.meta.url));

/** What is about a service, beside the fault that strikes it. */
export type Conditions = {
  /** A TLS proxy stands before it, through which clients come. */
  readonly isFronted?: boolean;
  /** How far its wall clock is ahead of the machine's, drawn for each. */
  readonly drawClock?: () => number;
};

type GatewayOptions = Conditions & {
  /** Another way to the database, through a proxy. */
  readonly address?: TestDatabaseAddress;
  /** Beside those of the bench, and before them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The `src/main.ts` of another version. */
  readonly main?: string;
  /** Done at a step counted from the very start of the process. */
  readonly fromStart?: { readonly action: StepAction; readonly step: number };
};

let started = 0;

/** Starts a service. Throws when it ends before it is ready, as one that is killed from the start does. */
export async function startGateway(bench: ChaosBench, options: GatewayOptions = {}): Promise<Gateway> {
  started += 1;
  const name = `gateway-${started}`;
  const orders = new StepOrders(join(bench.folder, name));
  if (options.fromStart !== undefined) orders.armFromStart(options.fromStart.action, options.fromStart.step);
  const counted = orders.settings();
  const service: Service = await startService({
    folder: bench.folder,
    ...(options.main === undefined ? {} : { main: options.main }),
    settings: {
      ...bench.settings,
      ...addressSettings(options.address ?? bench.address),
      ...counted,
      ...clockSettings(options, counted.NODE_OPTIONS ?? ''),
      ...compileCache(bench, options),
      ...options.settings,
    },
  });
  const { process: child } = service;
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  const ended = new Promise<void>((resolve) => {
    if (!isAlive()) resolve();
    child.once('exit', () => resolve());
  });
  const front = options.isFronted
    ? await openTlsFront(service.gatewayUrl).catch((error: unknown) => {
        child.kill('SIGKILL');
        throw error;
      })
    : null;
  void ended.then(() => front?.close());
  return {
    name,
    url: front?.url ?? service.gatewayUrl,
    integrationUrl: service.integrationUrl,
    metricsUrl: service.metricsUrl,
    pixWebhookUrl: pixWebhookIn(service.said),
    processId: child.pid as number,
    orders,
    log: service.log,
    isAlive,
    ended,
    signal: (signal) => void child.kill(signal),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function pixWebhookIn(said: readonly string[]): string | null {
  for (const line of said) {
    const [, url] = /^ {2}Pix webhook +(\S+)$/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  return null;
}

function clockSettings({ drawClock }: Conditions, options: string): Record<string, string> {
  if (drawClock === undefined) return {};
  // The clock first: what counts steps takes no notice of the time.
  return { NODE_OPTIONS: `--import=${CLOCK} ${options}`, FAULTS_CLOCK_MILLISECONDS: String(drawClock()) };
}

/** Compiled sources: half of what a start costs. Of this version whoever runs the suite keeps them. */
function compileCache(bench: ChaosBench, { main }: GatewayOptions): Record<string, string> {
  return main === undefined ? {} : { NODE_COMPILE_CACHE: join(bench.folder, 'compiled') };
}

/** The gateways on one database. One that dies is replaced while the others go on. */
export type Fleet = {
  /**
   * Two that are ready: the first is for the fault, the second bears witness. The dead are replaced
   * on the way.
   */
  pair(): Promise<[Gateway, Gateway]>;
  all(): readonly Gateway[];
  /** One that lives and is not the last victim, if there is one; waits until there is any. */
  any(chance: Chance): Promise<Gateway>;
  /**
   * Starts another one; the first try may carry a fault from the start. Gives whether that one came
   * to be ready.
   */
  start(fromStart?: GatewayOptions['fromStart']): Promise<boolean>;
  /** Kills all of them; the next `pair` starts new ones. */
  clear(): Promise<void>;
  close(): Promise<void>;
};

/**
 * The first of them is not struck by itself: it has run long enough to be fast, and bears most of what is
 * paid beside the faults. A service that has just come up takes twice the time.
 */
const SHARE_OF_ELDER = 0.7;
/**
 * One is dying, one bears witness, one is warm and next, one is on its way up. PostgreSQL has
 * connections for no more.
 */
const SIZE = 4;
const MOST_STARTS_IN_VAIN = 20;

export function openFleet(
  bench: ChaosBench,
  address: TestDatabaseAddress = bench.address,
  size: number = SIZE,
  conditions: Conditions = {},
): Fleet {
  let gateways: Gateway[] = [];
  let starting: Promise<unknown>[] = [];
  let isClosed = false;
  let lastVictim: Gateway | null = null;

  async function start(fromStart?: GatewayOptions['fromStart']): Promise<boolean> {
    if (fromStart !== undefined) {
      const first = await startGateway(bench, { ...conditions, address, fromStart }).catch(() => null);
      if (first === null) return false;
      // PostgreSQL has connections for so many.
      if (gateways.filter((gateway) => gateway.isAlive()).length >= size) await first.kill();
      else gateways.push(first);
      return true;
    }
    const gateway = await startAtLast(bench, { ...conditions, address });
    gateways.push(gateway);
    return true;
  }

  function replaceTheDead(): void {
    gateways = gateways.filter((gateway) => gateway.isAlive());
    while (!isClosed && gateways.length + starting.length < size) {
      const one = start();
      starting.push(one);
      const forget = () => {
        starting = starting.filter((other) => other !== one);
      };
      one.then(forget, forget);
    }
  }

  async function pair(): Promise<[Gateway, Gateway]> {
    for (;;) {
      replaceTheDead();
      const [elder, victim, third] = gateways;
      if (elder !== undefined && victim !== undefined) {
        // The next fault is another one's: all but the elder take turns.
        gateways = [elder, ...gateways.slice(2), victim];
        lastVictim = victim;
        return [victim, third ?? elder];
      }
      await Promise.race(starting);
    }
  }

  async function any(chance: Chance): Promise<Gateway> {
    for (;;) {
      replaceTheDead();
      const spared = gateways.filter((gateway) => gateway !== lastVictim);
      const [elder] = spared;
      if (elder !== undefined) return chance.isIn(SHARE_OF_ELDER) ? elder : chance.pick(spared);
      if (lastVictim?.isAlive()) return lastVictim;
      if (isClosed) throw new Error('the gateways are closed');
      await Promise.race(starting);
    }
  }

  async function clear(): Promise<void> {
    await Promise.allSettled(starting);
    await Promise.all(gateways.map((gateway) => gateway.kill()));
  }

  return {
    pair,
    any,
    all: () => gateways.filter((gateway) => gateway.isAlive()),
    start,
    clear,
    close: async () => {
      isClosed = true;
      await clear();
    },
  };
}

/**
 * While the database or the simulator is away a service refuses to start: an operator's supervisor
 * tries again.
 */
async function startAtLast(bench: ChaosBench, options: GatewayOptions): Promise<Gateway> {
  let reason: unknown;
  for (let tries = 0; tries < MOST_STARTS_IN_VAIN; tries += 1) {
    try {
      return await startGateway(bench, options);
    } catch (error) {
      reason = error;
      await new Promise((wake) => setTimeout(wake, 200));
    }
  }
  throw reason;
}
