import type { Audit } from '../../audit/audit-event.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { User } from '../parts/user.ts';
import { type ChallengeTools, createChallenge } from '../users/create-challenge.ts';
import { makeUser, recover, type UserTools, type WantedUser } from '../users/invite-user.ts';
import { SESSION } from '../users/open-session.ts';
import { SESSION_SECONDS, tokenHash } from '../users/session.ts';
import { actorName, type UserRefusal, userResource } from '../users/user.ts';
import { findUserById, findUserByName, lockUser } from '../users/users.sql.ts';
import {
  findUserOfIdentity,
  insertIdentityInvitation,
  insertSessionByIdentity,
  recoverByInvitation,
} from './identities.sql.ts';
import type { Attempt, Identity } from './identity.ts';

export type IdentityTools = ChallengeTools & { readonly database: Database; readonly audit: Audit };

/**
 * Somebody who comes back from the provider. `name`: the user name that the provider tells; null: none that
 * can be trusted.
 */
export type Comer = {
  readonly identity: Identity;
  readonly name: string | null;
  readonly attempt: Attempt;
  readonly address: string;
};

/**
 * Opens a session and returns its token: for the user bound to the identity, or, once, for an invited user of
 * that name. Otherwise null. The provider creates no users, and takes over none that were not invited through
 * it.
 */
export async function openByIdentity(
  tools: IdentityTools,
  { identity, name, attempt, address }: Comer,
): Promise<string | null> {
  const { database, audit } = tools;
  const boundTo = await findUserOfIdentity(database, identity);
  const named = boundTo === null && name !== null ? await findUserByName(database, name, null) : null;
  const user = boundTo === null ? named : await findUserById(database, boundTo);
  if (user === null) return null;
  const token = createChallenge(tools, SESSION, SESSION_SECONDS * 1_000);
  const hashes = [tokenHash(attempt.secret), tokenHash(token)] as const;
  const event = {
    actor: actorName(user),
    origin: address,
    resource: userResource(user),
    detail: { by: 'oidc', issuer: identity.issuer, subject: identity.subject },
  } as const;
  const isOpened = await audit.transaction(async (tx) => {
    if (!(await lockUser(tx, user.userId))) return false;
    if (!(await insertSessionByIdentity(tx, ...hashes, user.userId, identity))) return false;
    tx.record({ ...event, action: 'user.signIn', outcome: 'success' });
    return true;
  });
  if (isOpened) return token;
  await audit.record({ ...event, action: 'user.refuse', outcome: 'failure' });
  return null;
}

export function inviteByIdentity(
  tools: UserTools,
  wanted: WantedUser,
): Promise<User | { readonly refusal: UserRefusal }> {
  const { actor } = tools.operator;
  return makeUser(tools, wanted, 'oidc', (tx, { userId }) => insertIdentityInvitation(tx, userId, actor));
}

/**
 * Ends all sessions of a user, and lets in only the first identity with the user's name. `merchantId` null:
 * the user may be of any merchant, or of the operator.
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
