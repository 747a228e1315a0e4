import type { Keyring } from '../../keys/open-keyring.ts';
import type { Reader } from '../../platform/postgres/database.ts';
import { signMessage } from '../posting/sign-message.ts';
import { openEndpointSecrets } from './create-secret.ts';
import { listSecrets } from './secrets.sql.ts';

export type SignedText = {
  /** Seconds, real time. */
  readonly timestamp: string;
  /** The value of `webhook-signature`; null: the account has no secret. */
  readonly signature: string | null;
};

/** Signs with the secrets that sign the account's notifications. `now`: milliseconds, real time. */
export async function signForAccount(
  { database, keyring }: { readonly database: Reader; readonly keyring: Keyring },
  { merchantId, accountNumber }: { readonly merchantId: string; readonly accountNumber: string },
  { id, body }: { readonly id: string; readonly body: string },
  now: number,
): Promise<SignedText> {
  const sealed = await listSecrets(database, merchantId, accountNumber);
  const of = { merchantId, accountNumber, endpoint: '', basicAuth: null, secrets: sealed };
  const { secrets } = await openEndpointSecrets(keyring, of);
  const headers = signMessage(secrets, id, now / 1_000, body);
  return {
    timestamp: headers['webhook-timestamp'] as string,
    signature: headers['webhook-signature'] ?? null,
  };
}
