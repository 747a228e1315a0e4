import { newSecret } from '../../platform/chance.ts';
import type { Tx } from '../../platform/postgres/database.ts';
import type { User } from '../parts/user.ts';
import { renewHand } from './hands.sql.ts';
import type { Invited, UserTools } from './invite-user.ts';
import { recoverByLink } from './links.sql.ts';
import { tokenHash } from './session.ts';
import { type UserRefusal, userResource } from './user.ts';
import { findUserByName, isStillAdmin, lockAdmins, mayBeRecovered } from './users.sql.ts';

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
  const recovered = await recover(tools, { name, merchantId }, null, (tx, { userId }) =>
    recoverByLink(tx, tokenHash(token), userId, actor),
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
  letIn: (tx: Tx, user: User) => Promise<void>,
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
  const isRecovered = await audit.transaction(async (tx) => {
    await lockAdmins(tx, user, actor);
    if (!(await mayBeRecovered(tx, user, actor))) return false;
    await letIn(tx, user);
    await renewHand(tx, user.userId, actor);
    tx.record(event);
    return true;
  });
  if (isRecovered) return user;
  return { refusal: (await isStillAdmin(database, actor)) ? 'userDisabled' : 'notAdministrator' };
}
