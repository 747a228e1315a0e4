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
  tracedStatement,
  tracedTransaction,
  USUAL_CONNECTIONS,
} from './pools.ts';
import { openPrimary } from './primary.ts';
import { isWrite, run, runTransaction } from './run-transaction.ts';

import { noteWrite, watchOfCaller } from './write-watch.ts';

/**
 * A named prepared statement. The name is unique in the program: PostgreSQL plans each text once a
 * connection.
 */
export type Statement = { readonly name: string; readonly text: string };

export type Row = Record<string, unknown>;

declare const inTransaction: unique symbol;

/**
 * A transaction under way, on a connection of its own. What takes one awaits nothing else: the
 * connection and its locks are held meanwhile.
 */
export type Tx = {
  /** A `Database` is no `Tx`: its statements are committed one by one. */
  readonly [inTransaction]: true;
  query(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
};

export type Database = {
  /**
   * Runs one statement by itself (committed when the promise resolves). Throws pg errors (rolled
   * back), `CommitUnknown` or `DatabaseUnavailable` (nothing was written).
   */
  query(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
  /**
   * Runs `work` in one transaction and gives what it gives. All is committed, or nothing: nothing
   * where `work` throws, and nothing after the deadline, also when the message that commits it is
   * delayed on its way. Throws what `query` throws, and what `work` throws itself.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, deadline?: Deadline): Promise<T>;
  /** Resolves when a connection answers; throws `DatabaseUnavailable` otherwise. */
  ping(): Promise<void>;
  close(): Promise<void>;
};

/** What only reads, one statement at a time. */
export type Reader = Pick<Database, 'query'>;

/** The connections of one process: those of payments and all other work, and those for searches. */
export type OpenedDatabase = Database & {
  /** Lists, searches and histories read here, so that they never take a connection of a payment. */
  readonly search: Reader;
  /** When the server answered last, but for searches: monotonic milliseconds. */
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
      /** The role of the session; absent: its user. */
      readonly role?: string;
    };

export type ServerWatcher = {
  /** Checks each new connection before it is used: runs a query and returns a name of the server. */
  check(ask: (text: string) => Promise<Row>): Promise<string>;
  /**
   * The name of the server that all work goes to. A connection that was opened to another one, or to the
   * same one when it had another name, is closed before it is used.
   */
  newest(): string | null;
  /** Called for each error of a statement. */
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

/** The statements of the modules that are loaded. */
export function declaredStatements(): readonly Statement[] {
  return [...declared.values()];
}

export type DatabaseTools = {
  readonly watcher?: ServerWatcher;
  readonly connections?: Connections;
  readonly observer?: DatabaseObserver;
};

/**
 * Opens both pools; none connects before it is used. `onIdleError` is called for connections that
 * break while idle. Times are read as milliseconds since the epoch, int8 as numbers, numeric as
 * text.
 */
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
  const open = (kind: keyof Connections, noteAnswer: () => void) => {
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
  const [work, search] = [open('work', noteAnswer), open('search', () => {})];
  const close = async () => void (await Promise.all([work.close(), search.close()]));
  return { ...work, close, search, answeredAt: () => answeredAt };
}

type PoolWatch = {
  readonly kind: keyof Connections;
  readonly onIdleError: (error: Error) => void;
  readonly noteAnswer: () => void;
  readonly noteLoss: (error: unknown) => void;
  readonly watcher: ServerWatcher | undefined;
  readonly observer: DatabaseObserver | undefined;
};

async function takeConnection(
  pool: pg.Pool,
  servers: ReturnType<typeof nameServers>,
  observer: DatabaseObserver | undefined,
): Promise<pg.PoolClient> {
  try {
    return await servers.take(pool);
  } catch (error) {
    // Whatever the reason, nothing was sent: to the caller the database is away.
    const unavailable = new DatabaseUnavailable(whyRefused(error), { cause: error });
    observer?.failed(unavailable);
    throw unavailable;
  }
}

function openPool(
  pool: pg.Pool,
  servers: ReturnType<typeof nameServers>,
  { kind, onIdleError, noteAnswer, noteLoss, watcher, observer }: PoolWatch,
): Database {
  pool.on('error', onIdleError);
  // A connection that breaks in use fails its statement and also emits an event, which without a
  // listener would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));

  /** `send` gets a function to call before it sends what could be committed by itself. */
  async function withConnection<T>(
    send: (client: pg.PoolClient, willWrite: () => void) => Promise<T>,
  ): Promise<T> {
    const askedAt = performance.now();
    const client = await takeConnection(pool, servers, observer);
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
      watcher?.noteError(error);
      noteLoss(error);
      // A connection in doubt is never reused: after a timeout its answer may still be on the way.
      client.release(isConnectionLost(error));
      const seen = asUnavailable(error, isWriteSent);
      observer?.failed(seen);
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
