import type { Database } from '../platform/postgres/database.ts';
import type { MerchantTools } from './create-merchant.ts';
import {
  changedMerchant,
  changeRefusal,
  type Merchant,
  type MerchantChange,
  type MerchantChangeRefusal,
  type Refused,
  shownChange,
} from './merchant.ts';
import { findMerchant, updateMerchant } from './merchants.sql.ts';

/**
 * Changes what the operator may of a merchant; tokens and payments of every process follow within
 * two seconds. The audit log keeps old and new of all but the contact, who is a person.
 */
export async function changeMerchant(
  tools: MerchantTools & { readonly database: Database },
  merchantId: string,
  change: MerchantChange,
): Promise<Merchant | Refused<MerchantChangeRefusal>> {
  const found = await findMerchant(tools.database, merchantId);
  if (found === null) return { refusal: 'merchantUnknown', value: merchantId };
  const { merchant, fields } = changedMerchant(found, change);
  const refused = changeRefusal(merchant);
  if (refused !== null) return refused;
  if (fields.length === 0) return { refusal: 'nothingToChange', value: '' };
  const isChanged = await updateMerchant(tools.audit, merchant, fields, {
    ...tools.operator,
    action: 'merchant.change',
    outcome: 'success',
    resource: `merchants/${merchantId}`,
    detail: shownChange(found, merchant, fields),
  });
  return isChanged ? merchant : { refusal: 'merchantUnknown', value: merchantId };
}
