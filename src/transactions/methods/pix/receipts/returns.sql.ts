import { statement, type Tx } from '../../../../platform/postgres/database.ts';
import { column, rowCodec } from '../../../../platform/postgres/row-codec.ts';
import type { Cents } from '../../../../values/cents.ts';
import { type Instant, saoPauloOffsetText, utcText } from '../../../../values/instant.ts';
import { BILL_MOVEMENTS, IS_WAITING } from '../../../movements/bill-movements.sql.ts';
import { givenBack, type Pix, shownState } from '../pix.ts';
import { movePix } from '../pix-charges.sql.ts';
import { moveOf } from '../pix-move.ts';
import { newsBody, nsuOf } from '../pix-status.ts';
import type { WaitingReceipt } from './receipt.ts';

const KNOWN = rowCodec({ isKnown: column.boolean() });

const IS_KNOWN = statement(
  'pix_refunds.is_known',
  `select exists (
     select from pix_refunds f where f.merchant_id = $1 and f.pix_id = $2 and f.end_to_end_id = $3
       and (f.bank_return_id = $4 or (replace(f.refund_id::text, '-', '') = lower($4) and f.state <> 'refused'))
   ) as is_known`,
);

export async function isReturnKnown(
  tx: Tx,
  { merchantId, pixId, endToEndId, returnId }: WaitingReceipt,
): Promise<boolean> {
  const [row] = await tx.query(IS_KNOWN, [merchantId, pixId, endToEndId, returnId]);
  return row !== undefined && KNOWN.parse(row).isKnown;
}

/** Records a return as a refund that is done. A trigger opens its exception. */
const RECORD = statement(
  'pix_refunds.record_return',
  `with done as (
     insert into pix_refunds (merchant_id, refund_id, pix_id, end_to_end_id, state, amount, created_by, requested_at,
       refunded_at, decided_at, bank_return_id, nature)
     values ($1, gen_random_uuid(), $2, $3, 'refunded', $4, 'bank', $5::timestamptz, $5::timestamptz, now(), $6, $7)
     returning merchant_id, pix_id, end_to_end_id, amount
   )
   update pix_payments y set held_amount = y.held_amount + d.amount, returned_amount = y.returned_amount + d.amount from done d
   where y.merchant_id = d.merchant_id and y.pix_id = d.pix_id and y.end_to_end_id = d.end_to_end_id
   returning y.end_to_end_id`,
);

/**
 * Writes movement and callback for a return that does not change the charge's status: of a part of what paid
 * it, or of a payment that nobody expected.
 */
const TELL = statement(
  'pix_refunds.tell_return',
  `with news as (
     select p.merchant_id, null::uuid as boleto_id, p.pix_id, 'Pix' as type, p.account_number, $3::text as nsu,
       p.callback_url, $4::text as old_state, 'takenBack' as new_state, $5::timestamptz as moment, $6::text as moment_text,
       $7::text as callback_body
     from pix_charges p where p.merchant_id = $1 and p.pix_id = $2
   ), ${BILL_MOVEMENTS}
   select ${IS_WAITING}`,
);

/** Records money that left without a refund of ours. Returns whether deliveries were written. */
export async function takeBack(
  tx: Tx,
  pix: Pix,
  { merchantId, pixId, endToEndId, amount, returnId, returnNature }: WaitingReceipt,
  isAll: boolean,
  moment: Instant,
): Promise<boolean> {
  await tx.query(RECORD, [merchantId, pixId, endToEndId, amount, utcText(moment), returnId, returnNature]);
  const now = { ...pix, payments: pix.payments.map((paid) => lessReturned(paid, endToEndId, amount)) };
  const move = isAll ? moveOf(now, { event: 'giveBack' }, moment) : null;
  const moved = move === null ? null : await movePix(tx, now, move, { leaseMilliseconds: 0 });
  if (moved !== null) return moved.isWaiting;
  const momentText = saoPauloOffsetText(moment);
  const { returned: returnedAmount } = givenBack(now);
  const news = { state: pix.state, payment: pix.payment, returnedAmount, unexpectedPayment: null };
  const [row] = await tx.query(TELL, [
    ...[merchantId, pixId, nsuOf(endToEndId), shownState(pix), utcText(moment), momentText],
    pix.callbackUrl === null ? null : newsBody(pix, news, momentText),
  ]);
  return row?.is_waiting === true;
}

function lessReturned(
  paid: Pix['payments'][number],
  endToEndId: string,
  amount: Cents,
): Pix['payments'][number] {
  if (paid.endToEndId !== endToEndId) return paid;
  return { ...paid, returnedAmount: (paid.returnedAmount + amount) as Cents };
}
