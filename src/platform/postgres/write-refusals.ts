/**
 * Answers of PostgreSQL with which it certainly wrote nothing, and that are nobody's fault but its own: `short` of disk,
 * or memory (SQLSTATE class 53), `readOnly` (25006), or `pooled`: the statement that was prepared on this
 * connection is another connection's (26000, 42P05).
 */
export type RefusedWrite = 'short' | 'readOnly' | 'pooled';

/** Null: it is none of these. Looks through what wraps the error too. */
export function kindOfRefusedWrite(error: unknown): RefusedWrite | null {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const code = (inner as { code?: unknown }).code;
    if (typeof code !== 'string') continue;
    // Too many connections (53300) says nothing of those that are open.
    if (/^53(?!300)...$/.test(code)) return 'short';
    if (code === '25006') return 'readOnly';
    if (code === '26000' || code === '42P05') return 'pooled';
  }
  return null;
}
