import type { Keyring } from '../../keys/open-keyring.ts';
import { newSecret } from '../../platform/chance.ts';
import type { GatheredWrite } from '../../platform/postgres/gathered-writes.ts';
import { type Carrier, TOKEN_LIFETIME_MILLISECONDS } from '../card.ts';
import { cardTokenRecord, tokenHash } from '../open-carrier.ts';
import type { CardKeys } from '../pairs/open-card-keys.ts';
import { openEncryptedCard } from '../pairs/open-encrypted-card.ts';
import type { CardTokenRow } from './card-tokens.sql.ts';

export type TokenizeTools = {
  readonly keyring: Keyring;
  readonly cardKeys: CardKeys;
  readonly writeCardToken: GatheredWrite<CardTokenRow, true>;
};

/**
 * Gives a token for a card number: ten minutes, one successful payment. Everything else that an encrypted card holds
 * (security code, name) is dropped; a token made from an encrypted card is good for that card's one approval. `number` was
 * checked at the door.
 */
export async function tokenizeCard(
  tools: TokenizeTools,
  merchantId: string,
  given: { readonly number: string } | { readonly encryptedCard: string },
  deadlineAt: number,
): Promise<{ numberToken: string } | 'encryptedCardUnreadable'> {
  let number: string;
  let madeFrom: Carrier | null = null;
  if ('number' in given) {
    number = given.number;
  } else {
    const opened = await openEncryptedCard(tools.cardKeys, merchantId, given.encryptedCard);
    if (opened === null) return 'encryptedCardUnreadable';
    number = opened.card.number;
    madeFrom = opened.carrier;
  }
  const numberToken = newSecret();
  const hash = tokenHash(numberToken);
  const sealed = tools.keyring.seal('card', cardTokenRecord(merchantId, hash), Buffer.from(number, 'latin1'));
  const row = {
    merchantId,
    tokenHash: hash,
    number: sealed,
    lifetimeMilliseconds: TOKEN_LIFETIME_MILLISECONDS,
    madeFrom,
  };
  await tools.writeCardToken(row, deadlineAt);
  return { numberToken };
}
