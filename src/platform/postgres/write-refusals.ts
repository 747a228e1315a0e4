/**
 * Answers of PostgreSQL with which it certainly wrote nothing, and that are its own fault alone. `full`: its disk is (53100).
 * `short`: of memory or of another bound (the rest of class 53). `readOnly` (25006). `pooled`: the statement that was prepared
 * on this connection is another one's (26000, 42P05).
 */
export type RefusedWrite = 'full' | 'short' | 'readOnly' | 'pooled';

/** For a person, of `pooled`. */
export const POOLED =
  'prepared statements do not stay on their connection: a pooler such as PgBouncer lends one connection to many ' +
  'between transactions; lead Parcela to PostgreSQL itself (docs/restore.md)';

/** Null: it is none of these. Looks through what wraps the error too. */
export function kindOfRefusedWrite(error: unknown): RefusedWrite | null {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const kind = kindOfCode((inner as { code?: unknown }).code);
    if (kind !== null) return kind;
  }
  return null;
}

function kindOfCode(code: unknown): RefusedWrite | null {
  if (code === '53100') return 'full';
  if (code === '25006') return 'readOnly';
  if (code === '26000' || code === '42P05') return 'pooled';
  return typeof code === 'string' && /^53[0-9A-Z]{3}$/.test(code) ? 'short' : null;
}
