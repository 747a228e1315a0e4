import { CHANGE_EVENTS } from '../../acquirers/acquirer.ts';
import { type Database, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';

const REFUSED = rowCodec({
  refusedAt: column.instant(),
  /** Null: of an unreadable item, by the cursor of all merchants. */
  merchantId: column.nullable(column.text()),
  reason: column.text(),
  /** The item, where it was unreadable. */
  item: column.nullable(column.text()),
});

const CHANGE = rowCodec({
  changeId: column.text(),
  reference: column.text(),
  installmentNumber: column.whole(),
  event: column.oneOf(CHANGE_EVENTS),
  amount: column.nullable(column.money()),
  happenedAt: column.instant(),
});

export type RefusedChange = RowOf<typeof REFUSED> & {
  /** Null: the item was unreadable. */
  readonly change: RowOf<typeof CHANGE> | null;
};

const LIST = statement(
  'changes.list_refused',
  `select * from (
     (select c.ended_at as refused_at, c.merchant_id, c.reason, null::text as item, ${CHANGE.columnsOf('c')}
      from acquirer_changes c where c.state = 'refused' order by c.ended_at desc limit $1)
     union all
     (select u.created_at, nullif(u.merchant_id, ''), u.reason, u.item, null, null, null, null, null, null
      from unreadable_changes u order by u.created_at desc limit $1)
   ) r order by r.refused_at desc limit $1`,
);

/** The latest refused ones of all merchants, newest first. */
export async function listRefusedChanges(database: Database, limit: number): Promise<RefusedChange[]> {
  const rows = await database.query(LIST, [limit]);
  return rows.map((row) => ({
    ...REFUSED.parse(row),
    change: row.change_id === null ? null : CHANGE.parse(row),
  }));
}
