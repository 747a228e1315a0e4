/** PostgreSQL's codes of errors (SQLSTATE, appendix A of its manual) that decide something here. */
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

/**
 * The code that PostgreSQL gave an error; null for errors of the driver, the network and ourselves.
 */
export function sqlStateOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  // Codes of Node (EPIPE) have five characters too.
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]+$/.test(code) ? code : null;
}

export function hasSqlState(error: unknown, ...states: readonly string[]): boolean {
  const state = sqlStateOf(error);
  return state !== null && states.includes(state);
}

/**
 * Deadlock, serialization failure, a lock or a statement that took too long: rolled back, and the
 * same may well succeed later.
 */
export function isWorthAnotherTry(error: unknown): boolean {
  const { serializationFailure, deadlock, lockNotAvailable, queryCanceled } = SQL_STATE;
  return hasSqlState(error, serializationFailure, deadlock, lockNotAvailable, queryCanceled);
}

/** The server was killed while it was being started or used: starting again may help. */
export class PostgresKilled extends Error {
  override readonly name = 'PostgresKilled';
}
