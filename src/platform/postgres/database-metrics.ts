import type pg from 'pg';
import { counter, gauge, histogram, type Metrics } from '../metrics.ts';
import {
  CommitUnknown,
  DatabaseUnavailable,
  PassingFault,
  SQL_STATE,
  sqlStateOf,
} from './database-errors.ts';
import type { PoolKind } from './pools.ts';

import { kindOfRefusedWrite } from './write-refusals.ts';

const POOL = 'db_client_connection_pool_name';
const STATE = 'db_client_connection_state';
const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

const CONNECTIONS = gauge(
  'db_client_connection_count',
  'Connections to the database, those that are being opened among the used ones.',
  [POOL, STATE],
);
const CONNECTIONS_MAX = gauge(
  'db_client_connection_max',
  'As many as the settings allow (PARCELA_DATABASE_CONNECTIONS, PARCELA_SEARCH_CONNECTIONS), and one to look for due work.',
  [POOL],
);
const PENDING = gauge(
  'db_client_connection_pending_requests',
  'Statements and commits that wait for a connection.',
  [POOL],
);
const WAIT_TIME = histogram(
  'db_client_connection_wait_time_seconds',
  'How long a statement or a commit waited for its connection.',
  SECONDS,
  [POOL],
);
const USE_TIME = histogram(
  'db_client_connection_use_time_seconds',
  'How long it had the connection: its duration in the database.',
  SECONDS,
  [POOL],
);
const ERRORS = counter(
  'parcela_database_errors_total',
  'Statements and commits that failed, by what failed; some are repeated by themselves.',
  ['kind'],
);

/** Each kind is counted from the start, with 0: a metric that appears with its first error has no rate. */
const KINDS = [
  'commitUnknown',
  'unavailable',
  'passing',
  'full',
  'short',
  'readOnly',
  'pooled',
  'lock',
  'tooLong',
  'deadlock',
  'serialization',
  'notAllowed',
  'constraint',
  'other',
] as const;
type ErrorKind = (typeof KINDS)[number];

export type DatabaseObserver = {
  readonly opened: (kind: PoolKind, pool: pg.Pool) => void;
  readonly waited: (kind: PoolKind, seconds: number) => void;
  readonly used: (kind: PoolKind, seconds: number) => void;
  readonly failed: (kind: PoolKind, error: unknown) => void;
};

export function observeDatabase(metrics: Metrics): DatabaseObserver {
  const pools = new Map<PoolKind, pg.Pool>();
  const waits = metrics.histogram(WAIT_TIME);
  const uses = metrics.histogram(USE_TIME);
  const errors = metrics.counter(ERRORS);
  for (const kind of KINDS) errors.inc({ kind }, 0);
  metrics.gauge(CONNECTIONS, (gauge) => {
    for (const [kind, pool] of pools) {
      gauge.set({ [POOL]: kind, [STATE]: 'idle' }, pool.idleCount);
      gauge.set({ [POOL]: kind, [STATE]: 'used' }, pool.totalCount - pool.idleCount);
    }
  });
  metrics.gauge(CONNECTIONS_MAX, (gauge) => {
    for (const [kind, pool] of pools) gauge.set({ [POOL]: kind }, pool.options.max);
  });
  metrics.gauge(PENDING, (gauge) => {
    for (const [kind, pool] of pools) gauge.set({ [POOL]: kind }, pool.waitingCount);
  });
  return {
    opened: (kind, pool) => void pools.set(kind, pool),
    waited: (kind, seconds) => waits.observe({ [POOL]: kind }, seconds),
    used: (kind, seconds) => uses.observe({ [POOL]: kind }, seconds),
    failed: (_kind, error) => errors.inc({ kind: kindOfError(error) }),
  };
}

const KINDS_OF_STATES = {
  [SQL_STATE.lockNotAvailable]: 'lock',
  [SQL_STATE.queryCanceled]: 'tooLong',
  [SQL_STATE.deadlock]: 'deadlock',
  [SQL_STATE.serializationFailure]: 'serialization',
  [SQL_STATE.insufficientPrivilege]: 'notAllowed',
} as const;

function kindOfError(error: unknown): ErrorKind {
  if (error instanceof CommitUnknown) return 'commitUnknown';
  if (error instanceof PassingFault) return 'passing';
  const refused = kindOfRefusedWrite(error);
  if (refused !== null) return refused;
  if (error instanceof DatabaseUnavailable) return 'unavailable';
  const state = sqlStateOf(error);
  if (state === null) return 'other';
  const known = Object.entries(KINDS_OF_STATES).find(([each]) => each === state);
  return known?.[1] ?? (state.startsWith('23') ? 'constraint' : 'other');
}
