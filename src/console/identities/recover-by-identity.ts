import type { User } from '../parts/user.ts';
import type { UserTools } from '../users/invite-user.ts';
import { recover } from '../users/recover-user.ts';
import type { UserRefusal } from '../users/user.ts';
import { recoverByInvitation } from './identities.sql.ts';

/**
 * For a user who shall sign in through the provider, or whose identity there is another one now: ends all
 * sessions, takes passkeys and the bound identity away, and lets the first identity of the name in. Of the
 * users of a merchant; `merchantId` null: of all.
 */
export function recoverByIdentity(
  tools: UserTools,
  name: string,
  merchantId: string | null,
): Promise<User | { readonly refusal: UserRefusal }> {
  const { actor } = tools.operator;
  return recover(tools, { name, merchantId }, 'oidc', (tx, { userId }) =>
    recoverByInvitation(tx, userId, actor),
  );
}
