import { dayAfter } from '../days.ts';
import type { BookedTry } from './ledger-view.ts';
import type { ShopIndex, ShopInvariant } from './merchant-index.ts';

/** What merchants are notified of is what the books say happened: each once, and nothing else. */
export const NOTICE_INVARIANTS: readonly ShopInvariant[] = [
  {
    name: 'each change of a subscription is notified of once',
    check(index, complain) {
      const happened = index.events.map(({ type, subscriptionId, billingId }) =>
        [type === 'activated' ? 'reactivated' : type, subscriptionId, billingId].join(' '),
      );
      const notified = noticesOf(index, ['canceled', 'blocked', 'reactivated', 'completed']).map(
        ({ event, subscriptionId, billingId }) => [event, subscriptionId, billingId].join(' '),
      );
      compare(happened, notified, complain);
    },
  },
  {
    name: 'each charge that ended is notified of once',
    check(index, complain) {
      const happened = index.tries
        .filter(isNotifiedOf)
        .map(({ billingId, attemptNumber, transactionId, outcome }) =>
          [outcome === 'approved' ? 'paid' : 'failed', billingId, attemptNumber, transactionId].join(' '),
        );
      const notified = noticesOf(index, ['paid', 'failed']).map(({ event, billingId, attempt, paymentId }) =>
        [event, billingId, attempt, paymentId].join(' '),
      );
      compare(happened, notified, complain);
    },
  },
  {
    name: 'a due day is notified of once, three days before',
    check(index, complain) {
      const notified = Map.groupBy(noticesOf(index, ['upcoming']), ({ billingId }) => billingId ?? '');
      for (const { billingId, dueOn, createdOn } of index.billings) {
        const notices = notified.get(billingId) ?? [];
        const wasCharged = (index.triesOf.get(billingId) ?? []).some(
          ({ attemptNumber }) => attemptNumber === 1,
        );
        // One that is opened on the third day itself may be found on the day after.
        const isDue = wasCharged && createdOn < dayAfter(dueOn, -3);
        if (notices.length > 1 || (isDue && notices.length === 0))
          complain(billingId, `due on ${dueOn} and notified of ${notices.length} times`);
        for (const { on } of notices)
          if (on >= dueOn || on < dayAfter(dueOn, -3))
            complain(billingId, `due on ${dueOn}, notified of on ${on}`);
      }
    },
  },
];

const noticesOf = ({ notices }: ShopIndex, events: readonly string[]) =>
  notices.filter(({ event }) => events.includes(event));

/** What came to nothing is no failure, nor is what was not sent because its subscription had ended. */
function isNotifiedOf({ outcome, rule, transactionId }: BookedTry): boolean {
  if (outcome === null || outcome === 'voided') return false;
  return !(rule === 'subscriptionEnded' && transactionId === null);
}

function compare(
  happened: readonly string[],
  notified: readonly string[],
  complain: (reference: string, text: string) => void,
): void {
  const counts = new Map<string, number>();
  for (const key of happened) counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const key of notified) counts.set(key, (counts.get(key) ?? 0) - 1);
  for (const [key, count] of counts) {
    const text =
      count > 0 ? `was notified of ${count} times too few` : `was notified of ${-count} times too often`;
    if (count !== 0) complain(key.split(' ')[1] ?? '', `${key} ${text}`);
  }
}
