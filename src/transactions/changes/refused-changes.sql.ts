import type { ChangeEvent } from '../../acquirers/acquirer.ts';
import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { type Cents, cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';

export type RefusedChange = {
  readonly refusedAt: Instant;
  /** Null: of an unreadable item, by the cursor of all merchants. */
  readonly merchantId: string | null;
  readonly reason: string;
  /** Null: the item was unreadable. */
  readonly change: {
    readonly changeId: string;
    readonly reference: string;
    readonly installmentNumber: number;
    readonly event: ChangeEvent;
    readonly amount: Cents | null;
    readonly happenedAt: Instant;
  } | null;
  /** The item, where it was unreadable. */
  readonly item: string | null;
};

const LIST = statement(
  'changes.list_refused',
  `select * from (
     (select c.ended_at as refused_at, c.merchant_id, c.reason, c.change_id, c.reference, c.installment_number, c.event,
        c.amount, c.happened_at, null::text as item
      from acquirer_changes c where c.state = 'refused' order by c.ended_at desc limit $1)
     union all
     (select u.created_at, nullif(u.merchant_id, ''), u.reason, null, null, null, null, null, null, u.item
      from unreadable_changes u order by u.created_at desc limit $1)
   ) r order by r.refused_at desc limit $1`,
);

/** The latest refused ones of all merchants, newest first. */
export async function listRefusedChanges(database: Database, limit: number): Promise<RefusedChange[]> {
  return (await database.query(LIST, [limit])).map(parseRefused);
}

function parseRefused(row: Row): RefusedChange {
  const change =
    row.change_id === null
      ? null
      : {
          changeId: row.change_id as string,
          reference: row.reference as string,
          installmentNumber: row.installment_number as number,
          event: row.event as ChangeEvent,
          amount: row.amount === null ? null : cents(row.amount as number),
          happenedAt: row.happened_at as Instant,
        };
  return {
    refusedAt: row.refused_at as Instant,
    merchantId: row.merchant_id as string | null,
    reason: row.reason as string,
    change,
    item: row.item as string | null,
  };
}
