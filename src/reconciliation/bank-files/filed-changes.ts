import type { FiledBankChange } from '../../boletos/changes/bank-change.ts';
import type { FiledChangeOfBoleto } from '../../boletos/changes/filed-changes.sql.ts';
import { cents } from '../../values/cents.ts';
import { type Instant, instant, startOfSaoPauloDay } from '../../values/instant.ts';
import type { ReturnEntry } from './return-file.ts';

export type ChangeEntry = ReturnEntry & {
  readonly event: FiledBankChange['event'];
  readonly ourNumber: string;
};

/**
 * The entries as changes of the bank, in their order. Their ids come from what they say, so that the
 * same payment in a file that is sent anew, under whatever number, is the same change; equal ones of
 * one file are numbered.
 */
export function filedChanges(bank: string, entries: readonly ChangeEntry[]): FiledChangeOfBoleto[] {
  const equal = new Map<string, number>();
  return entries.flatMap(({ ourNumber, event, value, dueOn, paid, fee, happenedOn, creditedOn }) => {
    if (happenedOn === null) return [];
    const isPaid = event === 'paid';
    const text = `file:${bank}:${ourNumber}:${event}:${happenedOn}${isPaid ? `:${paid}` : ''}`;
    const number = (equal.get(text) ?? 0) + 1;
    equal.set(text, number);
    return {
      changeId: `${text}:${number}`,
      ourNumber,
      event,
      amount: isPaid ? cents(paid) : null,
      paidOn: isPaid ? happenedOn : null,
      creditedOn: isPaid ? creditedOn : null,
      fee: isPaid ? cents(fee) : null,
      value,
      dueOn,
      happenedAt: noon(startOfSaoPauloDay(happenedOn)),
    };
  });
}

const TWELVE_HOURS = 43_200_000;

/** A file knows days only. */
function noon(start: Instant): Instant {
  return instant(start + TWELVE_HOURS);
}
