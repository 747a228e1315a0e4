import { bankDayFrom } from '../bank-days.ts';
import { saoPauloDayOf } from '../days.ts';
import { type FileRow, type FileSale, fileSale, saleRow } from '../files/file-rows.ts';
import { type Sale, tidOf } from './sale.ts';
import type { Happening, Sales } from './sales.ts';

/** What a day's files tell of a merchant's sales; one that was given back on its own day is in none. */
export function rowsOf(sales: Sales, merchantId: string, day: string): FileRow[] {
  const sold = sales.inOrder
    .filter((sale) => sale.merchantId === merchantId && soldOn(sale) === day && !isUndoneOnItsDay(sale))
    .map((sale) => saleRow(saleOf(sale)));
  const happened = sales
    .happeningsOf(merchantId)
    .filter((happening) => dayOf(happening) === day && !isUndoneOnItsDay(happening.sale))
    .map(rowOf);
  return [...sold, ...happened];
}

function soldOn({ capturedAt }: Sale): string | null {
  return capturedAt === null ? null : saoPauloDayOf(capturedAt);
}

function isUndoneOnItsDay(sale: Sale): boolean {
  const { refundedAmount, capturedAmount, refundedAt } = sale;
  if (refundedAt === null || refundedAmount < capturedAmount) return false;
  return saoPauloDayOf(refundedAt) === soldOn(sale);
}

/** Of the file that has it: a payout is in that of the day on which it is at the bank. */
function dayOf({ kind, at }: Happening): string {
  const day = saoPauloDayOf(at);
  return kind === 'payout' ? bankDayFrom(day) : day;
}

function rowOf(happening: Happening): FileRow {
  const { kind, sale, at: happenedAt, installmentNumber, amount, payout, taken } = happening;
  const told = { kind, sale: saleOf(sale), installmentNumber, bankOn: dayOf(happening), happenedAt, taken };
  if (payout === null) return { ...told, gross: amount, fee: 0, anticipationFee: 0, net: amount };
  const { fee, anticipationFee = 0, net } = payout;
  return { ...told, gross: fee + anticipationFee + net, fee, anticipationFee, net };
}

function saleOf(sale: Sale): FileSale {
  const {
    reference,
    nsu,
    card,
    decision,
    capturedAmount: amount,
    capturedAt,
    installments,
    feePortion,
  } = sale;
  const authorizationCode = decision.outcome === 'approved' ? decision.authorizationCode : '';
  const { brand, firstSix, lastFour } = card;
  const named = { reference, tid: tidOf(sale), nsu, authorizationCode, brand, firstSix, lastFour };
  return fileSale({ ...named, amount, installments, feePortion, soldAt: capturedAt ?? sale.at });
}
