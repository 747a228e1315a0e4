import { apportion } from '../../values/apportion.ts';
import { cents } from '../../values/cents.ts';
import type { EntryMoney } from '../settlement-entry.ts';

/** What an installment weighs: its gross, and how much of it our books have given back. */
export type PartWeight = { readonly gross: number; readonly canceled: number };

/**
 * Divides a line about several installments, a whole sale or a batch of sales, over them: each kind
 * of money adds up to the line's to the cent. The gross goes to each installment as it was sold where
 * the line pays just that; a cancel that our books have too goes where the books have it; else
 * everything is divided in proportion.
 */
export function divideEntry(entry: EntryMoney, weights: readonly PartWeight[]): EntryMoney[] {
  const gross = grossParts(entry.gross, weights);
  const fee = signedParts(entry.fee, gross);
  const anticipationFee = signedParts(entry.anticipationFee, gross);
  const net = netParts(entry, { gross, fee, anticipationFee });
  return weights.map((_, index) => ({
    gross: gross[index] ?? 0,
    fee: fee?.[index] ?? null,
    net: net?.[index] ?? null,
    anticipationFee: anticipationFee?.[index] ?? null,
  }));
}

function grossParts(total: number, weights: readonly PartWeight[]): number[] {
  const sold = weights.map(({ gross }) => gross);
  const canceled = weights.map(({ canceled }) => canceled);
  const left = weights.map(({ gross, canceled }) => gross - canceled);
  if (total >= 0 && sum(sold) === total) return sold;
  if (total >= 0 && sum(left) === total) return left;
  if (total < 0 && sum(canceled) === -total) return canceled.map((each) => 0 - each);
  return divided(total, sold);
}

/** Where fee and net of the line fit its gross, they do so of each part. */
function netParts(
  { gross: total, fee: totalFee, net: totalNet, anticipationFee: totalAnticipation }: EntryMoney,
  parts: {
    readonly gross: readonly number[];
    readonly fee: readonly number[] | null;
    readonly anticipationFee: readonly number[] | null;
  },
): number[] | null {
  if (totalNet === null) return null;
  const isPlain = total - (totalFee ?? 0) - (totalAnticipation ?? 0) === totalNet;
  if (!isPlain) return divided(totalNet, parts.gross.map(Math.abs));
  return parts.gross.map(
    (gross, index) => gross - (parts.fee?.[index] ?? 0) - (parts.anticipationFee?.[index] ?? 0),
  );
}

function signedParts(total: number | null, gross: readonly number[]): number[] | null {
  return total === null ? null : divided(total, gross.map(Math.abs));
}

/** In proportion to the weights; evenly where nothing weighs anything. */
function divided(total: number, weights: readonly number[]): number[] {
  const isWeightless = weights.every((weight) => weight === 0);
  const parts = apportion(cents(Math.abs(total)), isWeightless ? weights.map(() => 1) : weights);
  return parts.map((part) => (total < 0 ? 0 - part : part));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}
