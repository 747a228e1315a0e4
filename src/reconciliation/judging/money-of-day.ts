import type { Day } from '../../values/instant.ts';
import { isPaying, netOf } from '../settlement-entry.ts';
import type { JudgedInstallment } from './judged-installment.ts';
import { dayOf, type JudgedLines } from './judged-lines.ts';
import { type MatchedPart, sumOf } from './matched-part.ts';
import { isTaking } from './takings.ts';

type JudgedTaking = JudgedLines['takings'][number];

/** `net`: what it moved at the bank on a day; some acquirers give its fee back. */
export type Debit = JudgedTaking & { readonly net: number };

/** What lines moved at the bank on a day for one installment. */
export type MoneyOfDay = {
  /** That pay it, also those that are too many. */
  readonly came: readonly MatchedPart[];
  /** That take what another line pays for the holder of a pledge. */
  readonly claims: readonly MatchedPart[];
  readonly debits: readonly Debit[];
  /** What claims and debits take; below zero: give back. */
  readonly taken: number;
  /** What came, less what was taken. */
  readonly received: number;
  /** Of what came. */
  readonly fees: number;
};

/** The one answer to what came on a day: the sheet of a day and the days of a merchant add it up. */
export function moneyOfDay(
  day: Day,
  installment: JudgedInstallment,
  { paid, twice, pledged, takings }: JudgedLines,
): MoneyOfDay {
  const isOnDay = (part: MatchedPart) => dayOf(part, installment) === day;
  const came = [...paid, ...twice].filter(isOnDay);
  const claims = pledged.filter(isOnDay);
  const debits = takings.flatMap((taking) => debitsOn(day, taking));
  const taken = sumOf(claims, netOf) + sumOf(debits, ({ net }) => net);
  return {
    came,
    claims,
    debits,
    taken,
    received: sumOf(came, netOf) - taken,
    fees: sumOf(came, ({ fee, anticipationFee }) => (fee ?? 0) + (anticipationFee ?? 0)),
  };
}

function debitsOn(day: Day, taking: JudgedTaking): Debit[] {
  const { amount, moved, moves } = taking;
  if (moved === 0) return [];
  return moves
    .filter(({ on }) => on === day)
    .map((move) => ({ ...taking, net: Math.round((move.net * moved) / Math.abs(amount)) }));
}

/** First and last day on which lines move something, where that is more than one payout on its day. */
export type ApartDays = { readonly from: Day; readonly to: Day };

/**
 * Null: the lines move nothing, or one payout on the day that it names, which its receivable shows
 * whole. All others are looked at line by line.
 */
export function apartDays(
  parts: readonly MatchedPart[],
  installment: Pick<JudgedInstallment, 'expectedOn'>,
): ApartDays | null {
  const paying = parts.filter(({ kind }) => isPaying(kind));
  const others = parts.filter(({ kind }) => isTaking(kind) || kind === 'pledge');
  const isPlain = paying.length === 1 && paying[0]?.bankOn !== null && others.length === 0;
  const days = [
    ...paying.map((part) => part.bankOn ?? installment.expectedOn),
    ...others.flatMap(({ bankOn, kind }) => bankOn ?? (kind === 'pledge' ? installment.expectedOn : [])),
  ].sort();
  const [from, to] = [days[0], days.at(-1)];
  return isPlain || from === undefined || to === undefined ? null : { from, to };
}
