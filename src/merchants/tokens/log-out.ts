import type { Audit } from '../../audit/audit-event.ts';
import type { Caller } from '../../platform/http/endpoint.ts';
import { credentialResource } from '../credentials/credential.ts';
import { endOneToken } from './access-tokens.sql.ts';
import type { ForgetToken } from './identify-caller.ts';

export type LogOutTools = { readonly audit: Audit; readonly forgetToken: ForgetToken };

/**
 * Ends the token that the caller called with, in this process at once, in the others within two
 * seconds. Ended meanwhile by somebody
 * else, there is nothing to write. The credential and its other tokens stay.
 */
export async function logOut(
  { audit, forgetToken }: LogOutTools,
  caller: Caller,
  address: string,
): Promise<void> {
  const event = {
    action: 'token.end',
    outcome: 'success',
    actor: caller.userName,
    origin: address,
    resource: credentialResource(caller),
    detail: { tokens: caller.tokenId },
  } as const;
  await audit.transaction(
    async (tx) => {
      if (await endOneToken(tx, caller, caller.tokenId)) tx.record(event);
    },
    { merchantId: caller.merchantId },
  );
  forgetToken(caller);
}
