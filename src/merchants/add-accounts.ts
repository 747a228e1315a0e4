import type { Database } from '../platform/postgres/database.ts';
import type { MerchantTools } from './create-merchant.ts';
import { type AccountRefusal, type Merchant, newAccountsRefusal, type Refused } from './merchant.ts';
import { findMerchant, insertAccounts } from './merchants.sql.ts';

/** Gives a merchant further accounts, behind those that it has. */
export async function addAccounts(
  tools: MerchantTools & { readonly database: Database },
  merchantId: string,
  accountNumbers: readonly string[],
): Promise<Merchant | Refused<AccountRefusal>> {
  const found = await findMerchant(tools.database, merchantId);
  if (found === null) return { refusal: 'merchantUnknown', value: merchantId };
  const refused = newAccountsRefusal(found, accountNumbers);
  if (refused !== null) return refused;
  const isAdded = await insertAccounts(tools.audit, merchantId, accountNumbers, {
    ...tools.operator,
    action: 'account.add',
    outcome: 'success',
    resource: `merchants/${merchantId}`,
    detail: { accounts: accountNumbers.join(',').slice(0, LONGEST_DETAIL) },
  });
  if (!isAdded) return { refusal: 'accountExists', value: accountNumbers[0] ?? '' };
  return { ...found, accountNumbers: [...found.accountNumbers, ...accountNumbers] };
}

/** As much of a value as the audit log keeps. */
const LONGEST_DETAIL = 200;
