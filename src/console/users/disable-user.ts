import type { User } from '../parts/user.ts';
import type { UserTools } from './invite-user.ts';
import { type UserRefusal, userResource } from './user.ts';
import { behindLock, disableUserStep, findUserByName } from './users.sql.ts';

/**
 * Ends the user's sessions, links and identity at once; the name stays taken, for the audit log has it. Of
 * the users of a merchant; `merchantId` null: of all.
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
  const steps = behindLock(found.userId, disableUserStep(found.userId));
  const [, disabled] = await audit.commit(steps, ([, rows]) => (rows?.length === 1 ? [event] : []));
  if (disabled?.length !== 1) return { refusal: 'userDisabled' };
  const { isDisabled: _, ...user } = found;
  return user;
}
