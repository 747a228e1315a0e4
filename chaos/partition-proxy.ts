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

/** Stands between services and PostgreSQL, and parts them for as long as it is told to. */
export type PartitionProxy = {
  /** PostgreSQL as seen through the proxy. */
  readonly address: TestDatabaseAddress;
  /** How often each of the watched texts has passed. */
  readonly seen: ReadonlyMap<string, number>;
  /** Resolves when a message with this text has come, which PostgreSQL does not get yet. */
  hold(text: string): Promise<HeldMessage>;
  /** Resolves when a message with this text has come; from then on nobody reaches PostgreSQL until `heal`. */
  partAt(text: string, partition: Partition): Promise<void>;
  /** Whatever was to be struck and was not is forgotten; all connections break, and new ones are let through. */
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
  const pairs = new Set<() => void>();
  const seen = new Map<string, number>();
  let order: Order | null = null;
  let parted: Partition | null = null;

  function count(bytes: Buffer): void {
    for (const text of watched) if (bytes.includes(text)) seen.set(text, (seen.get(text) ?? 0) + 1);
  }

  function breakAll(): void {
    for (const breakPair of [...pairs]) breakPair();
  }

  function part({ partition, done }: Extract<Order, { kind: 'part' }>): void {
    parted = partition;
    done();
  }

  function connectThrough(client: Socket): void {
    if (parted !== null && !parted.isSilent) return void client.destroy();
    const server = connectTo(target);
    let held: { readonly bytes: Buffer; readonly answered: () => void } | null = null;
    const breakPair = () => {
      pairs.delete(breakPair);
      client.destroy();
      server.destroy();
    };
    pairs.add(breakPair);
    const end = () => {
      held?.answered();
      breakPair();
    };
    server.on('error', end).on('close', end);
    // The service gives up on what is held; PostgreSQL is not to notice that.
    const clientEnds = () => (held === null ? breakPair() : undefined);
    client.on('error', clientEnds).on('close', clientEnds);
    client.on('data', (bytes: Buffer) => {
      if (held !== null || parted !== null) return;
      count(bytes);
      if (order === null || !bytes.includes(order.text)) return void server.write(bytes);
      const struck = order;
      order = null;
      if (struck.kind === 'hold') {
        const answer = Promise.withResolvers<void>();
        held = { bytes, answered: answer.resolve };
        struck.done({
          lose: () => client.destroy(),
          drop: end,
          deliver: async () => {
            server.write(bytes);
            await answer.promise;
          },
        });
        return;
      }
      part(struck);
      if (!struck.partition.isCarriedOut) return struck.partition.isSilent ? undefined : breakAll();
      server.write(bytes);
      // The others know nothing of it: for them the network is gone already.
      if (!struck.partition.isSilent) for (const other of [...pairs]) if (other !== breakPair) other();
    });
    server.on('data', (bytes: Buffer) => {
      const isAnswer = bytes.includes(READY_FOR_QUERY);
      if (held !== null) return isAnswer ? end() : undefined;
      if (parted === null) client.write(bytes);
      else if (!parted.isSilent && isAnswer) breakPair();
    });
  }

  const listener = createServer(connectThrough);
  const port = await listenOn(listener);
  return {
    address: { ...target, host: '127.0.0.1', port },
    seen,
    hold: (text) =>
      new Promise((resolve) => {
        order = { kind: 'hold', text, done: resolve };
      }),
    partAt: (text, partition) =>
      new Promise((resolve) => {
        order = { kind: 'part', text, partition, done: resolve };
      }),
    heal: () => {
      order = null;
      if (parted === null) return;
      parted = null;
      breakAll();
    },
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        breakAll();
      }),
  };
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
