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

/** Locks the link, so that the trigger of the payment, which opens its exception, finds it unchanged. */
const KIND_BESIDE_LINK = statement(
  'bill_payments.kind_beside_link',
  `select ${KIND.columns} from payment_links l where l.merchant_id = $1 and l.link_id = $2 for no key update`,
);

/**
 * The kind of a payment whose bill belongs to a payment link that was disabled or is paid by another. Null:
 * the payment may pay the link, or there is no link.
 */
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
