import type { BankChange } from '../../banks/bank.ts';
import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import type { Cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';

/** What the bank reported and no boleto took: refused, unreadable, or a payment that nobody expected. */
export type OddBankChange = {
  readonly at: Instant;
  /** Null: of an unreadable item, by the cursor of all merchants. */
  readonly merchantId: string | null;
  readonly reason: string;
  /** Null: the item was unreadable. */
  readonly change: {
    readonly changeId: string;
    readonly ourNumber: string;
    readonly event: BankChange['event'];
    readonly amount: Cents | null;
  } | null;
  /** The item, where it was unreadable. */
  readonly item: string | null;
};

const LIST = statement(
  'bank_changes.list_odd',
  `select * from (
     (select c.ended_at as at, c.merchant_id, c.reason, c.change_id, c.our_number, c.event, c.amount, null::text as item
      from bank_changes c where c.state = 'refused' order by c.ended_at desc limit $1)
     union all
     (select p.created_at, p.merchant_id, p.surprise, p.change_id, b.our_number, 'paid', p.amount, null
      from boleto_payments p join boletos b on b.merchant_id = p.merchant_id and b.boleto_id = p.boleto_id
      where p.surprise is not null order by p.created_at desc limit $1)
     union all
     (select u.created_at, nullif(u.merchant_id, ''), u.reason, null, null, null, null, u.item
      from unreadable_bank_changes u order by u.created_at desc limit $1)
   ) r order by r.at desc limit $1`,
);

/** The latest of all merchants, newest first. */
export async function listOddBankChanges(database: Database, limit: number): Promise<OddBankChange[]> {
  return (await database.query(LIST, [limit])).map(parse);
}

function parse(row: Row): OddBankChange {
  const change =
    row.change_id === null
      ? null
      : {
          changeId: row.change_id as string,
          ourNumber: row.our_number as string,
          event: row.event as BankChange['event'],
          amount: row.amount as Cents | null,
        };
  return {
    at: row.at as Instant,
    merchantId: row.merchant_id as string | null,
    reason: row.reason as string,
    change,
    item: row.item as string | null,
  };
}
