type Sum = { count: number; amount: number };
type Name = 'credits' | 'anticipations' | 'creditAdjustments' | 'debitAdjustments';

/** What the records of an EEFI come to, of a head office or of the file. */
export type EefiTotals = Record<Name, Sum>;

export type StatedTotals = {
  readonly creditCount: number;
  readonly credits: number;
  readonly anticipationCount: number;
  readonly anticipated: number;
  readonly creditAdjustmentCount: number;
  readonly creditAdjustments: number;
  readonly debitAdjustmentCount: number;
  readonly debitAdjustments: number;
  /** How many digits the counts have, in this order. */
  readonly digits: readonly [number, number, number, number];
};

const NO_DIGITS_LOST = 15;

export function comparisons(stated: StatedTotals, found: EefiTotals) {
  const [credits, anticipations, creditAdjustments, debitAdjustments] = stated.digits;
  const count = (name: keyof StatedTotals & `${string}Count`, against: number, digits: number) => ({
    name,
    value: stated[name],
    against,
    digits,
  });
  const amount = (name: Exclude<keyof StatedTotals, `${string}Count` | 'digits'>, against: number) => ({
    name,
    value: stated[name],
    against,
    digits: NO_DIGITS_LOST,
  });
  return [
    count('creditCount', found.credits.count, credits),
    amount('credits', found.credits.amount),
    count('anticipationCount', found.anticipations.count, anticipations),
    amount('anticipated', found.anticipations.amount),
    count('creditAdjustmentCount', found.creditAdjustments.count, creditAdjustments),
    amount('creditAdjustments', found.creditAdjustments.amount),
    count('debitAdjustmentCount', found.debitAdjustments.count, debitAdjustments),
    amount('debitAdjustments', found.debitAdjustments.amount),
  ];
}

export function noEefiTotals(): EefiTotals {
  const none = (): Sum => ({ count: 0, amount: 0 });
  return {
    credits: none(),
    anticipations: none(),
    creditAdjustments: none(),
    debitAdjustments: none(),
  };
}
