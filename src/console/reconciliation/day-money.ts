import type { Day } from '../../values/instant.ts';
import type { Wording } from '../parts/wording.ts';

/** Amounts as the API lists them, in reais. */
export type ListedMoney = {
  readonly day: string;
  readonly expectedValue: number;
  readonly expectedFee: number;
  readonly openValue: number;
  readonly receivedValue: number;
  readonly receivedWithoutValue: number;
  readonly takenValue: number;
  readonly difference: number;
};

/**
 * The money of a day in cents; negative: kept, or taken off. `came` is `net`, less `toCome`, `awaited` and
 * `missing`, plus `taken`, `differing` and `otherDays`.
 */
export type DayMoney = {
  /** What was sold, less refunds before its payout. */
  readonly gross: number;
  readonly fees: number;
  readonly net: number;
  /**
   * What has not come. `toCome`: of a day that is not over. `awaited`: of a past day of which no file tells
   * yet. `missing`: of a past day of which files tell.
   */
  readonly toCome: number;
  readonly awaited: number;
  readonly missing: number;
  readonly taken: number;
  /** How much more than expected came. */
  readonly differing: number;
  /**
   * The balance with other days: money of other days that came on this one, less money of this day that came
   * on others.
   */
  readonly otherDays: number;
  readonly came: number;
};

/** `covered`: days that are judged, because files tell of them. */
export type Standing = { readonly today: Day; readonly covered: ReadonlySet<string> };

const inCents = (reais: number) => Math.round(reais * 100);

export function moneyOfDay(listed: ListedMoney, { today, covered }: Standing): DayMoney {
  const [net, fee, open] = [listed.expectedValue, listed.expectedFee, listed.openValue].map(inCents) as [
    number,
    number,
    number,
  ];
  const came = inCents(listed.receivedValue);
  const taken = 0 - inCents(listed.takenValue);
  const differing = inCents(listed.difference);
  const kind = listed.day >= today ? 'toCome' : covered.has(listed.day) ? 'missing' : 'awaited';
  return {
    gross: net + fee,
    fees: 0 - fee,
    net,
    ...{ toCome: 0, awaited: 0, missing: 0, [kind]: open },
    taken,
    differing,
    otherDays: came - net + open - taken - differing,
    came,
  };
}

const NAMES = [
  'gross',
  'fees',
  'net',
  'toCome',
  'awaited',
  'missing',
  'taken',
  'differing',
  'otherDays',
  'came',
] as const satisfies readonly (keyof DayMoney)[];

export function sumOfDays(days: readonly DayMoney[]): DayMoney {
  const sums = NAMES.map((name) => [name, days.reduce((sum, one) => sum + one[name], 0)] as const);
  return Object.fromEntries(sums) as Record<keyof DayMoney, number>;
}

/** One sentence: why this much came, or what is to come. Empty: nothing was due and nothing came. */
export function whySentence(
  day: DayMoney & { readonly isPartlyUnsaid?: boolean },
  { say, money, signed: signedText }: Pick<Wording, 'say' | 'money' | 'signed'>,
): string {
  const { net, came, toCome, awaited, gross, fees } = day;
  if (toCome > 0 && came === 0 && toCome === net)
    return say('{net} to come: {gross} gross, less {fees} of fees.', {
      net: money(net),
      gross: money(gross),
      fees: money(0 - fees),
    });
  if (awaited > 0) {
    const others = whySentence(
      { ...day, net: net - awaited, awaited: 0 },
      { say, money, signed: signedText },
    );
    const waits = say('In no file of the acquirer yet: {amount}.', { amount: money(awaited) });
    return came === 0 && net === awaited ? waits : `${waits} ${others}`.trimEnd();
  }
  const less = net - toCome - came;
  const parts = partsOf(day, { say, money, signed: signedText }).join('; ');
  if (parts === '') return came === 0 ? '' : say('What was expected came.');
  if (less === 0) return say('As much as expected came in all: {parts}.', { parts });
  return less > 0
    ? say('{less} less than expected: {parts}.', { less: money(less), parts })
    : say('{more} more than expected: {parts}.', { more: money(0 - less), parts });
}

function partsOf(
  { missing, taken, differing, otherDays, isPartlyUnsaid = false }: Parameters<typeof whySentence>[0],
  { say, money, signed: signedText }: Pick<Wording, 'say' | 'money' | 'signed'>,
): string[] {
  const signed = (amount: number, below: string, above: string) =>
    amount === 0 ? [] : [say(amount < 0 ? below : above, { amount: money(Math.abs(amount)) })];
  const others = isPartlyUnsaid
    ? 'Balance with other days, or of what nobody said how much came: {amount}'
    : 'Balance with other days: {amount}';
  // The words claim no cause that the sums do not show: files take off for pledges too, and a difference may
  // be of fees.
  return [
    ...signed(0 - missing, 'Not received: {amount}', ''),
    ...signed(taken, 'Taken off in files: {amount}', 'Given back in files: {amount}'),
    ...signed(differing, 'Below what was expected: {amount}', 'Above what was expected: {amount}'),
    ...(otherDays === 0 ? [] : [say(others, { amount: signedText(otherDays) })]),
  ];
}
