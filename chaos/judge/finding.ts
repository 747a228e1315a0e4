import type { BookedCharge, Books } from './ledger-view.ts';

/** Something that must not be, with the merchant's reference under which the three books are looked up. */
export type Finding = { readonly invariant: string; readonly reference: string; readonly text: string };

export type Complain = (reference: string, text: string) => void;

/** A promise about the three books together, looked at when nothing is under way any more. */
export type BookInvariant = { readonly name: string; check(books: Books, complain: Complain): void };

/** Charged and not undone. What was given back of it since is another matter. */
export function standingCharges(books: Books, reference: string): BookedCharge[] {
  return (books.chargesOf.get(reference) ?? []).filter(
    ({ status }) => status === 'approved' || status === 'canceled',
  );
}

/** The state that we have of a charge which the acquirer's ledger shows with this status. */
export function stateOfBooked(status: string): string {
  if (status === 'canceled') return 'approved';
  return status === 'undone' ? 'voided' : status;
}
