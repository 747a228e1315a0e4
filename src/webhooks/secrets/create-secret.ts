import { randomBytes } from 'node:crypto';
import type { MerchantActor } from '../../audit/audit-event.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import { hasAccount } from '../../merchants/merchants.sql.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { Overloaded } from '../../platform/work/fair-line.ts';
import type { Instant } from '../../values/instant.ts';
import type { DeliveryToSend, SealedText } from '../deliveries/delivery.ts';
import { basicAuthRecord, secretRecord } from '../endpoints/webhook-endpoint.ts';
import type { CreateSecretResult, NewSecret } from './secrets.sql.ts';

export type CreateSecretTools = {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly writeSecret: BatchedWrite<NewSecret, CreateSecretResult>;
};

export type CreatedSecret = {
  /** 32 random bytes, shown only once. */
  readonly secret: Buffer;
  /** Real time until which the previous secret signs too; null: there was none. */
  readonly previousValidUntil: Instant | null;
};

const SECRET_BYTES = 32;
/** Data keys are retired seldom, and by hand: three times during one request would be a mistake. */
const MOST_SEALINGS = 3;

/** null: the merchant has no such account. `deadlineAt`: monotonic milliseconds. */
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

export type OpenedSecrets = {
  /** What follows `Basic ` in the header: base64 of `user:password`; null: the endpoint has no login. */
  readonly basicAuth: string | null;
  /** Newest first. */
  readonly secrets: readonly Buffer[];
};

/** So many opened texts are remembered, by record and sealed bytes: one moved to another row is not found. */
const MOST_REMEMBERED = 5_000;
const memories = new WeakMap<Keyring, Map<string, Buffer>>();

/** Throws if the login or a secret cannot be opened: nothing is sent without its login or signature. */
export async function openEndpointSecrets(
  keyring: Keyring,
  { merchantId, endpoint, accountNumber, basicAuth, secrets }: Pick<DeliveryToSend, OpenedFields>,
): Promise<OpenedSecrets> {
  const login =
    basicAuth === null ? null : await openText(keyring, basicAuthRecord(merchantId, endpoint), basicAuth);
  const record = secretRecord(merchantId, accountNumber);
  return {
    basicAuth: login?.toString('base64') ?? null,
    secrets: await Promise.all(secrets.map((secret) => openText(keyring, record, secret))),
  };
}

type OpenedFields = 'merchantId' | 'endpoint' | 'accountNumber' | 'basicAuth' | 'secrets';

async function openText(keyring: Keyring, record: string, sealed: SealedText): Promise<Buffer> {
  const memory = memories.getOrInsertComputed(keyring, () => new Map());
  const name = `${record}|${sealed.dataKeyId}|${sealed.bytes.toString('base64')}`;
  const known = memory.get(name);
  if (known !== undefined) return known;
  const opened = await keyring.open('secret', record, sealed);
  if (opened === null) throw new Error(`what is sealed for the ${record} does not open`);
  if (memory.size >= MOST_REMEMBERED) memory.delete(memory.keys().next().value as string);
  memory.set(name, opened);
  return opened;
}
