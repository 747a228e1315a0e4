import type { Page } from '../../platform/pages.ts';
import type { LookUp, Search } from '../../platform/postgres/searches.ts';
import { idOrUnissued, isUuid } from '../../values/ids.ts';
import type { Billing, BillingWithCharges } from './billing.ts';
import { isRangeBackwards, type SearchRefusal, type WantedBillings } from './billing-search.ts';
import { listFoundBillings } from './billing-searches.sql.ts';
import { findBilling } from './billings.sql.ts';

export type SearchTools = {
  readonly lookUp: LookUp;
  /** Searches of one merchant take their turns: each may read a great many rows. */
  readonly search: Search;
};

/**
 * What is put in order by something that no index has, in a second or two. More than these must be
 * narrowed down.
 */
const MOST_SORTED = 1_000_000;

/**
 * A page of a merchant's billings; of another merchant it sees none. Throws `Overloaded` when too
 * many searches of the merchant wait.
 */
export async function listBillings(
  { search }: Pick<SearchTools, 'search'>,
  merchantId: string,
  wanted: WantedBillings,
): Promise<Page<Billing> | SearchRefusal> {
  if (isRangeBackwards(wanted)) return 'rangeBackwards';
  if (wanted.merchantId !== null && wanted.merchantId !== merchantId) return { items: [], total: 0 };
  const subscriptionId = wanted.subscriptionId === null ? null : idOrUnissued(wanted.subscriptionId);
  const known = { ...wanted, subscriptionId };
  return search(merchantId, (database) => listFoundBillings(database, merchantId, known, MOST_SORTED));
}

/**
 * A billing of this merchant with its charges, or null: one of another merchant looks like one that
 * never was.
 */
export async function readBilling(
  { lookUp }: Pick<SearchTools, 'lookUp'>,
  merchantId: string,
  billingId: string,
): Promise<BillingWithCharges | null> {
  if (!isUuid(billingId)) return null;
  return lookUp(merchantId, (database) => findBilling(database, merchantId, billingId));
}
