import { newSecret } from '../../platform/chance.ts';
import type { Step } from '../../platform/postgres/database.ts';
import type { User } from '../parts/user.ts';
import { renewHandStep } from './hands.sql.ts';
import type { Invited, UserTools } from './invite-user.ts';
import { recoverByLink } from './links.sql.ts';
import { tokenHash } from './session.ts';
import { type UserRefusal, userResource } from './user.ts';
import { findUserByName, isStillAdmin, lockAdmins, mayBeRecoveredStep } from './users.sql.ts';

/**
 * For a user whose passkeys are lost, by another person: ends all sessions, takes the passkeys away and
 * gives a new link. Of the users of a merchant; `merchantId` null: of all.
 */
export async function recoverUser(
  tools: UserTools,
  name: string,
  merchantId: string | null,
): Promise<Invited | { readonly refusal: UserRefusal }> {
  const token = newSecret();
  const { actor } = tools.operator;
  const recovered = await recover(tools, { name, merchantId }, null, ({ userId }) =>
    recoverByLink(tokenHash(token), userId, actor),
  );
  return 'refusal' in recovered ? recovered : { user: recovered, token };
}

/**
 * Takes every way in away from a user and gives another one, in one commit. `by`: how the user signs in, if
 * not by a passkey.
 */
export async function recover(
  { database, audit, operator }: UserTools,
  { name, merchantId }: { readonly name: string; readonly merchantId: string | null },
  by: string | null,
  wayIn: (user: User) => Step,
): Promise<User | { readonly refusal: UserRefusal }> {
  const found = await findUserByName(database, name, merchantId);
  if (found === null) return { refusal: 'userUnknown' };
  if (found.isDisabled) return { refusal: 'userDisabled' };
  const { isDisabled: _, ...user } = found;
  const event = {
    ...operator,
    action: 'user.recover',
    outcome: 'success',
    resource: userResource(user),
    detail: { name, ...(by !== null && { by }) },
  } as const;
  const { actor } = operator;
  const [, allowed] = await audit.commit(
    [
      lockAdmins(user, actor),
      mayBeRecoveredStep(user, actor),
      ([, rows]) => (rows?.length === 1 ? wayIn(user) : null),
      ([, rows]) => (rows?.length === 1 ? renewHandStep(user.userId, actor) : null),
    ],
    ([, rows]) => (rows?.length === 1 ? [event] : []),
  );
  if (allowed?.length === 1) return user;
  return { refusal: (await isStillAdmin(database, actor)) ? 'userDisabled' : 'notAdministrator' };
}
