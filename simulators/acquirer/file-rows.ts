import { bankDayFrom } from '../kit/bank-days.ts';
import type { Brand } from '../kit/cards/decline-codes.ts';
import { dayAfter, endOfDay, saoPauloDayOf } from '../kit/days.ts';
import { type FileRow, type FileSale, fileSale, saleRow } from '../kit/files/file-rows.ts';
import type { Change, Charge, Charges } from './charges.ts';
import { tidOf } from './tid.ts';

/** More days than banks are ever closed on end: what was settled earlier is at the bank. */
const LONGEST_CLOSED_DAYS = 10;

/**
 * What happened to a merchant's charges on a day of its time: nothing but the ledger decides, so
 * that the same question is answered by the same rows. A void leaves nothing behind.
 */
export function rowsOf(charges: Charges, merchantId: string, day: string): FileRow[] {
  const [from, until] = [endOfDay(dayAfter(day, -1)), endOfDay(day)];
  const isOfDay = (at: number): boolean => at >= from && at < until;
  const sales = charges
    .ofMerchant(merchantId)
    .filter((charge) => isSold(charge) && isOfDay(charge.soldAt))
    .map((charge) => saleRow(saleOf(charge)));
  const earliest = endOfDay(dayAfter(day, -LONGEST_CLOSED_DAYS));
  const isNear = (at: number): boolean => at >= earliest && at < until;
  const others = charges
    .changesOf(merchantId)
    .filter((change) => isNear(happenedAtOf(change)) && dayOf(change) === day)
    .filter(({ charge }) => charge.status !== 'undone')
    .map(rowOfChange)
    .filter((row) => row !== null);
  return [...sales, ...others];
}

function isSold({ status }: Charge): boolean {
  return status === 'approved' || status === 'canceled';
}

/** Of the file that has it: a payout is in that of the day on which it is at the bank. */
function dayOf(change: Change): string {
  const day = saoPauloDayOf(happenedAtOf(change));
  return change.type === 'settled' ? bankDayFrom(day) : day;
}

/** In the merchant's time: a cancellation is booked in the acquirer's. */
function happenedAtOf({ at, requestedAt }: Change): number {
  return requestedAt ?? at;
}

/** Null: the acquirer's papers do not tell of it. */
function rowOfChange(change: Change): FileRow | null {
  const { type, charge, installmentNumber, amount, payout, taken = [] } = change;
  const happenedAt = happenedAtOf(change);
  const told = { installmentNumber, bankOn: dayOf(change), happenedAt, taken };
  if (type === 'settled' && payout !== undefined) {
    const { fee, anticipationFee = 0, net } = payout;
    const gross = fee + anticipationFee + net;
    return { kind: 'payout', sale: saleOf(charge), ...told, gross, fee, anticipationFee, net };
  }
  if ((type !== 'canceled' && type !== 'chargeback') || amount === null) return null;
  const kind = type === 'canceled' ? 'cancel' : 'chargeback';
  return { kind, sale: saleOf(charge), ...told, gross: amount, fee: 0, anticipationFee: 0, net: amount };
}

function saleOf(charge: Charge): FileSale {
  const { reference, decision, cardMark, amount, installments, feePortion, soldAt } = charge;
  if (decision.outcome !== 'approved') throw new Error('what was declined is in no file');
  const { nsu, authorizationCode } = decision;
  const named = { reference, tid: tidOf(charge) ?? '', nsu, authorizationCode, ...cardOf(cardMark) };
  return fileSale({ ...named, amount, installments, feePortion, soldAt });
}

/** As `cardMarkOf` joins it: six digits, four digits, `MM/YY` and the brand. */
function cardOf(cardMark: string): { firstSix: string; lastFour: string; brand: Brand } {
  const [firstSix, lastFour] = [cardMark.slice(0, 6), cardMark.slice(6, 10)];
  return { firstSix, lastFour, brand: cardMark.slice(15) as Brand };
}
