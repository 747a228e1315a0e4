import type { Database } from '../platform/postgres/database.ts';
import type { Merchant } from './merchant.ts';
import { listAllMerchants } from './merchants.sql.ts';

/** All merchants, by id. For the operator only. */
export function listMerchants(tools: { readonly database: Database }): Promise<Merchant[]> {
  return listAllMerchants(tools.database);
}
