import type { Database, Tx } from '../../platform/postgres/database.ts';

/** Another process has taken over; nothing was written. */
export class GuardLost extends Error {
  override readonly name = 'GuardLost';
}

/**
 * Transactions throw `GuardLost` unless `hold` returns true, so that a suspended process overwrites nothing.
 * `query` is not guarded.
 */
export function guardedDatabase(database: Database, hold: (tx: Tx) => Promise<boolean>): Database {
  const transaction: Database['transaction'] = (work, deadline) =>
    database.transaction(async (tx) => {
      if (!(await hold(tx))) throw new GuardLost('somebody else goes on with it');
      return work(tx);
    }, deadline);
  return { ...database, transaction };
}
