import { bankDayFrom } from '../kit/bank-days.ts';
import { dayAfter, endOfDay, saoPauloDayOf } from '../kit/days.ts';
import type { Change, Charge, Charges } from './charges.ts';
import type { Brand } from './decline-codes.ts';
import { newParts, type Taken } from './installments.ts';
import { payoutOf } from './pending.ts';
import { tidOf } from './tid.ts';

/** What an installment was when it was sold. */
export type SoldPart = {
  readonly gross: number;
  readonly fee: number;
  readonly net: number;
  /** When it is expected at the bank. */
  readonly bankOn: string;
};

/** What the rows of a charge have in common. */
export type FileSale = {
  readonly reference: string;
  readonly tid: string;
  readonly nsu: number;
  readonly authorizationCode: string;
  readonly brand: Brand;
  readonly firstSix: string;
  readonly lastFour: string;
  /** Cents, as it was sold. */
  readonly amount: number;
  /** Hundredths of a percent. */
  readonly feePortion: number;
  readonly soldAt: number;
  readonly soldOn: string;
  readonly parts: readonly SoldPart[];
  /** The ledger does not know of it. */
  readonly isForeign: boolean;
};

/**
 * Only where they were ordered: `pledge`, paid to somebody else who has a claim on the money; `unknown`, a
 * payout under a code that no layout knows.
 */
export type RowKind = 'sale' | 'payout' | 'cancel' | 'chargeback' | 'pledge' | 'unknown';

/** What a day's file says of a sale or of one of its installments. Cents, none of them negative. */
export type FileRow = {
  readonly kind: RowKind;
  readonly sale: FileSale;
  /** Null: of the sale as a whole. */
  readonly installmentNumber: number | null;
  readonly gross: number;
  readonly fee: number;
  readonly anticipationFee: number;
  readonly net: number;
  readonly bankOn: string;
  readonly happenedAt: number;
  /** Of a cancellation or a chargeback. */
  readonly taken: readonly Taken[];
};

const SETTLED_AFTER_DAYS = 30;
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
    .map(saleRow);
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

function saleRow(charge: Charge): FileRow {
  const sale = saleOf(charge);
  const { fee, net } = sumOf(sale.parts);
  const told = { installmentNumber: null, happenedAt: charge.soldAt, bankOn: sale.parts[0]?.bankOn ?? '' };
  return { kind: 'sale', sale, ...told, gross: charge.amount, fee, anticipationFee: 0, net, taken: [] };
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
  const { reference, decision, cardMark, amount, feePortion, soldAt } = charge;
  if (decision.outcome !== 'approved') throw new Error('what was declined is in no file');
  const { nsu, authorizationCode } = decision;
  const soldOn = saoPauloDayOf(soldAt);
  const parts = newParts(amount, charge.installments).map(({ rest: gross }, index) => {
    const { fee, net } = payoutOf(charge, gross, null);
    return { gross, fee, net, bankOn: bankDayFrom(dayAfter(soldOn, (index + 1) * SETTLED_AFTER_DAYS)) };
  });
  const named = { reference, tid: tidOf(charge) ?? '', nsu, authorizationCode, ...cardOf(cardMark) };
  return { ...named, amount, feePortion, soldAt, soldOn, parts, isForeign: false };
}

/** As `cardMarkOf` joins it: six digits, four digits, `MM/YY` and the brand. */
function cardOf(cardMark: string): { firstSix: string; lastFour: string; brand: Brand } {
  const [firstSix, lastFour] = [cardMark.slice(0, 6), cardMark.slice(6, 10)];
  return { firstSix, lastFour, brand: cardMark.slice(15) as Brand };
}

type Money = { readonly gross: number; readonly fee: number; readonly net: number };

export function sumOf(amounts: readonly Money[]): Money {
  const sum = { gross: 0, fee: 0, net: 0 };
  for (const { gross, fee, net } of amounts) {
    sum.gross += gross;
    sum.fee += fee;
    sum.net += net;
  }
  return sum;
}
