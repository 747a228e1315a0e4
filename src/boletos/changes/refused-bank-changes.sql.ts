import { BANK_EVENTS } from '../../banks/bank.ts';
import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';

const ODD = rowCodec(
  {
    at: column.instant(),
    /** Null: of an unreadable item, by the cursor of all merchants. */
    merchantId: column.nullable(column.text()),
    reason: column.text(),
    /** Null, as the three behind it: the item was unreadable. */
    changeId: column.nullable(column.text()),
    ourNumber: column.nullable(column.text()),
    event: column.nullable(column.oneOf(BANK_EVENTS)),
    amount: column.nullable(column.money()),
    /** The item, where it was unreadable. */
    item: column.nullable(column.text()),
  },
  'r',
);

const LIST = statement(
  'bank_changes.list_odd',
  `select ${ODD.columns} from (
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

/** What the bank reported and no boleto took: refused, unreadable, or a payment that nobody expected. */
export type OddBankChange = ReturnType<typeof parse>;

/** The latest of all merchants, newest first. */
export async function listOddBankChanges(database: Database, limit: number): Promise<OddBankChange[]> {
  return (await database.query(LIST, [limit])).map(parse);
}

function parse(row: Row) {
  const { changeId, ourNumber, event, amount, ...odd } = ODD.parse(row);
  const isReadable = changeId !== null && ourNumber !== null && event !== null;
  return { ...odd, change: isReadable ? { changeId, ourNumber, event, amount } : null };
}
