import pg from 'pg';
import { recordedSpan, traced } from '../tracing/scope.ts';
import type { DatabaseAddress, Row, ServerWatcher } from './database.ts';
import { IS_READ_ONLY, type Primary } from './primary.ts';

const CONNECT_TIMEOUT_MILLISECONDS = 3_000;
const LOCK_TIMEOUT_MILLISECONDS = 1_000;
const STATEMENT_TIMEOUT_MILLISECONDS = 5_000;
/** A little over the server's own limit: ends waits for a silent server. */
const ANSWER_TIMEOUT_MILLISECONDS = 7_000;

/**
 * For statements that all have an index. A plan made while a table is small would scan it whole until
 * analyze, and a bitmap would scan a merchant's whole day. So plans are generic and never remade.
 */
const PLANNED_ONCE =
  '-c jit=off -c enable_seqscan=off -c enable_bitmapscan=off -c plan_cache_mode=force_generic_plan';

/**
 * For searches, whose best plan depends on the values. One server process each, because payments need the
 * cores. Never a scan of a whole table.
 */
const PLANNED_AS_ASKED = '-c jit=off -c enable_seqscan=off -c max_parallel_workers_per_gather=0';

export type Connections = { readonly work: number; readonly search: number };

/**
 * `look`: one more connection looks for all works (`looks.sql.ts`); otherwise each connection would plan its
 * long statement.
 */
export type PoolKind = keyof Connections | 'look';
export const LOOK_CONNECTIONS = 1;

/**
 * Ten are enough for payments and writes: beyond that the cores are the limit. Two more keep reads going
 * beside full batches. A search holds one connection while it runs, so four run at once.
 */
export const USUAL_CONNECTIONS: Connections = { work: 12, search: 4 };

const PLANNING: Readonly<Record<PoolKind, string>> = {
  work: PLANNED_ONCE,
  look: PLANNED_ONCE,
  search: PLANNED_AS_ASKED,
};

export type PoolTools = {
  readonly primary: Primary;
  readonly servers: ReturnType<typeof nameServers>;
};

export function makePool(kind: PoolKind, connections: Connections, { primary, servers }: PoolTools): pg.Pool {
  class Client extends pg.Client {
    constructor() {
      super(clientOptions(primary.address, PLANNING[kind]));
    }
  }
  const pool = new pg.Pool({
    max: kind === 'look' ? LOOK_CONNECTIONS : connections[kind],
    connectionTimeoutMillis: CONNECT_TIMEOUT_MILLISECONDS,
    idleTimeoutMillis: 0,
    Client,
    onConnect: async (client) => {
      if (primary.isSought) await refuseStandby(client);
      await servers.look(client);
    },
  });
  return pool;
}

function clientOptions(address: DatabaseAddress, planning: string): pg.ClientConfig {
  const role = typeof address === 'string' || address.role === undefined ? '' : ` -c role=${address.role}`;
  return {
    ...(typeof address === 'string' ? { connectionString: address } : address),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MILLISECONDS,
    query_timeout: ANSWER_TIMEOUT_MILLISECONDS,
    statement_timeout: STATEMENT_TIMEOUT_MILLISECONDS,
    lock_timeout: LOCK_TIMEOUT_MILLISECONDS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MILLISECONDS,
    application_name: 'parcela',
    options: `-c timezone=UTC ${planning}${role}`,
    types: READ_TYPES,
    keepAlive: true,
  };
}

/** Throws if the server is a standby now, which closes the connection. */
async function refuseStandby(client: pg.ClientBase): Promise<void> {
  const asked = {
    text: `select ${IS_READ_ONLY} as is_read_only`,
    query_timeout: CONNECT_TIMEOUT_MILLISECONDS,
  };
  const [row] = (await client.query(asked)).rows as Row[];
  if (row?.is_read_only !== false) throw new Error('the connection leads to a server that takes no writes');
}

/** Names the server of each connection. Only connections to the newest server are used. */
export function nameServers(watcher: ServerWatcher | undefined, primary: Primary) {
  const named = new WeakMap<pg.ClientBase, string>();
  const isOfNewest = (client: pg.ClientBase) =>
    watcher === undefined || named.get(client) === watcher.newest();

  async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
    const looking = primary.find();
    // With an open idle connection there is no need to wait.
    if (pool.idleCount === 0) await looking;
    else looking.catch(() => {});
    const { address } = primary;
    try {
      return await pool.connect();
    } catch (error) {
      if (!primary.isSought || isOfFullPool(error)) throw error;
      primary.doubt();
      if ((await primary.find()) === address) throw error;
      return pool.connect();
    }
  }

  return {
    async look(client: pg.ClientBase): Promise<void> {
      if (watcher === undefined) return;
      const name = await watcher.check(async (text) => {
        const asked = { text, query_timeout: CONNECT_TIMEOUT_MILLISECONDS };
        return (await client.query(asked)).rows[0] as Row;
      });
      named.set(client, name);
    },
    async take(pool: pg.Pool): Promise<pg.PoolClient> {
      for (let tries = 0; tries <= pool.options.max; tries += 1) {
        const client = await connect(pool);
        if (isOfNewest(client)) return client;
        client.release(true);
      }
      throw new Error('the connections lead to one server and another in turns');
    },
  };
}

/** All connections are in use: that says nothing of the server. */
function isOfFullPool(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}

const INT8 = 20;
const TIMESTAMPTZ = 1184;
const INT8_ARRAY = 1016;
const DATE = 1082;
const DATE_ARRAY = 1182;
const TEXT_ARRAY = 1009;

/** Cents and counters are far below 2^53; anything larger is a bug and must not be rounded. */
function readInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`an int8 of ${text} does not fit`);
  return value;
}

function readInt8Array(text: string): (number | null)[] {
  if (text === '{}') return [];
  return text
    .slice(1, -1)
    .split(',')
    .map((each) => (each === 'NULL' ? null : readInt8(each)));
}

/** `2026-11-21 13:00:00.123456+00` (sessions run in UTC) as milliseconds since the epoch. */
function readTimestamptz(text: string): number {
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11).replace('+00', 'Z')}`);
}

export const READ_TYPES = {
  getTypeParser(oid: number, format?: string) {
    if (oid === INT8) return readInt8;
    if (oid === TIMESTAMPTZ) return readTimestamptz;
    // Days stay text: `2026-11-21`.
    if (oid === DATE) return (text: string) => text;
    if (oid === DATE_ARRAY) return pg.types.getTypeParser(TEXT_ARRAY as number, 'text');
    if (oid === INT8_ARRAY) return readInt8Array;
    return pg.types.getTypeParser(oid, format as 'text');
  },
} as unknown as pg.CustomTypesConfig;

const POSTGRESQL = { 'db.system.name': 'postgresql' } as const;

/** The span includes the wait for a connection, and records neither text nor values. */
export function tracedStatement<T>({ name }: { readonly name: string }, run: () => Promise<T>): Promise<T> {
  if (recordedSpan() === null) return run();
  return traced({ name, kind: 'client', attributes: { ...POSTGRESQL, 'db.query.summary': name } }, run);
}

export function tracedTransaction<T>(run: () => Promise<T>): Promise<T> {
  if (recordedSpan() === null) return run();
  return traced({ name: 'transaction', kind: 'client', attributes: POSTGRESQL }, run);
}
