import type { Database } from '../platform/postgres/database.ts';
import type { MerchantTools } from './create-merchant.ts';
import {
  type Merchant,
  type MerchantChangeRefusal,
  type Refused,
  softDescriptorRefusal,
} from './merchant.ts';
import { changeSoftDescriptor, findMerchant } from './merchants.sql.ts';

/** Gives a merchant another soft descriptor, or none; payments of every process follow within two seconds. */
export async function changeMerchant(
  tools: MerchantTools & { readonly database: Database },
  merchantId: string,
  softDescriptor: string | null,
): Promise<Merchant | Refused<MerchantChangeRefusal>> {
  const refused = softDescriptorRefusal(softDescriptor);
  if (refused !== null) return refused;
  const found = await findMerchant(tools.database, merchantId);
  if (found === null) return { refusal: 'merchantUnknown', value: merchantId };
  const isChanged = await changeSoftDescriptor(tools.audit, merchantId, softDescriptor, {
    ...tools.operator,
    action: 'merchant.change',
    outcome: 'success',
    resource: `merchants/${merchantId}`,
    detail: { 'softDescriptor.old': found.softDescriptor ?? '', 'softDescriptor.new': softDescriptor ?? '' },
  });
  return isChanged ? { ...found, softDescriptor } : { refusal: 'merchantUnknown', value: merchantId };
}
