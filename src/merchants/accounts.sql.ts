import { type Reader, statement } from '../platform/postgres/database.ts';

const FIND = statement(
  'merchants.find_account',
  'select position from accounts where merchant_id = $1 and account_number = $2',
);

/** Whether the merchant has this account. */
export async function hasAccount(
  database: Reader,
  merchantId: string,
  accountNumber: string,
): Promise<boolean> {
  return (await database.query(FIND, [merchantId, accountNumber])).length === 1;
}
