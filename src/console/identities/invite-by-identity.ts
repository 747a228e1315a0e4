import type { User } from '../parts/user.ts';
import { makeUser, type UserTools, type WantedUser } from '../users/invite-user.ts';
import type { UserRefusal } from '../users/user.ts';
import { insertIdentityInvitation } from './identities.sql.ts';

/** Makes a user, whose only way in is the first identity of this name at the provider. */
export function inviteByIdentity(
  tools: UserTools,
  wanted: WantedUser,
): Promise<User | { readonly refusal: UserRefusal }> {
  const { actor } = tools.operator;
  return makeUser(tools, wanted, 'oidc', (tx, { userId }) => insertIdentityInvitation(tx, userId, actor));
}
