import { hashPassword } from '../../src/merchants/credentials/check-password.ts';
import type { Database } from '../../src/platform/postgres/database.ts';
import { statement } from '../../src/platform/postgres/database.ts';

/** Only its salt and its cost are used: the least cost there is, where the usual one takes a core 50 ms. */
const CHEAP_HASH = `$argon2id$v=19$m=8,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** A hash that costs a login nothing, as an old one of lower cost would. */
export function cheapHash(password: string): Promise<string> {
  return hashPassword(password, CHEAP_HASH);
}

const CHEAPEN = statement('test.cheapen', 'update credentials set password_hash = $2 where user_name = $1');

/** Of a login that was just made: each log in with it costs nothing. */
export async function cheapen(
  database: Database,
  { userName, password }: { readonly userName: string; readonly password: string },
): Promise<void> {
  await database.query(CHEAPEN, [userName, await cheapHash(password)]);
}
