import pg from 'pg';

/** A named prepared statement. The name is unique in the program: PostgreSQL plans each text once a connection. */
export type Statement = { readonly name: string; readonly text: string };

export type Row = Record<string, unknown>;

/** One statement with its values, for `commit`. */
export type Step = { readonly statement: Statement; readonly values: readonly unknown[] };

/** A step whose values depend on the rows that the steps before it gave. It computes; it asks nobody. */
export type CommitStep = Step | ((rows: readonly Row[][]) => Step);

export type Database = {
  /** Runs one statement by itself (committed when the promise resolves). Throws pg errors, or `DatabaseUnavailable`. */
  query(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
  /** Runs the steps in one transaction, in order, and gives their rows. All of them are committed, or none. */
  commit(steps: readonly CommitStep[]): Promise<Row[][]>;
  /** Resolves when a connection answers; throws `DatabaseUnavailable` otherwise. */
  ping(): Promise<void>;
  close(): Promise<void>;
};

export type DatabaseAddress =
  | string
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string;
      readonly database: string;
      /** What the session works as; absent: as its user. */
      readonly role?: string;
    };

/**
 * The database could not be reached or the connection broke. What was sent may or may not have been committed:
 * only repeating the same idempotent statement tells (house rule: never look with a select).
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** Who keeps an eye on the server. */
export type ServerWatcher = {
  /**
   * Looks at each new connection before it is used: asks it a text and gives a name of the server. Connections to a
   * server of another name are given up once it is heard: what follows is asked of one server alone.
   */
  check(ask: (text: string) => Promise<Row>): Promise<string>;
  /** Hears of each error of a statement. */
  hear(error: unknown): void;
};

/** Ten connections are enough: beyond that the cores are the limit. Two more keep reads going beside full gathered writes. */
const CONNECTIONS = 12;
const CONNECT_TIMEOUT_MILLISECONDS = 3_000;
const LOCK_TIMEOUT_MILLISECONDS = 1_000;
const STATEMENT_TIMEOUT_MILLISECONDS = 5_000;
/** A little over the server's own limit: it ends waits for a server that has gone silent. */
const ANSWER_TIMEOUT_MILLISECONDS = 7_000;

/**
 * A plan made while a table was small would read it whole for as long as nobody analyzes it: the statements here all have
 * their index. A bitmap of an index is the same in small: a merchant's whole day to find one buyer's tries. So the plan
 * without values is the right one, and a statement is not planned anew to find that out.
 */
const PLANNING =
  '-c jit=off -c enable_seqscan=off -c enable_bitmapscan=off -c plan_cache_mode=force_generic_plan';

const names = new Set<string>();

/** Declares a statement. Throws when the name is taken: two texts under one name would share a plan. */
export function statement(name: string, text: string): Statement {
  if (names.has(name)) throw new Error(`the statement name ${name} is taken`);
  if (name.length > 63) throw new Error(`the statement name ${name} is longer than PostgreSQL keeps`);
  names.add(name);
  return { name, text };
}

const INT8 = 20;
const TIMESTAMPTZ = 1184;
const INT8_ARRAY = 1016;

/** Whole numbers of 64 bits are cents and counters, all far under 2^53; anything larger is a bug and must not be rounded. */
function readInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`an int8 of ${text} does not fit`);
  return value;
}

/** `2026-11-21 13:00:00.123456+00` (the sessions run in UTC) as milliseconds since the epoch. */
function readTimestamptz(text: string): number {
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11).replace('+00', 'Z')}`);
}

const types = {
  getTypeParser(oid: number, format?: string) {
    if (oid === INT8) return readInt8;
    if (oid === TIMESTAMPTZ) return readTimestamptz;
    if (oid === INT8_ARRAY)
      return (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(readInt8));
    return pg.types.getTypeParser(oid, format as 'text');
  },
} as unknown as pg.CustomTypesConfig;

/** SQLSTATE classes that say the connection or the server went away: 08 connection, 40003 completion unknown, 57P0x shutdown, 53300 too many clients. */
function tellsConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') {
    if (/^(08...|40003|57P0[1-5]|53300|25006)$/.test(code)) return true;
    if (/^E[A-Z]+$/.test(code)) return true;
    if (/^[0-9A-Z]{5}$/.test(code)) return false;
  }
  return /connection|timeout|terminated|closed|not queryable/i.test(error.message);
}

function asUnavailable(error: unknown): unknown {
  if (!tellsConnectionLost(error)) return error;
  return new DatabaseUnavailable(error instanceof Error ? error.message : String(error), { cause: error });
}

/**
 * Opens the pool. `onIdleError` hears of connections that break while nobody uses them.
 * Times are read as milliseconds since the epoch, int8 as numbers, numeric as text.
 */
export function openDatabase(
  address: DatabaseAddress,
  onIdleError: (error: Error) => void,
  watcher?: ServerWatcher,
): Database {
  const role = typeof address === 'string' || address.role === undefined ? '' : ` -c role=${address.role}`;
  const pool = new pg.Pool({
    ...(typeof address === 'string' ? { connectionString: address } : address),
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MILLISECONDS,
    idleTimeoutMillis: 0,
    query_timeout: ANSWER_TIMEOUT_MILLISECONDS,
    statement_timeout: STATEMENT_TIMEOUT_MILLISECONDS,
    lock_timeout: LOCK_TIMEOUT_MILLISECONDS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MILLISECONDS,
    application_name: 'parcela',
    options: `-c timezone=UTC ${PLANNING}${role}`,
    types,
    keepAlive: true,
    ...(watcher === undefined ? {} : { onConnect: (client: pg.ClientBase) => nameServer(client, watcher) }),
  });
  const serverOf = new WeakMap<pg.ClientBase, string>();
  let newestServer: string | undefined;
  async function nameServer(client: pg.ClientBase, { check }: ServerWatcher): Promise<void> {
    const ask = async (text: string) => {
      const asked = { text, query_timeout: CONNECT_TIMEOUT_MILLISECONDS };
      return (await client.query(asked)).rows[0] as Row;
    };
    newestServer = await check(ask);
    serverOf.set(client, newestServer);
  }
  async function connect(): Promise<pg.PoolClient> {
    const client = await pool.connect();
    if (serverOf.get(client) === newestServer) return client;
    client.release(true);
    return connect();
  }
  pool.on('error', onIdleError);
  // A connection that breaks in use fails its statement and says so as an event too, which unheard would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));

  async function withConnection<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    let client: pg.PoolClient;
    try {
      client = await connect();
    } catch (error) {
      // Whatever the reason, nothing was sent: to the caller the database is away.
      throw new DatabaseUnavailable(error instanceof Error ? error.message : String(error), { cause: error });
    }
    try {
      const result = await use(client);
      client.release();
      return result;
    } catch (error) {
      watcher?.hear(error);
      // A connection in doubt is never reused: after a timeout its answer may still be on the way.
      client.release(tellsConnectionLost(error));
      throw asUnavailable(error);
    }
  }

  return {
    query: (wanted, values) =>
      withConnection(async (client) => {
        const result = await client.query({
          name: wanted.name,
          text: wanted.text,
          values: values as unknown[],
        });
        return result.rows as Row[];
      }),
    commit: (steps) =>
      withConnection(async (client) => {
        await client.query('begin');
        try {
          const rows: Row[][] = [];
          for (const step of steps) {
            const { statement: wanted, values } = typeof step === 'function' ? step(rows) : step;
            const result = await client.query({
              name: wanted.name,
              text: wanted.text,
              values: values as unknown[],
            });
            rows.push(result.rows as Row[]);
          }
          const end = await client.query('commit');
          // After an error inside the transaction PostgreSQL answers a commit with ROLLBACK, without an error.
          if (end.command !== 'COMMIT') throw new Error(`the transaction ended with ${end.command}`);
          return rows;
        } catch (error) {
          if (!tellsConnectionLost(error)) await client.query('rollback');
          throw error;
        }
      }),
    ping: () => withConnection(async (client) => void (await client.query('select 1'))),
    close: () => pool.end(),
  };
}
