import { CHANGE_EVENTS } from '../../acquirers/acquirer.ts';
import { type Database, statement } from '../../platform/postgres/database.ts';
import {
  instantOf,
  money,
  nullable,
  oneOf,
  type RowOf,
  rowCodec,
  text,
  whole,
} from '../../platform/postgres/row-codec.ts';

const REFUSED = rowCodec({
  refusedAt: instantOf(),
  /** Null: of an unreadable item, by the cursor of all merchants. */
  merchantId: nullable(text()),
  reason: text(),
  /** The item, where it was unreadable. */
  item: nullable(text()),
});

const CHANGE = rowCodec({
  changeId: text(),
  reference: text(),
  installmentNumber: whole(),
  event: oneOf(CHANGE_EVENTS),
  amount: nullable(money()),
  happenedAt: instantOf(),
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
