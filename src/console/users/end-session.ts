import type { Audit } from '../../audit/audit-event.ts';
import { type Session, tokenHash } from './session.ts';
import { markSessionEnded } from './sessions.sql.ts';
import { actorName, userResource } from './user.ts';

/** The token opens nothing from now on, in every process. */
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
