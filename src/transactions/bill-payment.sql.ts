import { statement, type Tx } from '../platform/postgres/database.ts';
import { column, rowCodec } from '../platform/postgres/row-codec.ts';
import { PAYMENT_KINDS, type PaymentKind } from './bill-payment.ts';

const KIND = rowCodec(
  {
    kind: column.nullable(
      column.oneOf(
        PAYMENT_KINDS,
        `case when l.state = 'disabled' then 'afterEnd'
          when coalesce(l.payment_id, l.received_id, $3::uuid) <> $3::uuid then 'second' end`,
      ),
    ),
  },
  'l',
);

/** The link is held, so that the trigger of the payment, which opens its exception, finds the same. */
const KIND_BESIDE_LINK = statement(
  'bill_payments.kind_beside_link',
  `select ${KIND.columns} from payment_links l where l.merchant_id = $1 and l.link_id = $2 for no key update`,
);

/** Of money for a bill whose payment link is paid already, or over. Null: it may pay it, or there is none. */
export async function findKindBesideLink(
  tx: Tx,
  merchantId: string,
  billId: string,
  linkId: string | null,
): Promise<PaymentKind | null> {
  if (linkId === null) return null;
  const [row] = await tx.query(KIND_BESIDE_LINK, [merchantId, linkId, billId]);
  return row === undefined ? null : KIND.parse(row).kind;
}
