import type { Database } from '../../platform/postgres/database.ts';
import { findMerchant } from '../merchants.sql.ts';
import type { Credential } from './credential.ts';
import { listMerchantCredentials } from './credentials.sql.ts';

/**
 * A merchant's credentials in the order of their making, disabled ones too; null when there is no
 * such merchant.
 */
export async function listCredentials(
  tools: { readonly database: Database },
  merchantId: string,
): Promise<Credential[] | null> {
  if ((await findMerchant(tools.database, merchantId)) === null) return null;
  return listMerchantCredentials(tools.database, merchantId);
}
