import type { Actor, Audit } from '../../audit/audit-event.ts';
import { findMerchant } from '../../merchants/merchants.sql.ts';
import { newId, newSecret } from '../../platform/chance.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { insertLink } from './links.sql.ts';
import { tokenHash } from './session.ts';
import { isUserName, type Role, type User, type UserRefusal, userResource } from './user.ts';
import { findUserByName, insertUser } from './users.sql.ts';

export type UserTools = { readonly database: Database; readonly audit: Audit; readonly operator: Actor };

/** `token`: of a link that is good for a day, once; it is shown now and never again. */
export type Invited = { readonly user: User; readonly token: string };

/** Makes a user, who has no way in but the link. */
export async function inviteUser(
  { database, audit, operator }: UserTools,
  wanted: { readonly name: string; readonly role: Role; readonly merchantId: string | null },
): Promise<Invited | { readonly refusal: UserRefusal }> {
  const { name, role, merchantId } = wanted;
  if (!isUserName(name)) return { refusal: 'userNameMalformed' };
  if (merchantId !== null && (await findMerchant(database, merchantId)) === null)
    return { refusal: 'merchantUnknown' };
  if ((await findUserByName(database, name)) !== null) return { refusal: 'userExists' };
  const user: User = { userId: newId(), name, role, merchantId };
  const token = newSecret();
  const event = {
    ...operator,
    action: 'user.invite',
    outcome: 'success',
    resource: userResource(user),
    detail: { name, role },
  } as const;
  const [made] = await audit.commit(
    [
      insertUser(user),
      ([rows]) => (rows?.length === 1 ? insertLink(tokenHash(token), user.userId, operator.actor) : null),
    ],
    ([rows]) => (rows?.length === 1 ? [event] : []),
  );
  if (made?.length === 1) return { user, token };
  const isTaken = (await findUserByName(database, name)) !== null;
  return { refusal: isTaken ? 'userExists' : 'tooManyUsers' };
}
