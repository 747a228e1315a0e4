import { hashPassword } from '../../src/merchants/credentials/check-password.ts';

/** Only its salt and its cost are used: the least cost there is, where the usual one takes a core 50 ms. */
const CHEAP_HASH = `$argon2id$v=19$m=8,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** A hash that costs a login nothing, as an old one of lower cost would. */
export function cheapHash(password: string): Promise<string> {
  return hashPassword(password, CHEAP_HASH);
}
