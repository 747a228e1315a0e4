import type { User } from '../parts/user.ts';
import type { UserTools } from './invite-user.ts';
import { type UserRefusal, userResource } from './user.ts';
import { findUserByName, isStillAdmin, lockAdmins, markUserDisabled } from './users.sql.ts';

/**
 * Locks a user out for good. The name stays taken, for the audit log. On a page, the last administrator
 * cannot be locked out. `merchantId` null: the user may be of any merchant, or of the operator.
 */
export async function disableUser(
  { database, audit, operator }: UserTools,
  name: string,
  merchantId: string | null,
): Promise<User | { readonly refusal: UserRefusal }> {
  const found = await findUserByName(database, name, merchantId);
  if (found === null) return { refusal: 'userUnknown' };
  const event = {
    ...operator,
    action: 'user.disable',
    outcome: 'success',
    resource: userResource(found),
    detail: { name },
  } as const;
  const { isDisabled: _, ...user } = found;
  // If two administrators disable each other, the second one's commit sees the first one's.
  const isDisabled = await audit.transaction(async (tx) => {
    await lockAdmins(tx, user, operator.actor);
    const isMarked = await markUserDisabled(tx, user.userId, operator.actor);
    if (isMarked) tx.record(event);
    return isMarked;
  });
  return isDisabled ? user : { refusal: await refusalOf(database, name, operator.actor) };
}

async function refusalOf(database: UserTools['database'], name: string, actor: string): Promise<UserRefusal> {
  const now = await findUserByName(database, name, null);
  if (now === null || now.isDisabled) return 'userDisabled';
  return (await isStillAdmin(database, actor)) ? 'lastAdministrator' : 'notAdministrator';
}
