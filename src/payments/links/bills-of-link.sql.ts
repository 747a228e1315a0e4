import { type Database, type Reader, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { BOLETO_STATES, type BoletoState } from '../../transactions/methods/boleto/boleto.ts';
import { nameLinkOfBoleto } from '../../transactions/methods/boleto/boletos.sql.ts';
import { PIX_STATES, type PixState } from '../../transactions/methods/pix/pix.ts';
import { nameLinkOfPix } from '../../transactions/methods/pix/pix-charges.sql.ts';
import { type Cents, cents } from '../../values/cents.ts';
import type { LinkKey } from './link.ts';

const BILL = rowCodec(
  {
    id: column.text(),
    boletoState: column.nullable(column.oneOf(BOLETO_STATES)),
    pixState: column.nullable(column.oneOf(PIX_STATES)),
    received: column.money(),
    isToResolve: column.boolean(),
    /** The sum over all bills of the link. */
    returnedOfLink: column.money('(sum(g.returned) over ())::bigint'),
  },
  'g',
);

/** The merchant's open exceptions about bills: few, so they are read once, not for each bill. */
const OPEN_EXCEPTIONS = `open_exceptions as materialized (
     select boleto_id, pix_id from reconciliation_exceptions
     where merchant_id = $1 and state = 'open' and class in ('unexpectedPayment', 'takenBack')
   )`;

/** Bills that a bank has registered, or may have; the most urgent first, then the newest. */
const LIST = statement(
  'payment_links.list_bills',
  `with ${OPEN_EXCEPTIONS}
   select ${BILL.columns} from (
     select b.boleto_id as id, b.state as boleto_state, null as pix_state, b.requested_at, t.received, 0::bigint as returned,
       exists (select from open_exceptions e where e.boleto_id = b.boleto_id) as is_to_resolve
     from boletos b cross join lateral (
       select coalesce(sum(y.amount), 0)::bigint as received
       from boleto_payments y where y.merchant_id = b.merchant_id and y.boleto_id = b.boleto_id
     ) t
     where b.merchant_id = $1 and b.link_id = $2 and (b.state <> 'refused' or t.received > 0)
     union all
     select p.pix_id, null, p.state, p.requested_at, t.received, t.returned,
       exists (select from open_exceptions e where e.pix_id = p.pix_id)
     from pix_charges p cross join lateral (
       select coalesce(sum(y.amount), 0)::bigint as received, coalesce(sum(y.returned_amount), 0)::bigint as returned
       from pix_payments y where y.merchant_id = p.merchant_id and y.pix_id = p.pix_id
     ) t
     where p.merchant_id = $1 and p.link_id = $2 and (p.state <> 'refused' or t.received > 0)
   ) g order by (g.received > 0 or g.is_to_resolve) desc, g.requested_at desc, g.id limit $3`,
);

export type BillOfLink = {
  readonly id: string;
  readonly method: 'pix' | 'boleto';
  /** The bill can be paid, or its bank has not confirmed its end. */
  readonly isOpen: boolean;
  readonly received: Cents;
  /** An exception about it waits for a person. */
  readonly isToResolve: boolean;
};

export type BillsOfLink = {
  readonly bills: readonly BillOfLink[];
  /** What was given back of all arrivals. */
  readonly returned: Cents;
};

const ENDS: readonly (BoletoState | PixState)[] = ['paid', 'returned', 'canceled', 'expired', 'refused'];

const MOST_SHOWN = 20;

export async function listBillsOfLink(
  database: Reader,
  { merchantId, linkId }: LinkKey,
): Promise<BillsOfLink> {
  const rows = (await database.query(LIST, [merchantId, linkId, MOST_SHOWN])).map((row) => BILL.parse(row));
  return { bills: rows.map(billOf), returned: rows[0]?.returnedOfLink ?? cents(0) };
}

function billOf({ boletoState, pixState, returnedOfLink: _, ...bill }: RowOf<typeof BILL>): BillOfLink {
  const state = boletoState ?? pixState;
  if (state === null) throw new Error(`the bill ${bill.id} has no state`);
  return { ...bill, method: boletoState === null ? 'pix' : 'boleto', isOpen: !ENDS.includes(state) };
}

/** Money that does not pay the link gets an exception, as the trigger of a payment opens it. */
const RECEIVE_EARLIER = statement(
  'payment_links.receive_earlier',
  'select receive_earlier_for_link($1, $2, $3)',
);

const NAME_LINK = { boleto: nameLinkOfBoleto, pix: nameLinkOfPix } as const;

/** For a bill of the version before: an arriving payment waits for the bill's row, which names the link. */
export async function nameLinkOfBill(
  database: Database,
  { merchantId, linkId }: LinkKey,
  method: BillOfLink['method'],
  billId: string,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (await NAME_LINK[method](tx, merchantId, billId, linkId))
      await tx.query(RECEIVE_EARLIER, [merchantId, linkId, billId]);
  });
}
