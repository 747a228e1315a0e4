import type { Keyring } from '../../keys/open-keyring.ts';
import type { DeliveryToSend, SealedText } from '../deliveries/delivery.ts';
import { basicAuthRecord, secretRecord } from '../endpoints/webhook-endpoint.ts';

export type OpenedSecrets = {
  /** The value behind `Basic `: base64 of `user:password`; null: sent without. */
  readonly basicAuth: string | null;
  /** The keys of the signatures, the newest first. */
  readonly secrets: readonly Buffer[];
};

/**
 * Opened texts of one process, by what they are bound to and how they are sealed: a moved one is no
 * other's.
 */
const MOST_REMEMBERED = 5_000;
const memories = new WeakMap<Keyring, Map<string, Buffer>>();

/**
 * Opens the login and secrets of a delivery, mostly from memory. Throws when something does not
 * open (the alarm has been raised): nothing is sent without its login or with a signature too few.
 */
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
  // The oldest is dropped, and opened again when it is needed.
  if (memory.size >= MOST_REMEMBERED) memory.delete(memory.keys().next().value as string);
  memory.set(name, opened);
  return opened;
}
