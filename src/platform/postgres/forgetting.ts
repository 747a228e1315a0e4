import { type Database, statement } from './database.ts';

/** Rows whose time ends. */
export type ForgottenTable = {
  /** Also the prefix of the statement's name. */
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: string;
  /** The indexed column by which the oldest are found. */
  readonly by: string;
  /** Which are over; `$2`: the value that the caller gives, if any. */
  readonly over: string;
};

export function forgottenTexts({ table, key, by, over }: ForgottenTable) {
  return {
    forget: `delete from ${table} where (${key}) in
     (select ${key} from ${table} where ${over} order by ${by} limit $1 for update skip locked)
   returning 1`,
  } as const;
}

/** Deletes up to `limit`, the oldest first, and returns how many. */
export type Forget = (database: Database, limit: number, ...values: readonly number[]) => Promise<number>;

/** Called at load only. Locked rows are left for another time. */
export function forgetting(table: ForgottenTable): Forget {
  const forget = statement(`${table.table}.forget`, forgottenTexts(table).forget);
  return async (database, limit, ...values) => (await database.query(forget, [limit, ...values])).length;
}
