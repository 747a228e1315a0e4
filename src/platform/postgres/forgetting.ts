import { type Database, statement } from './database.ts';

export type ForgottenTable = {
  /** Also the prefix of the statement's name. */
  readonly table: string;
  /** The indexed column by which the oldest rows are found. */
  readonly by: string;
  /** The condition of expired rows; `$2`: the caller's value, if any. */
  readonly over: string;
};

/** Finds rows once and deletes them by their place: a join of a table with itself could be planned badly. */
export function forgottenTexts({ table, by, over }: ForgottenTable) {
  return {
    forget: `with held as materialized (
     select ctid as place from ${table} where ${over} order by ${by} limit $1 for update skip locked
   )
   delete from ${table} where ctid = any (array(select place from held)) returning 1`,
  } as const;
}

/** Deletes up to `limit` rows, the oldest first, and returns how many. `Value`: for `$2`. */
export type Forget<Value extends readonly [number?]> = (
  database: Database,
  limit: number,
  ...value: Value
) => Promise<number>;

/** Called at load only. Locked rows are left for another time. */
export function forgetting<Value extends readonly [number?] = []>(table: ForgottenTable): Forget<Value> {
  const forget = statement(`${table.table}.forget`, forgottenTexts(table).forget);
  return async (database, limit, ...value) => (await database.query(forget, [limit, ...value])).length;
}
