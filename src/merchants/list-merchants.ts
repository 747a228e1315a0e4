import type { MerchantTools } from './create-merchant.ts';
import type { Merchant } from './merchant.ts';
import { listAllMerchants } from './merchants.sql.ts';

/** All merchants, by id. For the operator only. */
export function listMerchants(tools: MerchantTools): Promise<Merchant[]> {
  return listAllMerchants(tools.database);
}
