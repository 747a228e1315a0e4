import type { Database, Tx } from '../../platform/postgres/database.ts';

/** Nothing was written: what was done is somebody else's by now. */
export class GuardLost extends Error {
  override readonly name = 'GuardLost';
}

/**
 * A database whose transactions write only where `hold` finds that they may, and throw `GuardLost`
 * otherwise: a process that stood still writes nothing over what others did meanwhile. What it
 * reads by `query` is not guarded.
 */
export function guardedDatabase(database: Database, hold: (tx: Tx) => Promise<boolean>): Database {
  const transaction: Database['transaction'] = (work, deadline) =>
    database.transaction(async (tx) => {
      if (!(await hold(tx))) throw new GuardLost('somebody else goes on with it');
      return work(tx);
    }, deadline);
  return { ...database, transaction };
}
