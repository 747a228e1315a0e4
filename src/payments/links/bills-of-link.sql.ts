import { type Reader, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { BOLETO_STATES, type BoletoState } from '../../transactions/methods/boleto/boleto.ts';
import { PIX_STATES, type PixState } from '../../transactions/methods/pix/pix.ts';
import type { Cents } from '../../values/cents.ts';
import type { LinkKey } from './link.ts';

const BILL = rowCodec(
  {
    id: column.text(),
    boletoState: column.nullable(column.oneOf(BOLETO_STATES)),
    pixState: column.nullable(column.oneOf(PIX_STATES)),
    received: column.money(),
    isToResolve: column.boolean(),
  },
  'g',
);

/** Of a payment `y`, by the key of its exception. */
const IS_OPEN_BOLETO = `exists (select from reconciliation_exceptions e where e.merchant_id = y.merchant_id
         and e.exception_key = 'boleto:' || y.boleto_id || ':' || y.change_id and e.state = 'open')`;
const IS_OPEN_PIX = `exists (select from reconciliation_exceptions e where e.merchant_id = y.merchant_id
         and e.exception_key = 'pix:' || y.pix_id || ':' || y.end_to_end_id and e.state = 'open')`;

/** Those that a bank has registered, or may have; the newest first. */
const LIST = statement(
  'payment_links.list_bills',
  `select ${BILL.columns} from (
     select b.boleto_id as id, b.state as boleto_state, null as pix_state, b.requested_at, t.received, t.is_to_resolve
     from boletos b cross join lateral (
       select coalesce(sum(y.amount), 0)::bigint as received, coalesce(bool_or(${IS_OPEN_BOLETO}), false) as is_to_resolve
       from boleto_payments y where y.merchant_id = b.merchant_id and y.boleto_id = b.boleto_id
     ) t
     where b.merchant_id = $1 and b.link_id = $2 and b.state <> 'refused'
     union all
     select p.pix_id, null, p.state, p.requested_at, t.received, t.is_to_resolve
     from pix_charges p cross join lateral (
       select coalesce(sum(y.amount), 0)::bigint as received, coalesce(bool_or(${IS_OPEN_PIX}), false) as is_to_resolve
       from pix_payments y where y.merchant_id = p.merchant_id and y.pix_id = p.pix_id
     ) t
     where p.merchant_id = $1 and p.link_id = $2 and p.state <> 'refused'
   ) g order by g.requested_at desc, g.id limit $3`,
);

export type BillOfLink = {
  readonly id: string;
  readonly method: 'pix' | 'boleto';
  /** It can be paid, or its bank has not said that it is over. */
  readonly isOpen: boolean;
  readonly received: Cents;
  /** A payment of it is an exception that waits for a person. */
  readonly isToResolve: boolean;
};

const ENDS: readonly (BoletoState | PixState)[] = ['paid', 'returned', 'canceled', 'expired', 'refused'];

const MOST_SHOWN = 20;

export async function listBillsOfLink(
  database: Reader,
  { merchantId, linkId }: LinkKey,
): Promise<BillOfLink[]> {
  return (await database.query(LIST, [merchantId, linkId, MOST_SHOWN])).map((row) => billOf(BILL.parse(row)));
}

function billOf({ boletoState, pixState, ...bill }: RowOf<typeof BILL>): BillOfLink {
  const state = boletoState ?? pixState;
  if (state === null) throw new Error(`the bill ${bill.id} has no state`);
  return { ...bill, method: boletoState === null ? 'pix' : 'boleto', isOpen: !ENDS.includes(state) };
}
