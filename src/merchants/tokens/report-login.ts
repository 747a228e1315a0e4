import type { Audit } from '../../audit/audit-event.ts';
import { credentialResource } from '../credentials/credential.ts';
import type { LoginAttempt, LoginOutcome } from './log-in.ts';

/**
 * Audits a login before it is answered: throws when it cannot. Refusals of a full bucket are not
 * audited, or a stranger could fill the log; that the bucket became full was. An unknown user name
 * is not written: often it is a password in the wrong field.
 */
export async function reportLogin(
  audit: Audit,
  { api, address }: Pick<LoginAttempt, 'api' | 'address'>,
  outcome: LoginOutcome,
): Promise<void> {
  if (outcome.kind === 'locked') return;
  const credential = outcome.found?.credential;
  const isGranted = outcome.kind === 'granted';
  const filled = isGranted || outcome.filled.length === 0 ? {} : { lockedOut: outcome.filled.join(', ') };
  const event = {
    action: isGranted ? 'login.accept' : 'login.refuse',
    outcome: isGranted ? 'success' : 'failure',
    actor: credential?.userName ?? 'unknown',
    origin: address,
    resource: credential === undefined ? `logins/${api}` : credentialResource(credential),
    detail: { api, ...(isGranted ? {} : { reason: outcome.reason }), ...filled },
  } as const;
  await audit.record(event, credential?.merchantId);
}
