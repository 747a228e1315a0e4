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

/** Somebody back from the provider; `name`: of the user, as far as it can be believed. */
export type Comer = {
  readonly identity: Identity;
  readonly name: string | null;
  readonly attempt: Attempt;
  readonly address: string;
};

/**
 * Opens a session for the user to whom the identity is bound, or, once, for an invited user of the name.
 * Gives its token; null: nobody of ours, locked out, another identity than the user's, or used already.
 * The provider makes no user, and takes over none that was not invited by it.
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

/** Makes a user, whose only way in is the first identity of this name at the provider. */
export function inviteByIdentity(
  tools: UserTools,
  wanted: WantedUser,
): Promise<User | { readonly refusal: UserRefusal }> {
  const { actor } = tools.operator;
  return makeUser(tools, wanted, 'oidc', (tx, { userId }) => insertIdentityInvitation(tx, userId, actor));
}

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
