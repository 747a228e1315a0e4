import type { User } from '../parts/user.ts';
import { renewHandStep } from '../users/hands.sql.ts';
import type { UserTools } from '../users/invite-user.ts';
import { type UserRefusal, userResource } from '../users/user.ts';
import { behindLock, findUserByName } from '../users/users.sql.ts';
import { recoverByInvitation } from './identities.sql.ts';

/**
 * For a user who shall sign in through the provider, or whose identity there is another one now: ends all
 * sessions, takes passkeys and the bound identity away, and lets the first identity of the name in. Of the
 * users of a merchant; `merchantId` null: of all.
 */
export async function recoverByIdentity(
  { database, audit, operator }: UserTools,
  name: string,
  merchantId: string | null,
): Promise<User | { readonly refusal: UserRefusal }> {
  const found = await findUserByName(database, name, merchantId);
  if (found === null) return { refusal: 'userUnknown' };
  const { isDisabled: _, ...user } = found;
  const event = {
    ...operator,
    action: 'user.recover',
    outcome: 'success',
    resource: userResource(user),
    detail: { name, by: 'oidc' },
  } as const;
  const step = recoverByInvitation(user.userId, operator.actor);
  const [, made] = await audit.commit(
    behindLock(user.userId, step, renewHandStep(user.userId, operator.actor)),
    ([, rows]) => (rows?.length === 1 ? [event] : []),
  );
  return made?.length === 1 ? user : { refusal: 'userDisabled' };
}
