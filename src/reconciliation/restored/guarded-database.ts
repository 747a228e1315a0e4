import type { Database, Row, Step, Tx } from '../../platform/postgres/database.ts';

/** Nothing was written: what was done is somebody else's by now. */
export class GuardLost extends Error {
  override readonly name = 'GuardLost';
}

/**
 * A database whose transactions write only where the last step of the guard gives a row, and throw
 * `GuardLost` otherwise: a process that stood still writes nothing over what others did meanwhile. What it
 * reads by `query` is not guarded.
 */
export function guardedDatabase(database: Database, guard: readonly Step[]): Database {
  async function hold(tx: Tx): Promise<void> {
    let isHeld = false;
    for (const { statement, values } of guard) isHeld = (await tx.query(statement, values)).length === 1;
    if (!isHeld) throw new GuardLost('somebody else goes on with it');
  }
  const transaction: Database['transaction'] = (work, deadline) =>
    database.transaction(async (tx) => {
      await hold(tx);
      return work(tx);
    }, deadline);
  const commit: Database['commit'] = (steps, deadline) =>
    transaction(async (tx) => {
      const rows: Row[][] = [];
      for (const step of steps) {
        const next = typeof step === 'function' ? step(rows) : step;
        rows.push(next === null ? [] : await tx.query(next.statement, next.values));
      }
      return rows;
    }, deadline);
  return { ...database, transaction, commit };
}
