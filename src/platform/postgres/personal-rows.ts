import { type Database, type Row, statement, type Tx } from './database.ts';
import { inputRows } from './input-rows.ts';
import { column, columnName, rowCodec } from './row-codec.ts';

export type PersonFilter = {
  /** CPF or CNPJ without mask, letters upper case. */
  readonly document: string;
  /** Null: all merchants. */
  readonly merchantId: string | null;
};

/** A table with the data of persons, its rows found by merchant and id. */
export type PersonalTable<Id extends string = string> = {
  /** Also the prefix of its statements' names. */
  readonly table: string;
  /** The field of the id, named after its column. */
  readonly id: Id;
  /** The condition of rows with personal data that nobody needs any more. */
  readonly erasable: string;
  readonly erased: string;
  /** The column from which ages are counted. */
  readonly since: string;
};

export function personalTexts({ table, id, erasable, erased, since }: PersonalTable) {
  const key = columnName(id);
  const erase = `update ${table} set ${erased}
   where ctid = any (array(select place from held))`;
  return {
    erase_person: `with held as materialized (
     select o.place from unnest($1::text[], $2::uuid[]) as i (merchant_id, id) cross join lateral (
       select ctid as place from ${table} where merchant_id = i.merchant_id and ${key} = i.id and ${erasable}
       for no key update skip locked
     ) o
   )
   ${erase}
   returning merchant_id, ${key}`,
    erase_old: `with held as materialized (
     select ctid as place from ${table} where ${erasable} and ${since} < now() - $2 * interval '1 day'
     order by ${since} limit $1
     for no key update skip locked
   )
   ${erase}
   returning 1`,
  } as const;
}

export type KeyOf<Id extends string> = { readonly merchantId: string } & { readonly [Field in Id]: string };

export type PersonalData<Id extends string> = {
  /** Skips locked rows, so that a payment never waits for an erasure. Returns the erased keys. */
  readonly erase: (tx: Tx, keys: readonly KeyOf<Id>[]) => Promise<KeyOf<Id>[]>;
  /** Erases up to `limit` rows older than so many days of real time, the oldest first. Returns how many. */
  readonly eraseOld: (database: Database, limit: number, days: number) => Promise<number>;
  /** A key before every row, in the order of keys. */
  readonly first: KeyOf<Id>;
};

/** Called at load only. */
export function personalData<Id extends string>(table: PersonalTable<Id>): PersonalData<Id> {
  const texts = personalTexts(table);
  const [erase, eraseOld] = [
    statement(`${table.table}.erase_person`, texts.erase_person),
    statement(`${table.table}.erase_old`, texts.erase_old),
  ];
  const key = rowCodec({ merchantId: column.text(), [table.id]: column.text() });
  const keys = inputRows<KeyOf<Id>>({
    merchant_id: ['text', ({ merchantId }) => merchantId],
    id: ['uuid', (row) => row[table.id]],
  });
  const keyOf = (row: Row) => key.parse(row) as KeyOf<Id>;
  return {
    erase: async (tx, erased) => (await tx.query(erase, keys.values(erased))).map(keyOf),
    eraseOld: async (database, limit, days) => (await database.query(eraseOld, [limit, days])).length,
    first: { merchantId: '', [table.id]: '00000000-0000-0000-0000-000000000000' } as KeyOf<Id>,
  };
}
