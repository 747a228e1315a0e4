import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestDatabaseAddress } from '../test/kit/database.ts';

/** One message that was kept from PostgreSQL. */
export type HeldMessage = {
  /** The client's connection breaks: to the service the statement is lost. */
  lose(): void;
  /** PostgreSQL gets it after all. Resolves when it has answered, or its connection has ended. */
  deliver(): Promise<void>;
  /** It never comes, and its connection breaks. */
  drop(): void;
};

/** What becomes of PostgreSQL for everybody from a message on. */
export type Partition = {
  /** Whether PostgreSQL still carries the message out. */
  readonly isCarriedOut: boolean;
  /** Open connections stay open without a word; otherwise all break, and new ones are refused. */
  readonly isSilent: boolean;
};

/** Stands between services and PostgreSQL, and parts them until `heal`. */
export type PartitionProxy = {
  /** PostgreSQL as seen through the proxy. */
  readonly address: TestDatabaseAddress;
  /** How often each of the watched texts has passed. */
  readonly seen: ReadonlyMap<string, number>;
  /** Resolves when a message with this text has come, which PostgreSQL does not get yet. */
  hold(text: string): Promise<HeldMessage>;
  /** Resolves when a message with this text has come; from then on nobody reaches PostgreSQL until `heal`. */
  partAt(text: string, partition: Partition): Promise<void>;
  /**
   * Whatever was to be struck and was not is forgotten; all connections break, and new ones are let
   * through.
   */
  heal(): void;
  close(): Promise<void>;
};

/** The end of an answer: ReadyForQuery, which PostgreSQL sends after the commit. */
const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5]);

type Order = { readonly text: string } & (
  | { readonly kind: 'hold'; readonly done: (held: HeldMessage) => void }
  | { readonly kind: 'part'; readonly partition: Partition; readonly done: () => void }
);

/** `watched`: texts that are counted. */
export async function openPartitionProxy(
  target: TestDatabaseAddress,
  watched: readonly string[],
): Promise<PartitionProxy> {
  const network = new Network(target, watched);
  const listener = createServer((client) => network.connect(client));
  const port = await listenOn(listener);
  return {
    address: { ...target, host: '127.0.0.1', port },
    seen: network.seen,
    hold: (text) =>
      new Promise((resolve) => {
        network.order = { kind: 'hold', text, done: resolve };
      }),
    partAt: (text, partition) =>
      new Promise((resolve) => {
        network.order = { kind: 'part', text, partition, done: resolve };
      }),
    heal: () => network.heal(),
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        network.breakAll();
      }),
  };
}

type Held = { readonly answered: () => void };

/** The pairs of connections between services and PostgreSQL. */
class Network {
  readonly seen = new Map<string, number>();
  order: Order | null = null;
  readonly #target: TestDatabaseAddress;
  readonly #watched: readonly string[];
  readonly #pairs = new Set<() => void>();
  #parted: Partition | null = null;

  constructor(target: TestDatabaseAddress, watched: readonly string[]) {
    this.#target = target;
    this.#watched = watched;
  }

  heal(): void {
    this.order = null;
    if (this.#parted === null) return;
    this.#parted = null;
    this.breakAll();
  }

  breakAll(): void {
    for (const breakPair of [...this.#pairs]) breakPair();
  }

  connect(client: Socket): void {
    if (this.#parted !== null && !this.#parted.isSilent) return void client.destroy();
    const server = connectTo(this.#target);
    let held: Held | null = null;
    const breakPair = () => {
      this.#pairs.delete(breakPair);
      client.destroy();
      server.destroy();
    };
    this.#pairs.add(breakPair);
    const end = () => {
      held?.answered();
      breakPair();
    };
    server.on('error', end).on('close', end);
    // The service gives up on what is held; PostgreSQL is not to notice that.
    const clientEnds = () => (held === null ? breakPair() : undefined);
    client.on('error', clientEnds).on('close', clientEnds);
    client.on('data', (bytes: Buffer) => {
      if (held !== null || this.#parted !== null) return;
      this.#count(bytes);
      const struck = this.#takeOrder(bytes);
      if (struck === null) return void server.write(bytes);
      if (struck.kind === 'part') return this.#part(struck, () => server.write(bytes), breakPair);
      const { promise, resolve } = Promise.withResolvers<void>();
      held = { answered: resolve };
      const deliver = () => {
        server.write(bytes);
        return promise;
      };
      struck.done({ lose: () => client.destroy(), drop: end, deliver });
    });
    server.on('data', (bytes: Buffer) => {
      const isAnswer = bytes.includes(READY_FOR_QUERY);
      if (held !== null) return isAnswer ? end() : undefined;
      if (this.#parted === null) client.write(bytes);
      else if (!this.#parted.isSilent && isAnswer) breakPair();
    });
  }

  #count(bytes: Buffer): void {
    for (const text of this.#watched)
      if (bytes.includes(text)) this.seen.set(text, (this.seen.get(text) ?? 0) + 1);
  }

  #takeOrder(bytes: Buffer): Order | null {
    const { order } = this;
    if (order === null || !bytes.includes(order.text)) return null;
    this.order = null;
    return order;
  }

  #part(
    { partition, done }: Extract<Order, { kind: 'part' }>,
    carryOut: () => void,
    breakPair: () => void,
  ): void {
    this.#parted = partition;
    done();
    if (partition.isCarriedOut) carryOut();
    if (partition.isSilent) return;
    // The others know nothing of it: for them the network is gone already. The one that is carried
    // out is broken by its answer.
    for (const other of [...this.#pairs]) if (!partition.isCarriedOut || other !== breakPair) other();
  }
}

function connectTo({ host, port }: TestDatabaseAddress): Socket {
  return host.startsWith('/')
    ? createConnection({ path: join(host, `.s.PGSQL.${port}`) })
    : createConnection({ host, port });
}

function listenOn(listener: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(0, '127.0.0.1', () => {
      const address = listener.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}
