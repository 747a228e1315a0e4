import type { Role, User } from '../parts/user.ts';
import type { UserTools } from './invite-user.ts';
import { type UserRefusal, userResource } from './user.ts';
import { findUserByName, isStillAdmin, lockAdmins, updateRole } from './users.sql.ts';

/**
 * Takes effect at once, because sessions hold no role. The last administrator stays one. `merchantId` null:
 * the user may be of any merchant, or of the operator.
 */
export async function changeRole(
  { database, audit, operator }: UserTools,
  { name, role }: { readonly name: string; readonly role: Role },
  merchantId: string | null,
): Promise<User | { readonly refusal: UserRefusal }> {
  const found = await findUserByName(database, name, merchantId);
  if (found === null) return { refusal: 'userUnknown' };
  if (found.isDisabled) return { refusal: 'userDisabled' };
  const { isDisabled: _, ...user } = found;
  if (user.role === role) return { refusal: 'roleUnchanged' };
  const event = {
    ...operator,
    action: 'user.change',
    outcome: 'success',
    resource: userResource(user),
    detail: { name, 'role.old': user.role, 'role.new': role },
  } as const;
  // If two administrators take the role from each other, the second one's commit sees the first one's.
  const isChanged = await audit.transaction(async (tx) => {
    await lockAdmins(tx, user, operator.actor);
    const isUpdated = await updateRole(tx, user, role, operator.actor);
    if (isUpdated) tx.record(event);
    return isUpdated;
  });
  return isChanged ? { ...user, role } : { refusal: await refusalOf(database, user, operator.actor) };
}

async function refusalOf(
  database: UserTools['database'],
  { name, role }: User,
  actor: string,
): Promise<UserRefusal> {
  const now = await findUserByName(database, name, null);
  if (now === null || now.isDisabled) return 'userDisabled';
  if (now.role !== role) return 'roleChanged';
  return (await isStillAdmin(database, actor)) ? 'lastAdministrator' : 'notAdministrator';
}
