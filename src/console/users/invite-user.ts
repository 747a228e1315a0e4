import type { Actor, Audit } from '../../audit/audit-event.ts';
import { findMerchant } from '../../merchants/merchants.sql.ts';
import { newId, newSecret } from '../../platform/chance.ts';
import type { Database, Tx } from '../../platform/postgres/database.ts';
import type { Role, User } from '../parts/user.ts';
import { insertLink } from './links.sql.ts';
import { tokenHash } from './session.ts';
import { isUserName, type UserRefusal, userResource } from './user.ts';
import { findUserByName, insertUser, isStillAdmin, lockAdmins } from './users.sql.ts';

export type UserTools = { readonly database: Database; readonly audit: Audit; readonly operator: Actor };

/** `token`: of a link that is good for a day, once; it is shown now and never again. */
export type Invited = { readonly user: User; readonly token: string };

export type WantedUser = { readonly name: string; readonly role: Role; readonly merchantId: string | null };

/** Makes a user, who has no way in but the link. */
export async function inviteUser(
  tools: UserTools,
  wanted: WantedUser,
): Promise<Invited | { readonly refusal: UserRefusal }> {
  const token = newSecret();
  const { actor } = tools.operator;
  const made = await makeUser(tools, wanted, null, (tx, { userId }) =>
    insertLink(tx, tokenHash(token), userId, actor),
  );
  return 'refusal' in made ? made : { user: made, token };
}

/** Makes a user with a way in, in one commit. `by`: how the user signs in, if not by a passkey. */
export async function makeUser(
  { database, audit, operator }: UserTools,
  { name, role, merchantId }: WantedUser,
  by: string | null,
  letIn: (tx: Tx, user: User) => Promise<void>,
): Promise<User | { readonly refusal: UserRefusal }> {
  if (!isUserName(name)) return { refusal: 'userNameMalformed' };
  if (merchantId !== null && (await findMerchant(database, merchantId)) === null)
    return { refusal: 'merchantUnknown' };
  if ((await findUserByName(database, name, null)) !== null) return { refusal: 'userExists' };
  const user: User = { userId: newId(), name, role, merchantId };
  const event = {
    ...operator,
    action: 'user.invite',
    outcome: 'success',
    resource: userResource(user),
    detail: { name, role, ...(by !== null && { by }) },
  } as const;
  const { actor } = operator;
  const isMade = await audit.transaction(async (tx) => {
    await lockAdmins(tx, user, actor);
    if (!(await insertUser(tx, user, actor))) return false;
    await letIn(tx, user);
    tx.record(event);
    return true;
  });
  if (isMade) return user;
  if (!(await isStillAdmin(database, actor))) return { refusal: 'notAdministrator' };
  const isTaken = (await findUserByName(database, name, null)) !== null;
  return { refusal: isTaken ? 'userExists' : 'tooManyUsers' };
}
