import { createHash } from 'node:crypto';
import { readExactJson } from '../../values/exact-json.ts';
import { instant } from '../../values/instant.ts';
import type { CardSource } from '../card.ts';
import {
  type EncryptedCard,
  type EncryptedCardFault,
  rawParts,
  readEncryptedCard,
} from './encrypted-card.ts';
import type { CardKeys } from './open-card-keys.ts';
import { CIPHERTEXT_BYTES } from './rotate-key-pair.ts';

type UnreadableCard = 'encryptedCardUnreadable' | EncryptedCardFault;

/**
 * Opens an encrypted card, or gives its faults. In production one fault stands for all: details would only
 * help an attacker.
 */
export async function openEncryptedCard(
  cardKeys: CardKeys,
  merchantId: string,
  encryptedCard: string,
): Promise<{ card: EncryptedCard; cardSource: CardSource } | readonly UnreadableCard[]> {
  const opened = await decrypt(cardKeys, encryptedCard);
  const card =
    typeof opened === 'string'
      ? [opened]
      : readEncryptedCard(opened.json, merchantId, instant(Date.now()), cardKeys.blobLifetimeMilliseconds);
  if (typeof opened === 'string' || !('number' in card)) {
    // Asks the database, as for a card that no pair opens: the time of a refusal must not tell the two apart.
    if (typeof opened !== 'string') await cardKeys.reload();
    return cardKeys.namesFaults ? (card as readonly EncryptedCardFault[]) : ['encryptedCardUnreadable'];
  }
  // The hash is of the bytes, so that another base64 spelling is the same card.
  const hash = createHash('sha256').update('encryptedCard').update(opened.ciphertext).digest();
  return { card, cardSource: { hash, expiresAt: card.expiresAt } };
}

/** The content of an encrypted card, even of one that is used or too old; null: it cannot be decrypted. */
export async function peekEncryptedCard(
  cardKeys: CardKeys,
  encryptedCard: string,
): Promise<ReturnType<typeof rawParts> | null> {
  const opened = await decrypt(cardKeys, encryptedCard);
  return typeof opened === 'string' ? null : rawParts(opened.json);
}

type Decrypted = {
  readonly ciphertext: Buffer;
  readonly json: unknown;
};

async function decrypt(cardKeys: CardKeys, encryptedCard: string): Promise<Decrypted | EncryptedCardFault> {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encryptedCard)) return 'encryptedCardEncoding';
  const ciphertext = Buffer.from(encryptedCard, 'base64');
  // Exactly the key's length: a shorter spelling of the same number would count as another card.
  if (ciphertext.length !== CIPHERTEXT_BYTES) return 'encryptedCardLength';
  const plain = await cardKeys.decrypt(ciphertext);
  if (plain === null) return 'encryptedCardKey';
  const reading = readExactJson(plain);
  return { ciphertext, json: reading.ok ? reading.value : null };
}
