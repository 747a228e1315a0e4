import type { BookInvariant, Finding } from './finding.ts';
import type { Books } from './ledger-view.ts';
import { CANCEL_INVARIANTS } from './of-cancels.ts';
import { CAPTURE_INVARIANTS } from './of-captures.ts';
import { KEY_INVARIANTS } from './of-keys.ts';
import { PAYMENT_INVARIANTS } from './of-payments.ts';
import { SPLIT_INVARIANTS } from './of-splits.ts';
import { VAULT_INVARIANTS } from './of-vault.ts';

const BOOK_INVARIANTS: readonly BookInvariant[] = [
  ...PAYMENT_INVARIANTS,
  ...CANCEL_INVARIANTS,
  ...CAPTURE_INVARIANTS,
  ...SPLIT_INVARIANTS,
  ...VAULT_INVARIANTS,
  ...KEY_INVARIANTS,
];

/** Compares the books; gives every promise that is broken. */
export function checkBooks(books: Books): Finding[] {
  const findings: Finding[] = [];
  for (const { name, check } of BOOK_INVARIANTS) {
    check(books, (reference, text) => findings.push({ invariant: name, reference, text }));
  }
  return findings;
}
