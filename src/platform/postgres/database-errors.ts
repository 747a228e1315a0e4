/** SQLSTATE codes (PostgreSQL manual, appendix A). */
export const SQL_STATE = {
  featureNotSupported: '0A000',
  foreignKeyViolation: '23503',
  uniqueViolation: '23505',
  readOnlyTransaction: '25006',
  unknownStatementName: '26000',
  serializationFailure: '40001',
  completionUnknown: '40003',
  deadlock: '40P01',
  insufficientPrivilege: '42501',
  undefinedFunction: '42883',
  duplicateStatementName: '42P05',
  diskFull: '53100',
  tooManyConnections: '53300',
  lockNotAvailable: '55P03',
  queryCanceled: '57014',
  cannotConnectNow: '57P03',
} as const;

/** Null for errors of the driver, the network and this program. */
export function sqlStateOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  // Codes of Node (EPIPE) have five characters too.
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]+$/.test(code) ? code : null;
}

export function hasSqlState(error: unknown, ...states: readonly string[]): boolean {
  const state = sqlStateOf(error);
  return state !== null && states.includes(state);
}

/** Deadlock, serialization failure, lock or statement timeout: rolled back, and may succeed later. */
export function isWorthAnotherTry(error: unknown): boolean {
  const { serializationFailure, deadlock, lockNotAvailable, queryCanceled } = SQL_STATE;
  return hasSqlState(error, serializationFailure, deadlock, lockNotAvailable, queryCanceled);
}

/** Killed while it started or ran: another start may help. */
export class PostgresKilled extends Error {
  override readonly name = 'PostgresKilled';
}

/** The database was unreachable, or broke off before a commit could begin: nothing was written. */
export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable';
}

/**
 * The connection broke or stayed silent during a write: it may be committed. Only repeating the idempotent
 * statement can tell; a select may miss a commit that is arriving.
 */
export class CommitUnknown extends DatabaseUnavailable {
  override readonly name = 'CommitUnknown';
}

/** Nothing was written, and a repetition soon succeeds: batched writes repeat it until the deadline. */
export class PassingFault extends DatabaseUnavailable {}

/** Reported before the connection is open: too many clients, or a starting or stopping server. */
const NOT_ADMITTED: readonly string[] = [SQL_STATE.tooManyConnections, SQL_STATE.cannotConnectNow];

/**
 * Whether the connection is lost or of no use. SQLSTATE: 08 connection, 40003 completion unknown, 57P0x
 * shutdown, 25006 a standby, 53300 too many clients.
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

/** PostgreSQL refused the statement: nothing of its transaction was written. */
export function isRolledBack(error: unknown): boolean {
  return sqlStateOf(error) !== null;
}

/** The statement was never sent, or was refused before it was read. */
function provesNothingWritten(error: unknown): boolean {
  const { message } = error as { message: string };
  return hasSqlState(error, SQL_STATE.readOnlyTransaction, ...NOT_ADMITTED) || /not queryable/i.test(message);
}

/** `isWriteSent`: something may be committed. */
export function asUnavailable(error: unknown, isWriteSent: boolean): unknown {
  if (!isConnectionLost(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const isInDoubt = isWriteSent && !provesNothingWritten(error);
  return new (isInDoubt ? CommitUnknown : DatabaseUnavailable)(reason, { cause: error });
}
