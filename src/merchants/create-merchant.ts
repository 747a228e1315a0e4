import type { Actor, Audit } from '../audit/audit-event.ts';
import type { Database } from '../platform/postgres/database.ts';
import {
  type AccountRefusal,
  bareCnpj,
  type Merchant,
  type MerchantRefusal,
  type NewMerchant,
  newAccountsRefusal,
  newMerchantRefusal,
  type Refused,
} from './merchant.ts';
import { findMerchant, insertAccounts, insertMerchant } from './merchants.sql.ts';

export type MerchantTools = { readonly audit: Audit; readonly operator: Actor };

/** The merchant can call the APIs once it has a credential too. */
export async function createMerchant(
  tools: MerchantTools,
  merchant: NewMerchant,
): Promise<Merchant | Refused<MerchantRefusal>> {
  const refused = newMerchantRefusal(merchant);
  if (refused !== null) return refused;
  const stored = { ...merchant, cnpj: bareCnpj(merchant.cnpj) };
  const createdAt = await insertMerchant(tools.audit, stored, {
    ...tools.operator,
    action: 'merchant.create',
    outcome: 'success',
    resource: `merchants/${stored.merchantId}`,
    detail: { cnpj: stored.cnpj, accounts: stored.accountNumbers.length },
  });
  if (createdAt === null) return { refusal: 'merchantExists', value: merchant.merchantId };
  return { ...stored, createdAt, isDisabled: false, hasBillingsHeld: false, isHeldByRestore: false };
}

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

/** The audit log cuts longer values. */
const LONGEST_DETAIL = 200;
