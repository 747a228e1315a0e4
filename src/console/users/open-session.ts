import type { Audit } from '../../audit/audit-event.ts';
import { newSecret } from '../../platform/chance.ts';
import type { ShownPasskey } from './check-passkey.ts';
import type { NewPasskey } from './passkey.ts';
import { tokenHash } from './session.ts';
import { openByLink, openByPasskey } from './sessions.sql.ts';
import { actorName, type User, userResource } from './user.ts';

export type OpenSessionTools = { readonly audit: Audit };

/** By what somebody signs in. */
export type Proof =
  | { readonly by: 'link'; readonly link: string; readonly passkey: NewPasskey | null }
  | { readonly by: 'passkey'; readonly shown: ShownPasskey };

/**
 * Opens a session with a token that nobody knew before, and writes who signed in. Null: the proof was used
 * already, or is good no more.
 */
export async function openSession(
  { audit }: OpenSessionTools,
  user: User,
  proof: Proof,
  address: string,
): Promise<string | null> {
  const token = newSecret();
  const step =
    proof.by === 'link'
      ? openByLink(tokenHash(proof.link), tokenHash(token), proof.passkey)
      : openByPasskey(tokenHash(proof.shown.challenge), tokenHash(token), proof.shown.used);
  const isNew = proof.by === 'link' && proof.passkey !== null;
  const opened = await audit.change(step, {
    action: 'user.signIn',
    outcome: 'success',
    actor: actorName(user),
    origin: address,
    resource: userResource(user),
    detail: { by: isNew ? 'link and a new passkey' : proof.by },
  });
  return opened === undefined ? null : token;
}
