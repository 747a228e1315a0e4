import { newSecret } from '../../platform/chance.ts';
import { renewHandStep } from './hands.sql.ts';
import type { Invited, UserTools } from './invite-user.ts';
import { recoverByLink } from './links.sql.ts';
import { tokenHash } from './session.ts';
import { type UserRefusal, userResource } from './user.ts';
import { findUserByName, isStillAdmin, lockAdmins, standsStep } from './users.sql.ts';

/**
 * For a user whose passkeys are lost, by another person: ends all sessions, takes the passkeys away and
 * gives a new link. Of the users of a merchant; `merchantId` null: of all.
 */
export async function recoverUser(
  { database, audit, operator }: UserTools,
  name: string,
  merchantId: string | null,
): Promise<Invited | { readonly refusal: UserRefusal }> {
  const found = await findUserByName(database, name, merchantId);
  if (found === null) return { refusal: 'userUnknown' };
  if (found.isDisabled) return { refusal: 'userDisabled' };
  const { isDisabled: _, ...user } = found;
  const token = newSecret();
  const event = {
    ...operator,
    action: 'user.recover',
    outcome: 'success',
    resource: userResource(user),
    detail: { name },
  } as const;
  const { actor } = operator;
  const recover = recoverByLink(tokenHash(token), user.userId, actor);
  const renewHand = renewHandStep(user.userId, actor);
  const [, stands] = await audit.commit(
    [
      lockAdmins(user, actor),
      standsStep(user.userId, actor),
      ([, rows]) => (rows?.length === 1 ? recover : null),
      ([, rows]) => (rows?.length === 1 ? renewHand : null),
    ],
    ([, rows]) => (rows?.length === 1 ? [event] : []),
  );
  if (stands?.length === 1) return { user, token };
  return { refusal: (await isStillAdmin(database, actor)) ? 'userDisabled' : 'notAdministrator' };
}
