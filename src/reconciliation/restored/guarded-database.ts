import type { CommitStep, Database, Step } from '../../platform/postgres/database.ts';

/** Nothing was written: what was done is somebody else's by now. */
export class GuardLost extends Error {
  override readonly name = 'GuardLost';
}

/**
 * A database whose commits write only where the last step of the guard gives a row, and throw `GuardLost`
 * otherwise: a process that stood still writes nothing over what others did meanwhile. What it reads by
 * `query` is not guarded.
 */
export function guardedDatabase(database: Database, guard: readonly Step[]): Database {
  const isHeld = (rows: readonly (readonly unknown[])[]) => rows[guard.length - 1]?.length === 1;
  return {
    ...database,
    async commit(steps, deadline) {
      const behind = steps.map((step): CommitStep => {
        return (rows) => {
          if (!isHeld(rows)) return null;
          return typeof step === 'function' ? step(rows.slice(guard.length)) : step;
        };
      });
      const rows = await database.commit([...guard, ...behind], deadline);
      if (!isHeld(rows)) throw new GuardLost('somebody else goes on with it');
      return rows.slice(guard.length);
    },
  };
}
