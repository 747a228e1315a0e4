import type { Export, OpenExport } from '../../platform/exports.ts';
import type { Page } from '../../platform/pages.ts';
import type { Search } from '../../platform/postgres/searches.ts';
import { instant } from '../../values/instant.ts';
import type { ListedPayment, PaymentExportRefusal, PaymentSearchRefusal } from '../payment.ts';
import {
  keyToLookUp,
  MOST_DAYS,
  paymentSearchKind,
  paymentWalk,
  type WantedPayments,
} from './payment-search.ts';
import { searchPayments } from './payment-searches.sql.ts';
import { type WalkedPayment, walkPayments } from './payment-walks.sql.ts';

type ListPaymentsTools = {
  /** A merchant's searches take turns: a shop may use one reference for all its payments. */
  readonly search: Search;
};

/** The most days that a page of an export looks through, however few payments fit. */
const PART_MILLISECONDS = MOST_DAYS * 86_400_000;

/** In the order of the search. */
function periodsOf(wanted: WantedPayments): WantedPayments[] {
  const { soldFrom, soldBefore, order } = wanted;
  if (soldFrom === null || soldBefore === null) return [wanted];
  const parts: WantedPayments[] = [];
  for (let from = soldFrom; from < soldBefore; from = instant(from + PART_MILLISECONDS)) {
    const before = instant(Math.min(soldBefore, from + PART_MILLISECONDS));
    parts.push({ ...wanted, soldFrom: from, soldBefore: before });
  }
  return order.isDescending ? parts.toReversed() : parts;
}

/** Read and sorted in about a second, where no index has the order. */
const MOST_SORTED = 100_000;

/** Throws `Overloaded` when too many of the merchant's searches wait. */
export async function listPayments(
  { search }: ListPaymentsTools,
  merchantId: string,
  wanted: WantedPayments,
): Promise<Page<ListedPayment> | PaymentSearchRefusal> {
  const found = await search(merchantId, (database) =>
    searchPayments(database, merchantId, wanted, MOST_SORTED),
  );
  if (found !== 'tooManyToOrder') return found;
  return keyToLookUp(wanted) === null ? 'tooManyOfPeriod' : 'tooManyOfKey';
}

export type ListAllPaymentsTools = ListPaymentsTools & { readonly openExport: OpenExport };

/** All results in the order of pages, each as it is when read. Throws `Overloaded`. */
export async function listAllPayments(
  tools: ListAllPaymentsTools,
  merchantId: string,
  wanted: WantedPayments,
): Promise<Export<WalkedPayment> | PaymentExportRefusal> {
  const walk = paymentWalk(wanted);
  if (walk === null) return 'notInThisOrder';
  // Too many for one page is too many for all.
  if (paymentSearchKind(wanted) === 'sorted') {
    const first = await listPayments(tools, merchantId, { ...wanted, page: 1, limit: 1, isForPeople: true });
    if (typeof first === 'string') return first;
  }
  const parts = walk === 'byDay' ? periodsOf(wanted) : [wanted];
  return tools.openExport<WalkedPayment>(
    merchantId,
    parts.map(
      (part) => (database, after, limit) =>
        walkPayments(database, merchantId, { ...part, walk }, after?.place ?? null, limit),
    ),
  );
}
