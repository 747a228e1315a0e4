import type { Day } from '../../values/instant.ts';
import { isPaying, netOf } from '../settlement-entry.ts';
import { type JudgedInstallment, type MatchedPart, sumOf } from './judged-installment.ts';
import { dayOf, isTaking, type JudgedLines } from './judged-lines.ts';

type JudgedTaking = JudgedLines['takings'][number];

/** `net`: cents that moved at the bank on the day: less than the debit if the acquirer returns its fee. */
export type Debit = JudgedTaking & { readonly net: number };

export type MoneyOfDay = {
  /** Lines that pay, surplus ones included. */
  readonly came: readonly MatchedPart[];
  /** Lines that pass money on to a pledge holder. */
  readonly claims: readonly MatchedPart[];
  readonly debits: readonly Debit[];
  /** Negative if claims and debits give back more. */
  readonly taken: number;
  /** `came` less `taken`. */
  readonly received: number;
  readonly fees: number;
};

/** Used by day reports and by the list of days. */
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

/** First and last day with money of an irregular installment. */
export type ApartDays = { readonly from: Day; readonly to: Day };

/**
 * null: the receivable's own row tells all, because none of its lines moved money, or all that did is one
 * payout, whose line names the day.
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
