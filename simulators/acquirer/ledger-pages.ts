import { changeItem, ledgerItem } from './answers.ts';
import type { Change, Charge, Charges } from './charges.ts';
import type { ChangesQuery } from './requests.ts';

/**
 * Up to `limit` of a merchant's charges, newest last, with the merchant's reference and ours where
 * they are asked for.
 */
export function ledgerPage(
  charges: Charges,
  query: {
    readonly merchantId: string;
    readonly merchantReference: string | null;
    readonly reference: string | null;
    readonly limit: number;
  },
): object {
  const { merchantId, merchantReference, reference, limit } = query;
  const found: Charge[] = [];
  const candidates =
    reference === null
      ? charges.ofMerchant(merchantId)
      : [charges.charge(merchantId, reference)].filter((charge) => charge !== undefined);
  for (let index = candidates.length - 1; index >= 0 && found.length < limit; index -= 1) {
    const charge = candidates[index];
    if (charge === undefined) break;
    if (merchantReference === null || charge.merchantReference === merchantReference) found.push(charge);
  }
  return { items: found.reverse().map(ledgerItem) };
}

/**
 * Every charge of every merchant in the order of booking, behind the first `after`; for comparing
 * books in tests.
 */
export function allCharges(charges: Charges, after: number, limit: number): object {
  const items = charges.inOrder.slice(after, after + limit);
  return {
    items: items.map((charge) => ({ merchantId: charge.merchantId, ...ledgerItem(charge) })),
    next: after + items.length,
  };
}

/**
 * What happened to charges behind the cursor, in the order of the ledger, up to the first change
 * that is later than `until`: nothing is stepped over, so the next question can go on from `next`.
 */
export function changesPage(
  charges: Charges,
  { merchantId, after, limit }: ChangesQuery,
  until: number,
): object {
  const changes = charges.changesOf(merchantId);
  const first = indexAfter(changes, after);
  const items: object[] = [];
  let next = after;
  for (const change of changes.slice(first, first + limit)) {
    if (change.at > until) break;
    items.push(changeItem(change));
    next = change.cursor;
  }
  const following = changes[first + items.length];
  const hasMore =
    following === undefined ? charges.nextDue(merchantId, until) !== null : following.at <= until;
  return { items, next, hasMore };
}

/** How many changes are booked behind the cursor. */
export function bookedBehind(charges: Charges, { merchantId, after }: ChangesQuery): number {
  const changes = charges.changesOf(merchantId);
  return changes.length - indexAfter(changes, after);
}

/**
 * When the next change happens that a question would bring, booked or not yet; nothing is booked by
 * asking.
 */
export function nextChange(charges: Charges, { merchantId, after }: ChangesQuery, until: number): object {
  const changes = charges.changesOf(merchantId);
  const booked = changes[indexAfter(changes, after)]?.at ?? Number.POSITIVE_INFINITY;
  const due = charges.nextDue(merchantId, until)?.at ?? Number.POSITIVE_INFINITY;
  const at = Math.min(booked, due);
  return { at: at <= until ? new Date(at).toISOString() : null };
}

/** Cursors rise: the index of the first that is greater. */
function indexAfter(changes: readonly Change[], cursor: number): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((changes[middle]?.cursor ?? 0) <= cursor) low = middle + 1;
    else high = middle;
  }
  return low;
}
