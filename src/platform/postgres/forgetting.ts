import { type Database, statement } from './database.ts';

/** Rows whose time ends. */
export type ForgottenTable = {
  /** Also the prefix of the statement's name. */
  readonly table: string;
  /** The indexed column by which the oldest are found. */
  readonly by: string;
  /** Which are over; `$2`: the value that the caller gives, if any. */
  readonly over: string;
};

/** Rows are found once and deleted by their place: a join of a table with itself could be planned badly. */
export function forgottenTexts({ table, by, over }: ForgottenTable) {
  return {
    forget: `with held as materialized (
     select ctid as place from ${table} where ${over} order by ${by} limit $1 for update skip locked
   )
   delete from ${table} where ctid = any (array(select place from held)) returning 1`,
  } as const;
}

/** Deletes up to `limit`, the oldest first, and returns how many. `Value`: that of `$2`, or none. */
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
