import { type Answered, type CancelEntry, type Entry, isAboutKey, paymentIdOf } from '../log.ts';
import type { BookInvariant } from './finding.ts';

/** What an `Idempotency-Key` promises beyond the promise of each request. */
export const KEY_INVARIANTS: readonly BookInvariant[] = [
  {
    name: 'all requests with one key have one outcome',
    check(books, complain) {
      for (const entry of books.entries.filter(({ key }) => key !== null)) {
        const ids = new Set(entry.tries.map(paymentIdOf).filter((id) => id !== null));
        if (ids.size > 1) complain(entry.reference, `answered with the payments ${[...ids]}`);
        checkTries(entry, (text) => complain(entry.reference, text));
      }
      for (const entry of books.cancelEntries.filter(({ key }) => key !== null)) {
        checkTries(entry, (text) => complain(entry.reference, text));
      }
    },
  },
  {
    name: 'a key makes at most one transaction and at most one cancel',
    check(books, complain) {
      for (const { reference, key } of books.entries) {
        const rows = books.transactionsOf.get(reference) ?? [];
        const count = rows.filter(({ wasNeverSent }) => !wasNeverSent).length;
        if (key !== null && count > 1) complain(reference, `${count} transactions`);
      }
      const cancelsOf = Map.groupBy(books.cancels, (cancel) => cancel.reference);
      for (const { reference, key } of books.cancelEntries) {
        const count = cancelsOf.get(reference)?.length ?? 0;
        if (key !== null && count > 1) complain(reference, `${count} cancels`);
      }
    },
  },
];

/** 200, 402 and every repeated answer are outcomes, and there is one; the repetitions end, and alike. */
function checkTries(entry: Entry | CancelEntry, complain: (text: string) => void): void {
  const reported = entry.tries.filter(
    ({ status, isReplayed }) => status === 200 || status === 402 || isReplayed,
  );
  const outcomes = new Set(reported.map(({ status }) => status));
  if (outcomes.size > 1) complain(`answered ${[...outcomes].join(' and ')}`);
  const last = entry.tries.at(-1);
  if (last === undefined) return;
  if (outcomes.size === 1 && !outcomes.has(entry.status))
    complain(`answered ${[...outcomes]} before, ${entry.status} in the end`);
  if (isAboutKey(last)) complain(`in the end the key still answers ${last.status}`);
  const bodies = new Set(entry.tries.filter(({ status }) => status === 200).map(bodyOf));
  if (entry.tries.filter(({ status, isReplayed }) => status === 200 && !isReplayed).length > 1)
    complain('told twice as new');
  if (bodies.size > 1) complain(`answered 200 with ${[...bodies].join(' and ')}`);
}

function bodyOf({ body }: Answered): string {
  return JSON.stringify(body);
}
