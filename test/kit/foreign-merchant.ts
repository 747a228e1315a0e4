import { randomUUID } from 'node:crypto';
import type { Auditor } from './service.ts';

export const FOREIGN_MERCHANT = 'OUTRA';
export const FOREIGN_USER = 'outra-loja';

/** Another merchant, with a credential of its own: a copy of the one named, password and scopes too. */
export async function createForeignMerchant(auditor: Auditor, userName: string): Promise<void> {
  await auditor.query(
    `insert into merchants select (jsonb_populate_record(m, $2)).*
     from merchants m join credentials c using (merchant_id) where c.user_name = $1`,
    [userName, JSON.stringify({ merchant_id: FOREIGN_MERCHANT })],
  );
  await auditor.query(
    `insert into accounts (merchant_id, account_number, position) values ($1, '2000001', 1)`,
    [FOREIGN_MERCHANT],
  );
  const changed = {
    merchant_id: FOREIGN_MERCHANT,
    account_number: '2000001',
    credential_id: randomUUID(),
    user_name: FOREIGN_USER,
  };
  await auditor.query(
    'insert into credentials select (jsonb_populate_record(c, $2)).* from credentials c where c.user_name = $1',
    [userName, JSON.stringify(changed)],
  );
}
