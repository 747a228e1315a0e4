import type pg from 'pg';
import {
  asUnavailable,
  CommitUnknown,
  DatabaseUnavailable,
  isConnectionLost,
  isRolledBack,
} from './database-errors.ts';
import type { DatabaseObserver } from './database-metrics.ts';
import { whyRefused } from './database-wait.ts';
import { type Deadline, withServerTimes } from './deadline.ts';
import {
  type Connections,
  makePool,
  nameServers,
  type PoolKind,
  tracedStatement,
  tracedTransaction,
  USUAL_CONNECTIONS,
} from './pools.ts';
import { openPrimary } from './primary.ts';
import { isWrite, run, runTransaction } from './run-transaction.ts';

import { noteWrite, watchOfCaller } from './write-watch.ts';

/** PostgreSQL plans a named statement once per connection. The name is unique in the program. */
export type Statement = { readonly name: string; readonly text: string };

export type Row = Record<string, unknown>;

declare const inTransaction: unique symbol;

/**
 * What the `work` of a transaction gets. It must await nothing else: connection and locks are held meanwhile.
 */
export type Tx = {
  /** Distinguishes `Tx` from `Database`, whose statements commit one by one. */
  readonly [inTransaction]: true;
  query(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
};

export type Database = {
  /** Throws pg errors (rolled back), `CommitUnknown` or `DatabaseUnavailable` (nothing written). */
  query(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
  /**
   * Runs `work` in one transaction. Commits nothing if `work` throws, or after the deadline, even if the
   * commit message is delayed. Throws what `query` throws and what `work` throws.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, deadline?: Deadline): Promise<T>;
  /** Throws `DatabaseUnavailable` if no connection answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
};

export type Reader = Pick<Database, 'query'>;

export type OpenedDatabase = Database & {
  /** For lists, searches and histories: they never take a payment's connection. */
  readonly search: Reader;
  /** On the one connection that looks for all works. */
  readonly look: Reader;
  /** When the server last answered, except to searches: monotonic milliseconds. */
  answeredAt(): number;
};

export type DatabaseAddress =
  | string
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string;
      readonly database: string;
      /** The role of the session; by default its user. */
      readonly role?: string;
    };

export type ServerWatcher = {
  /** Checks each new connection before its use: runs a query and returns the server's name. */
  check(ask: (text: string) => Promise<Row>): Promise<string>;
  /** The name of the server for all work. Connections to another server are closed before use. */
  newest(): string | null;
  noteError(error: unknown): void;
};

const declared = new Map<string, Statement>();

/** Throws when the name is taken: two texts under one name would share a plan. */
export function statement(name: string, text: string): Statement {
  if (declared.has(name)) throw new Error(`the statement name ${name} is taken`);
  if (name.length > 63) throw new Error(`the statement name ${name} is longer than PostgreSQL keeps`);
  const made = { name, text };
  declared.set(name, made);
  return made;
}

export function declaredStatements(): readonly Statement[] {
  return [...declared.values()];
}

export type DatabaseTools = {
  readonly watcher?: ServerWatcher;
  readonly connections?: Connections;
  readonly observer?: DatabaseObserver;
};

/** Connects on first use. Times are milliseconds since the epoch, int8 are numbers, numeric is text. */
export function openDatabase(
  address: DatabaseAddress,
  onIdleError: (error: Error) => void,
  { watcher, connections = USUAL_CONNECTIONS, observer }: DatabaseTools = {},
): OpenedDatabase {
  const primary = openPrimary(address);
  const servers = nameServers(watcher, primary);
  let answeredAt = Number.NEGATIVE_INFINITY;
  const noteAnswer = () => {
    answeredAt = performance.now();
  };
  const noteLoss = (error: unknown) => {
    if (isConnectionLost(error)) primary.doubt();
  };
  const open = (kind: PoolKind, noteAnswer: () => void) => {
    const pool = makePool(kind, connections, { primary, servers });
    observer?.opened(kind, pool);
    return openPool(pool, servers, {
      ...{ kind, noteAnswer, noteLoss, watcher, observer },
      onIdleError(error) {
        noteLoss(error);
        onIdleError(error);
      },
    });
  };
  const [work, search, look] = [open('work', noteAnswer), open('search', () => {}), open('look', noteAnswer)];
  const close = async () => void (await Promise.all([work, search, look].map((pool) => pool.close())));
  return { ...work, close, search, look, answeredAt: () => answeredAt };
}

type PoolWatch = {
  readonly kind: PoolKind;
  readonly onIdleError: (error: Error) => void;
  readonly noteAnswer: () => void;
  readonly noteLoss: (error: unknown) => void;
  readonly watcher: ServerWatcher | undefined;
  readonly observer: DatabaseObserver | undefined;
};

async function takeConnection(
  pool: pg.Pool,
  servers: ReturnType<typeof nameServers>,
  { kind, observer }: Pick<PoolWatch, 'kind' | 'observer'>,
): Promise<pg.PoolClient> {
  try {
    return await servers.take(pool);
  } catch (error) {
    // Nothing was sent: to the caller the database is away.
    const unavailable = new DatabaseUnavailable(whyRefused(error), { cause: error });
    observer?.failed(kind, unavailable);
    throw unavailable;
  }
}

function openPool(
  pool: pg.Pool,
  servers: ReturnType<typeof nameServers>,
  { kind, onIdleError, noteAnswer, noteLoss, watcher, observer }: PoolWatch,
): Database {
  pool.on('error', onIdleError);
  // A connection that breaks in use also emits an event, which without a listener would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));

  /** `send` calls `willWrite` before it sends a statement that commits by itself. */
  async function withConnection<T>(
    send: (client: pg.PoolClient, willWrite: () => void) => Promise<T>,
  ): Promise<T> {
    const askedAt = performance.now();
    const client = await takeConnection(pool, servers, { kind, observer });
    const takenAt = performance.now();
    observer?.waited(kind, (takenAt - askedAt) / 1_000);
    let isWriteSent = false;
    try {
      const result = await send(client, () => {
        isWriteSent = true;
      });
      observer?.used(kind, (performance.now() - takenAt) / 1_000);
      noteAnswer();
      client.release();
      if (isWriteSent) noteWrite(watchOfCaller());
      return result;
    } catch (error) {
      if (isRolledBack(error)) noteAnswer();
      // A search without room for its temporary files proves nothing about writes.
      if (kind !== 'search') watcher?.noteError(error);
      noteLoss(error);
      // A connection in doubt is never used again: after a timeout its answer may still be on the way.
      client.release(isConnectionLost(error));
      const seen = asUnavailable(error, isWriteSent);
      observer?.failed(kind, seen);
      if (seen instanceof CommitUnknown) noteWrite(watchOfCaller());
      throw seen;
    }
  }

  function transaction<T>(work: (tx: Tx) => Promise<T>, deadline?: Deadline): Promise<T> {
    return tracedTransaction(async () => {
      const ended = await withConnection((client, willWrite) =>
        runTransaction(client, work, deadline, willWrite),
      );
      if ('thrown' in ended) throw ended.thrown;
      return ended.value;
    });
  }

  return {
    query: (wanted, values) =>
      tracedStatement(wanted, () =>
        withConnection(async (client, willWrite) => {
          const sent = await withServerTimes(client, values);
          if (isWrite(wanted)) willWrite();
          return run(client, wanted, sent);
        }),
      ),
    transaction,
    ping: () => withConnection(async (client) => void (await client.query('select 1'))),
    close: () => pool.end(),
  };
}
