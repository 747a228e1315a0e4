import { createHash } from 'node:crypto';
import { readExactJson } from '../../values/exact-json.ts';
import { instant } from '../../values/instant.ts';
import type { CardSource } from '../card.ts';
import { CIPHERTEXT_BYTES } from './create-key-pair.ts';
import { type EncryptedCard, readEncryptedCard } from './encrypted-card.ts';
import type { CardKeys } from './open-card-keys.ts';

/**
 * Opens an `encryptedCard` of this merchant. Null for every failure alike: which one it was would
 * help only an attacker.
 */
export async function openEncryptedCard(
  cardKeys: CardKeys,
  merchantId: string,
  encryptedCard: string,
): Promise<{ card: EncryptedCard; cardSource: CardSource } | null> {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encryptedCard)) return null;
  const ciphertext = Buffer.from(encryptedCard, 'base64');
  // Exactly the length of the key: a shorter spelling of the same number would decrypt too, and
  // count as another card.
  if (ciphertext.length !== CIPHERTEXT_BYTES) return null;
  const plain = await cardKeys.decrypt(ciphertext);
  if (plain === null) return null;
  const reading = readExactJson(plain);
  const card = reading.ok ? readEncryptedCard(reading.value, merchantId, instant(Date.now())) : null;
  if (card === null) {
    // As a blob that no pair opens costs a query, so does one that opens and holds no good card:
    // the duration of the refusal does not distinguish them.
    await cardKeys.reload();
    return null;
  }
  // The hash is of the bytes, not of their spelling in base64: another spelling is the same blob.
  const hash = createHash('sha256').update('encryptedCard').update(ciphertext).digest();
  return { card, cardSource: { hash, expiresAt: card.expiresAt } };
}
