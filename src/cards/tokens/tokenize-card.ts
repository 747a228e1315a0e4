import type { Keyring } from '../../keys/open-keyring.ts';
import { newSecretId } from '../../platform/chance.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import { type CardSource, cardTokenRecord, TOKEN_LIFETIME_MILLISECONDS } from '../card.ts';
import { tokenHash } from '../open-card-source.ts';
import type { CardKeys } from '../pairs/open-card-keys.ts';
import { openEncryptedCard } from '../pairs/open-encrypted-card.ts';
import type { CardRefusal } from '../refusals.ts';
import type { CardTokenRow, TokenResult } from './card-tokens.sql.ts';

export type TokenizeTools = {
  readonly keyring: Keyring;
  readonly cardKeys: CardKeys;
  readonly writeCardToken: BatchedWrite<CardTokenRow, TokenResult>;
};

/**
 * A sealing is repeated if its key was just retired. Operators do that rarely: more often within one request
 * is a fault.
 */
const MOST_SEALINGS = 3;

/**
 * The token lives ten minutes and allows one approved payment. From an encrypted card only the number is
 * kept, and the approval uses up that card too. `number` was validated before.
 */
export async function tokenizeCard(
  tools: TokenizeTools,
  merchantId: string,
  given: { readonly number: string } | { readonly encryptedCard: string },
  deadlineAt: number,
): Promise<{ numberToken: string } | readonly CardRefusal[]> {
  if ('number' in given)
    return makeCardToken(tools, merchantId, { number: given.number, madeFrom: null }, deadlineAt);
  const opened = await openEncryptedCard(tools.cardKeys, merchantId, given.encryptedCard);
  if (!('card' in opened)) return opened;
  const card = { number: opened.card.number, madeFrom: opened.cardSource };
  return makeCardToken(tools, merchantId, card, deadlineAt);
}

/** `madeFrom`: the encrypted card that is used up with the token; null: none. */
export async function makeCardToken(
  tools: Omit<TokenizeTools, 'cardKeys'>,
  merchantId: string,
  { number, madeFrom }: { readonly number: string; readonly madeFrom: CardSource | null },
  deadlineAt: number,
): Promise<{ numberToken: string }> {
  const numberToken = newSecretId();
  const hash = tokenHash(numberToken);
  const record = cardTokenRecord(merchantId, hash);
  for (let sealings = 0; sealings < MOST_SEALINGS; sealings += 1) {
    const sealed = tools.keyring.seal('card', record, Buffer.from(number, 'latin1'));
    const row = {
      merchantId,
      tokenHash: hash,
      number: sealed,
      lifetimeMilliseconds: TOKEN_LIFETIME_MILLISECONDS,
      madeFrom,
    };
    if ((await tools.writeCardToken(row, deadlineAt)) === 'written') return { numberToken };
    await tools.keyring.reload();
  }
  throw new Error('the key that seals card tokens was retired again and again');
}
