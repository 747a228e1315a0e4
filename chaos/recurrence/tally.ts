import type { Finding } from '../judge/finding.ts';
import type { KindResult } from '../results.ts';
import type { ChargingShop } from './chaos-merchant.ts';
import type { ShopBooks } from './judge/ledger-view.ts';

/** What the judges of the rounds have counted and found since it was asked for last. */
export type ShopTally = {
  count(books: ShopBooks, shop: ChargingShop): void;
  find(shop: ChargingShop, finding: Finding, views?: string): void;
  /** Adds all of it to a line of the table, and begins anew. */
  moveTo(result: KindResult): void;
};

/** What the columns of the table count here. */
export const CHARGING_WORDS: readonly string[] = [
  ...[
    'faults',
    'charges',
    'approved',
    'declined',
    'voided',
    'calls lost',
    'by hand',
    'calls',
    'billings paid',
  ],
  ...['movements', 'sent again'],
];

export function openTally(): ShopTally {
  let waiting: ((result: KindResult) => void)[] = [];
  return {
    count(books, { calls }) {
      waiting.push((result) => {
        const inState = (state: string) => books.transactions.filter((row) => row.state === state).length;
        result.payments += books.transactions.length;
        result.approved += inState('approved');
        result.refused += inState('declined');
        result.failed += inState('voided');
        result.lost += calls.filter(({ status }) => status === null).length;
        result.lostButCharged += books.tries.filter(({ attemptNumber }) => attemptNumber === null).length;
        result.cancels += calls.length;
        result.givenBack += books.billings.filter(({ state }) => state === 'paid').length;
        result.deliveries += books.transactions.reduce((sum, { movements }) => sum + movements, 0);
        result.repeated += books.tries.filter(({ outcome }) => outcome === 'voided').length;
      });
    },
    find({ round }, { invariant, reference, text }, views = '') {
      waiting.push((result) => {
        result.violations.push(`${invariant}: ${round} ${reference}: ${text}${views}`);
      });
    },
    moveTo(result) {
      for (const report of waiting) report(result);
      waiting = [];
    },
  };
}
