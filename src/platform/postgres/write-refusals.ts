import { SQL_STATE, sqlStateOf } from './database-errors.ts';

/**
 * Answers of PostgreSQL with which it certainly wrote nothing, caused by the server itself. `full`:
 * its disk is (53100). `short`: of memory or of another bound (the rest of class 53). `readOnly`
 * (25006). `pooled`: the statement that was prepared on this connection is another one's (26000,
 * 42P05).
 */
export type RefusedWrite = 'full' | 'short' | 'readOnly' | 'pooled';

/** For people, of `pooled`. */
export const POOLED =
  'prepared statements do not stay on their connection: a pooler such as PgBouncer lends one connection to many ' +
  'between transactions; lead Parcela to PostgreSQL itself (docs/restore.md)';

/** Null: it is none of these. Looks through wrapping errors too. */
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
