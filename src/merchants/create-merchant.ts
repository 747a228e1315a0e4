import type { Actor, Audit } from '../audit/audit-event.ts';
import {
  bareCnpj,
  type Merchant,
  type MerchantRefusal,
  type NewMerchant,
  newMerchantRefusal,
  type Refused,
} from './merchant.ts';
import { insertMerchant } from './merchants.sql.ts';

export type MerchantTools = { readonly audit: Audit; readonly operator: Actor };

/** Registers a merchant with its accounts. It can call once it has a credential. */
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
