import { SQL_STATE, sqlStateOf } from './database-errors.ts';

/**
 * The server certainly wrote nothing. `full`: disk (53100). `short`: memory or another limit (other 53xxx).
 * `readOnly`: 25006. `pooled`: the connection has another client's prepared statement (26000, 42P05).
 */
export type RefusedWrite = 'full' | 'short' | 'readOnly' | 'pooled';

export const POOLED =
  'prepared statements do not stay on their connection: a pooler such as PgBouncer lends one connection to many ' +
  'between transactions; lead Parcela to PostgreSQL itself (docs/restore.md)';

export function kindOfRefusedWrite(error: unknown): RefusedWrite | null {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const kind = kindOfState(sqlStateOf(inner));
    if (kind !== null) return kind;
  }
  return null;
}

function kindOfState(state: string | null): RefusedWrite | null {
  if (state === SQL_STATE.diskFull) return 'full';
  if (state === SQL_STATE.readOnlyTransaction) return 'readOnly';
  if (state === SQL_STATE.unknownStatementName || state === SQL_STATE.duplicateStatementName) return 'pooled';
  return state?.startsWith('53') ? 'short' : null;
}
