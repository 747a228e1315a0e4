import { type Reader, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { statusWord as boletoWord } from '../../transactions/methods/boleto/bill-status.ts';
import { BOLETO_STATES, OPEN_STATES } from '../../transactions/methods/boleto/boleto.ts';
import { PIX_STATES } from '../../transactions/methods/pix/pix.ts';
import { statusWord as pixWord } from '../../transactions/methods/pix/pix-status.ts';
import type { Cents } from '../../values/cents.ts';
import type { LinkKey } from './link.ts';

const BILL = rowCodec(
  {
    id: column.text(),
    boletoState: column.nullable(column.oneOf(BOLETO_STATES)),
    stateBefore: column.nullable(column.oneOf(OPEN_STATES)),
    pixState: column.nullable(column.oneOf(PIX_STATES)),
    received: column.money(),
  },
  'g',
);

/** Those that a bank has registered, or may have; the newest first. */
const LIST = statement(
  'payment_links.list_bills',
  `select ${BILL.columns} from (
     select b.boleto_id as id, b.state as boleto_state, b.state_before, null as pix_state, b.requested_at, (
         select coalesce(sum(amount), 0)::bigint from boleto_payments where merchant_id = b.merchant_id and boleto_id = b.boleto_id
       ) as received
     from boletos b where b.merchant_id = $1 and b.link_id = $2 and b.state <> 'refused'
     union all
     select p.pix_id, null, null, p.state, p.requested_at, (
         select coalesce(sum(amount), 0)::bigint from pix_payments where merchant_id = p.merchant_id and pix_id = p.pix_id
       )
     from pix_charges p where p.merchant_id = $1 and p.link_id = $2 and p.state <> 'refused'
   ) g order by g.requested_at desc, g.id limit $3`,
);

/** `status`: as its own answer has it. */
export type BillOfLink = {
  readonly id: string;
  readonly method: 'pix' | 'boleto';
  readonly status: string;
  readonly received: Cents;
};

const MOST_SHOWN = 20;

export async function listBillsOfLink(
  database: Reader,
  { merchantId, linkId }: LinkKey,
): Promise<BillOfLink[]> {
  return (await database.query(LIST, [merchantId, linkId, MOST_SHOWN])).map((row) => billOf(BILL.parse(row)));
}

function billOf({ id, received, boletoState, stateBefore, pixState }: RowOf<typeof BILL>): BillOfLink {
  if (pixState !== null) return { id, received, method: 'pix', status: pixWord({ state: pixState }) };
  if (boletoState === null) throw new Error(`the bill ${id} has no state`);
  return { id, received, method: 'boleto', status: boletoWord({ state: boletoState, stateBefore }) };
}
