import { hasAccount } from '../../merchants/accounts.sql.ts';
import type { Page, WantedPage } from '../../platform/pages.ts';
import type { Search } from '../../platform/postgres/searches.ts';
import type { ReconciliationException } from './exception.ts';
import { type ExceptionFilter, type ExceptionOrder, listExceptionPage } from './exceptions.sql.ts';

export type ListExceptionsTools = { readonly search: Search };

/** A page of the exceptions of one of the merchant's accounts; of any other account nothing is found. */
export async function listExceptions(
  { search }: ListExceptionsTools,
  merchantId: string,
  filter: ExceptionFilter,
  wanted: WantedPage<ExceptionOrder>,
): Promise<Page<ReconciliationException> | 'notFound'> {
  return search(merchantId, async (database) =>
    (await hasAccount(database, merchantId, filter.accountNumber))
      ? listExceptionPage(database, merchantId, filter, wanted)
      : 'notFound',
  );
}
