import type pg from 'pg';
import type { DatabaseObserver } from './database-metrics.ts';
import { whyRefused } from './database-wait.ts';
import { type Deadline, serverTime, withServerTimes } from './deadline.ts';
import { type Connections, makePool, nameServers, USUAL_CONNECTIONS } from './pools.ts';
import { openPrimary } from './primary.ts';
import { hasSqlState, SQL_STATE, sqlStateOf } from './sql-states.ts';
import { tracedStatement, tracedTransaction } from './traced-statements.ts';
import { noteWrite, watchOfCaller } from './write-watch.ts';

/**
 * A named prepared statement. The name is unique in the program: PostgreSQL plans each text once a
 * connection.
 */
export type Statement = { readonly name: string; readonly text: string };

export type Row = Record<string, unknown>;

export type Step = { readonly statement: Statement; readonly values: readonly unknown[] };

/**
 * A step whose values depend on the rows of the steps before it. It only computes. Null: nothing is
 * run, and it gives no rows.
 */
export type CommitStep = Step | ((rows: readonly Row[][]) => Step | null);

export type Database = {
  /**
   * Runs one statement by itself (committed when the promise resolves). Throws pg errors (rolled
   * back), `CommitUnknown` or `DatabaseUnavailable` (nothing was written).
   */
  query(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
  /**
   * Runs the steps in one transaction, in order, and returns their rows. All of them are committed,
   * or none; none after the deadline, also when the message that commits them is delayed on its
   * way.
   */
  commit(steps: readonly CommitStep[], deadline?: Deadline): Promise<Row[][]>;
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

/**
 * The database could not be reached, or broke off before anything could be committed: nothing was
 * written.
 */
export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable';
}

/**
 * The connection broke, or stayed silent, with a write under way: it may be committed or not. Only
 * repeating the same idempotent statement can find out; a select may miss a commit that is
 * arriving.
 */
export class CommitUnknown extends DatabaseUnavailable {
  override readonly name = 'CommitUnknown';
}

/**
 * Nothing was written, and the same again goes through soon: batched writes repeat it until the
 * deadline.
 */
export class PassingFault extends DatabaseUnavailable {}

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

const writing = new Map<string, boolean>();

/** Whether a statement can leave something behind: found out once. */
function isWrite({ name, text }: Statement): boolean {
  const known = writing.get(name) ?? canWrite(text);
  writing.set(name, known);
  return known;
}

/** `for update` locks rows and leaves nothing behind; `set transaction` says how the others read. */
export function canWrite(text: string): boolean {
  return (
    !/^\s*(select|with|set\s+transaction)\b/i.test(text) ||
    /\binsert\s+into\b|\bdelete\s+from\b|(?<!\bfor\s+(no\s+key\s+)?)\bupdate\b|\bsetval\b/i.test(text)
  );
}

/**
 * Too many clients, and a starting or stopping server: reported to a connection that is not open
 * yet.
 */
const NOT_ADMITTED: readonly string[] = [SQL_STATE.tooManyConnections, SQL_STATE.cannotConnectNow];

/**
 * SQLSTATE classes of a lost connection or server: 08 connection, 40003 completion unknown, 57P0x
 * shutdown.
 */
function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const state = sqlStateOf(error);
  if (state !== null)
    return (
      /^(08...|57P0[1-5])$/.test(state) ||
      [SQL_STATE.completionUnknown, SQL_STATE.readOnlyTransaction, ...NOT_ADMITTED].includes(state)
    );
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && /^E[A-Z]+$/.test(code)) return true;
  return /connection|timeout|terminated|closed|not queryable/i.test(error.message);
}

/** Whether PostgreSQL itself refused a statement: nothing of its transaction was written. */
export function isRolledBack(error: unknown): boolean {
  return sqlStateOf(error) !== null;
}

/** What was never sent, or was refused before it was read, was certainly not written. */
function provesNothingWritten(error: unknown): boolean {
  const { message } = error as { message: string };
  return hasSqlState(error, SQL_STATE.readOnlyTransaction, ...NOT_ADMITTED) || /not queryable/i.test(message);
}

function asUnavailable(error: unknown, isWriteSent: boolean): unknown {
  if (!isConnectionLost(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const isInDoubt = isWriteSent && !provesNothingWritten(error);
  return new (isInDoubt ? CommitUnknown : DatabaseUnavailable)(reason, { cause: error });
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

  return {
    query: (wanted, values) =>
      tracedStatement(wanted, () =>
        withConnection(async (client, willWrite) => {
          const sent = await withServerTimes(client, values);
          if (isWrite(wanted)) willWrite();
          return run(client, wanted, sent);
        }),
      ),
    commit: (steps, deadline) =>
      tracedTransaction(() =>
        withConnection((client, willWrite) => runSteps(client, steps, deadline, willWrite)),
      ),
    ping: () => withConnection(async (client) => void (await client.query('select 1'))),
    close: () => pool.end(),
  };
}

/** In one transaction; `willWrite` is called before what could be committed is sent. */
async function runSteps(
  client: pg.PoolClient,
  steps: readonly CommitStep[],
  deadline: Deadline | undefined,
  willWrite: () => void,
): Promise<Row[][]> {
  const until = deadline === undefined ? null : await serverTime(client, deadline);
  try {
    await client.query(until === null ? 'begin' : beginUntil(until));
    const rows: Row[][] = [];
    let hasWritten = false;
    for (const step of steps) {
      const next = typeof step === 'function' ? step(rows) : step;
      if (next !== null) hasWritten ||= isWrite(next.statement);
      rows.push(next === null ? [] : await runStep(client, next));
    }
    if (hasWritten) willWrite();
    const end = await sendCommit(client, until !== null);
    // After an error inside the transaction PostgreSQL answers a commit with ROLLBACK, without an
    // error.
    if (end?.command !== 'COMMIT') throw new Error(`the transaction ended with ${end?.command}`);
    return rows;
  } catch (error) {
    if (!isConnectionLost(error)) await client.query('rollback');
    throw error;
  }
}

const DIVISION_BY_ZERO = '22012';
/** One message; the deadline is a time that was written here. */
function beginUntil(deadline: string): string {
  return `begin; set local parcela.deadline = '${deadline}'`;
}
/** One message: what arrives late divides by zero, and the commit behind it is not carried out. */
const COMMIT_IN_TIME =
  "select 1 / (clock_timestamp() < current_setting('parcela.deadline')::timestamptz)::integer; commit";

async function sendCommit(client: pg.PoolClient, hasDeadline: boolean): Promise<pg.QueryResult | undefined> {
  try {
    const ended: pg.QueryResult | pg.QueryResult[] = await client.query(
      hasDeadline ? COMMIT_IN_TIME : 'commit',
    );
    return Array.isArray(ended) ? ended.at(-1) : ended;
  } catch (error) {
    if ((error as { code?: unknown }).code !== DIVISION_BY_ZERO) throw error;
    throw new DatabaseUnavailable('the commit came after its deadline', { cause: error });
  }
}

function runStep(client: pg.PoolClient, { statement: wanted, values }: Step): Promise<Row[]> {
  return tracedStatement(wanted, async () => run(client, wanted, await withServerTimes(client, values)));
}

async function run(
  client: pg.PoolClient,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  return (await client.query({ name, text, values: values as unknown[] })).rows as Row[];
}
