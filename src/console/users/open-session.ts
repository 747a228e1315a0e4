import type { Audit } from '../../audit/audit-event.ts';
import type { User } from '../parts/user.ts';
import type { ShownPasskey } from './check-passkey.ts';
import { type ChallengeTools, createChallenge } from './create-challenge.ts';
import type { NewPasskey } from './passkey.ts';
import { SESSION_SECONDS, type Session, tokenHash } from './session.ts';
import { markSessionEnded, openByLink, openByPasskey } from './sessions.sql.ts';
import { actorName, userResource } from './user.ts';
import { lockUser } from './users.sql.ts';

export type OpenSessionTools = ChallengeTools & { readonly audit: Audit };

/** The purpose in the seal of a session's token. A made-up token is refused by its seal, without a query. */
export const SESSION = 'session';

export type Proof =
  | { readonly by: 'link'; readonly link: string; readonly passkey: NewPasskey | null }
  | { readonly by: 'passkey'; readonly shown: ShownPasskey };

/**
 * Opens a session, audits the sign-in, and gives the session's token. Null: the proof was used before, or is
 * not valid any more.
 */
export async function openSession(
  tools: OpenSessionTools,
  user: User,
  proof: Proof,
  address: string,
): Promise<string | null> {
  const token = createChallenge(tools, SESSION, SESSION_SECONDS * 1_000);
  const isNew = proof.by === 'link' && proof.passkey !== null;
  const event = {
    action: 'user.signIn',
    outcome: 'success',
    actor: actorName(user),
    origin: address,
    resource: userResource(user),
    detail: { by: isNew ? 'link and a new passkey' : proof.by },
  } as const;
  return tools.audit.transaction(async (tx) => {
    if (!(await lockUser(tx, user.userId))) return null;
    const isOpened =
      proof.by === 'link'
        ? await openByLink(tx, user, tokenHash(proof.link), tokenHash(token), proof.passkey)
        : await openByPasskey(tx, tokenHash(proof.shown.challenge), tokenHash(token), proof.shown.used);
    if (!isOpened) return null;
    tx.record(event);
    return token;
  });
}

/** Signs the user out of this session, in every process at once. */
export async function endSession(
  { audit }: { readonly audit: Audit },
  { user, token }: Session,
  address: string,
): Promise<void> {
  await markSessionEnded(audit, tokenHash(token), {
    action: 'user.signOut',
    outcome: 'success',
    actor: actorName(user),
    origin: address,
    resource: userResource(user),
  });
}
