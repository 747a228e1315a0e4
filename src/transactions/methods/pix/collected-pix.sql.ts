import { statement, type Tx } from '../../../platform/postgres/database.ts';
import type { PixPayer } from '../../../providers/pix/pix-bank.ts';
import type { PixPaid } from '../../../providers/pix/recurring-pix.ts';
import type { Cents } from '../../../values/cents.ts';
import { type Day, type Instant, saoPauloOffsetText, utcText } from '../../../values/instant.ts';
import { BILL_MOVEMENTS, IS_WAITING } from '../../movements/bill-movements.sql.ts';
import { nsuOf } from './pix-status.ts';

/** What a payer's bank paid under an authorization (Pix Automático): a Pix that is born paid. */
export type CollectedPix = {
  readonly merchantId: string;
  readonly pixId: string;
  readonly accountNumber: string;
  readonly txid: string;
  readonly pageKey: string;
  readonly amount: Cents;
  readonly dueOn: Day;
  readonly payer: PixPayer | null;
  readonly description: string;
  readonly referenceTransaction: string;
  readonly bank: string;
  readonly payment: PixPaid;
};

const RECORD = statement(
  'pix_charges.record_collected',
  `with made as (
     insert into pix_charges (merchant_id, pix_id, account_number, txid, page_key, state, is_collected, amount, due_on,
       payable_until, expires_at, payer, description, reference_transaction, created_by, requested_at, changed_at, bank,
       end_to_end_id, paid_amount, paid_at)
     values ($1, $2, $3, $4, $5, 'paid', true, $6, $7::date, $7::date, $8::timestamptz, $9::jsonb, $10, $11, 'system',
       $8::timestamptz, $8::timestamptz, $12, $13, $14::bigint, $8::timestamptz)
     on conflict do nothing
     returning merchant_id, pix_id, account_number, amount
   ), recorded as (
     insert into pix_payments (merchant_id, pix_id, end_to_end_id, amount, expected_amount, kind, paid_at)
     select merchant_id, pix_id, $13, $14::bigint, amount,
       case when amount = $14::bigint then 'expected' else 'otherAmount' end, $8::timestamptz
     from made
   ), news as (
     select merchant_id, null::uuid as boleto_id, pix_id, 'Pix' as type, account_number, $15::text as nsu,
       null::text as callback_url, null::text as old_state, 'paid' as new_state, $8::timestamptz as moment,
       $16::text as moment_text, null::text as callback_body
     from made
   ), ${BILL_MOVEMENTS}
   select ${IS_WAITING}`,
);

/** Returns whether deliveries were written. Repeatable: a Pix that is there stays as it is. */
export async function recordCollectedPix(tx: Tx, collected: CollectedPix): Promise<boolean> {
  const { payment, payer } = collected;
  const [row] = await tx.query(RECORD, [
    ...[collected.merchantId, collected.pixId, collected.accountNumber, collected.txid, collected.pageKey],
    ...[collected.amount, collected.dueOn, utcText(payment.paidAt), payer && JSON.stringify(payer)],
    ...[collected.description.slice(0, 140), collected.referenceTransaction, collected.bank],
    ...[payment.endToEndId, payment.amount, nsuOf(payment.endToEndId), saoPauloOffsetText(payment.paidAt)],
  ]);
  return row?.is_waiting === true;
}

const RECORD_OVER = statement(
  'pix_charges.record_over',
  `insert into pix_charges (merchant_id, pix_id, account_number, txid, page_key, state, is_collected, amount, due_on,
     payable_until, expires_at, payer, description, reference_transaction, created_by, requested_at, changed_at, bank)
   values ($1, $2, $3, $4, $5, 'canceled', true, $6, $7::date, $7::date, $8::timestamptz, $9::jsonb, $10, $11, 'system',
     $8::timestamptz, $8::timestamptz, $12)
   on conflict do nothing`,
);

/**
 * Records a canceled Pix for a billing for which nothing was to be paid any more when money arrived: the
 * payment needs a Pix to stand under.
 */
export async function recordOverPix(
  tx: Tx,
  over: Omit<CollectedPix, 'payment'> & { readonly at: Instant },
): Promise<void> {
  await tx.query(RECORD_OVER, [
    ...[over.merchantId, over.pixId, over.accountNumber, over.txid, over.pageKey],
    ...[over.amount, over.dueOn, utcText(over.at), over.payer && JSON.stringify(over.payer)],
    ...[over.description.slice(0, 140), over.referenceTransaction, over.bank],
  ]);
}
