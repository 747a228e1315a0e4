import { hasSqlState, SQL_STATE, sqlStateOf } from './sql-states.ts';

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

/**
 * Too many clients, and a starting or stopping server: reported to a connection that is not open
 * yet.
 */
const NOT_ADMITTED: readonly string[] = [SQL_STATE.tooManyConnections, SQL_STATE.cannotConnectNow];

/**
 * SQLSTATE classes of a lost connection or server: 08 connection, 40003 completion unknown, 57P0x
 * shutdown.
 */
export function isConnectionLost(error: unknown): boolean {
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

/** What a caller sees of an error. `isWriteSent`: something may be committed. */
export function asUnavailable(error: unknown, isWriteSent: boolean): unknown {
  if (!isConnectionLost(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const isInDoubt = isWriteSent && !provesNothingWritten(error);
  return new (isInDoubt ? CommitUnknown : DatabaseUnavailable)(reason, { cause: error });
}
