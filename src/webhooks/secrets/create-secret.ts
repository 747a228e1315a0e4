import { randomBytes } from 'node:crypto';
import type { MerchantActor } from '../../audit/merchant-event.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import { hasAccount } from '../../merchants/accounts.sql.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { Overloaded } from '../../platform/work/overloaded.ts';
import type { Instant } from '../../values/instant.ts';
import { secretRecord } from '../endpoints/webhook-endpoint.ts';
import type { CreateSecretResult, NewSecret } from './secrets.sql.ts';

export type CreateSecretTools = {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly writeSecret: BatchedWrite<NewSecret, CreateSecretResult>;
};

export type CreatedSecret = {
  /** 32 random bytes, shown only once. */
  readonly secret: Buffer;
  /** Until when the one before signs too, real time; null: there was none. */
  readonly previousValidUntil: Instant | null;
};

const SECRET_BYTES = 32;
/** A key is retired by hand and seldom: three times in one request is no rotation but a mistake. */
const MOST_SEALINGS = 3;

/**
 * Makes a new secret that signs the messages of an account, beside the former one, which signs for
 * another 24 hours. The one before that signs no more from now on. Null: the merchant has no such
 * account. `deadlineAt` is the end of the request, in monotonic milliseconds.
 */
export async function createSecret(
  tools: CreateSecretTools,
  registrant: MerchantActor,
  accountNumber: string,
  deadlineAt: number,
): Promise<CreatedSecret | null> {
  const { database, keyring, writeSecret } = tools;
  const { merchantId } = registrant;
  if (!(await hasAccount(database, merchantId, accountNumber))) return null;
  const secret = randomBytes(SECRET_BYTES);
  for (let sealing = 1; sealing <= MOST_SEALINGS; sealing += 1) {
    const sealed = keyring.seal('secret', secretRecord(merchantId, accountNumber), secret);
    const result = await writeSecret({ merchantId, accountNumber, sealed, registrant }, deadlineAt);
    if (!result.isKeyRetired) return { secret, previousValidUntil: result.previousValidUntil };
    await keyring.reload();
  }
  throw new Overloaded('the data key was retired again and again');
}
