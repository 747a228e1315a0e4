import { constants, createPublicKey, publicEncrypt, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { cardTokenRecord } from '../../src/cards/card.ts';
import { tokenHash } from '../../src/cards/open-card-source.ts';
import { vaultCardRecord } from '../../src/cards/vault/vault-card.ts';
import type { Keyring } from '../../src/keys/open-keyring.ts';
import { newSecretId } from '../../src/platform/chance.ts';
import { type Database, statement } from '../../src/platform/postgres/database.ts';
import { call } from '../../test/kit/merchant.ts';

/** A file with a carrier and its buyer a line. */
export type Carriers = { readonly file: string; readonly isUsedAgain: boolean };

export type CardSourceTools = {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly merchantId: string;
};

const BATCH = 2_000;

const INSERT_TOKENS = statement(
  'bench.insert_tokens',
  `insert into card_tokens (merchant_id, token_hash, sealed_number, data_key_id, expires_at, source_hash,
     source_expires_at)
   select $1, h, s, $4, now() + interval '1 hour', h, now() + interval '1 hour' from unnest($2::bytea[], $3::bytea[]) as i (h, s)`,
);

/** Card tokens as `POST /v1/cards/tokenization` makes them, written in bulk: a payment uses one up. */
export async function createTokens(tools: CardSourceTools, file: string, count: number): Promise<Carriers> {
  const { database, keyring, merchantId } = tools;
  const lines: string[] = [];
  while (lines.length < count) {
    const hashes: Buffer[] = [];
    const sealed: Buffer[] = [];
    let dataKeyId = 0;
    for (let index = 0; index < BATCH; index += 1) {
      const token = newSecretId();
      const hash = tokenHash(token);
      const number = Buffer.from(cardNumber(lines.length));
      const bytes = keyring.seal('card', cardTokenRecord(merchantId, hash), number);
      hashes.push(hash);
      sealed.push(bytes.bytes);
      dataKeyId = bytes.dataKeyId;
      lines.push(`${token} ${buyer(lines.length)}`);
    }
    await database.query(INSERT_TOKENS, [merchantId, hashes, sealed, dataKeyId]);
  }
  await writeFile(file, lines.join('\n'));
  return { file, isUsedAgain: false };
}

/** Of a card's first use: its later ones have nothing to mark. */
export const LOADED_LINK = 'aB3dE5fG7hI9jK1lM3nO5p';

const INSERT_VAULT_CARDS = statement(
  'bench.insert_vault_cards',
  `insert into vault_cards (merchant_id, vault_id, sealed_number, data_key_id, brand, first_six, last_four,
     expiration_month, expiration_year, holder_name, network_transaction_id, transaction_link_id, created_by, verified_at,
     first_used_at)
   select $1, v, s, $5, 'mastercard', left(n, 6), right(n, 4), '12', '39', 'ANA SOUZA', 'MCC1234567', '${LOADED_LINK}',
     'bench', now(), now()
   from unnest($2::uuid[], $3::bytea[], $4::text[]) as i (v, s, n)`,
);

/**
 * Stored cards as `POST /v1/vaults/cards` keeps them once they were checked, written in bulk:
 * charged again and again.
 */
export async function createVaultCards(
  tools: CardSourceTools,
  file: string,
  count: number,
): Promise<Carriers> {
  const { database, keyring, merchantId } = tools;
  const lines: string[] = [];
  while (lines.length < count) {
    const ids = Array.from({ length: Math.min(BATCH, count - lines.length) }, () => randomUUID());
    const numbers = ids.map((_, index) => cardNumber(lines.length + index));
    const sealed = ids.map((id, index) =>
      keyring.seal('card', vaultCardRecord(merchantId, id), Buffer.from(numbers[index] as string)),
    );
    await database.query(INSERT_VAULT_CARDS, [
      merchantId,
      ids,
      sealed.map(({ bytes }) => bytes),
      // Only the ends stand beside the sealed number.
      numbers.map((number) => number.slice(0, 6) + number.slice(-4)),
      sealed[0]?.dataKeyId,
    ]);
    for (const id of ids) lines.push(`${id} ${buyer(lines.length)}`);
  }
  await writeFile(file, lines.join('\n'));
  return { file, isUsedAgain: true };
}

/**
 * Encrypted cards as a merchant's page makes them with the public key that the service gives: a
 * payment uses one up.
 */
export async function createEncryptedCards(
  { gatewayUrl, accessToken, merchantId }: { gatewayUrl: string; accessToken: string; merchantId: string },
  file: string,
  count: number,
): Promise<Carriers> {
  const reply = await call(gatewayUrl, '/v1/cards/public-key', { token: accessToken });
  const spki = Buffer.from(reply.body.key, 'base64');
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const padding = { key, oaepHash: 'sha256', padding: constants.RSA_PKCS1_OAEP_PADDING };
  const createdAt = new Date().toISOString();
  const lines = Array.from({ length: count }, (_, index) => {
    const plain = JSON.stringify({
      merchantId,
      createdAt,
      cardNumber: cardNumber(index),
      cardholderName: 'ANA SOUZA',
      securityCode: '123',
      expirationMonth: '12',
      expirationYear: '39',
    });
    return `${publicEncrypt(padding, Buffer.from(plain)).toString('base64')} ${buyer(index)}`;
  });
  await writeFile(file, lines.join('\n'));
  return { file, isUsedAgain: false };
}

/** Eight digits, so that a document has eleven. */
function buyer(index: number): string {
  return String(index).padStart(8, '0');
}

/** A Mastercard number that no trigger of the simulator knows; a different one for each of a million. */
export function cardNumber(index: number): string {
  const start = `555566${String(index % 1_000_000).padStart(9, '0')}`;
  let sum = 0;
  for (const [position, digit] of [...start].reverse().entries()) {
    const value = Number(digit) * (position % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return start + ((10 - (sum % 10)) % 10);
}
