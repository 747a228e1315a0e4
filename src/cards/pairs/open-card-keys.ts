import { generateKeyPair, webcrypto } from 'node:crypto';
import { promisify } from 'node:util';
import type { Keyring } from '../../keys/open-keyring.ts';
import { newId } from '../../platform/chance.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { insertKeyPair, listKeyPairs, type StoredKeyPair } from './key-pairs.sql.ts';

/** 3,072 bits: the strength of 128-bit keys. */
const MODULUS_BITS = 3_072;
export const CIPHERTEXT_BYTES = MODULUS_BITS / 8;

export type CardKeys = {
  /** The pair that merchants use now; the public key is SPKI in base64, on one line. */
  readonly publicKey: { readonly keyId: string; readonly key: string };
  /** Opens RSA-OAEP-SHA256 with any pair that is not gone, in a thread of its own; null when none fits. */
  decrypt(ciphertext: Buffer): Promise<Buffer | null>;
};

/** Opens the key pairs of this database, making the first one. */
export async function openCardKeys(database: Database, keyring: Keyring): Promise<CardKeys> {
  let pairs = await listKeyPairs(database);
  if (!pairs.some((pair) => !pair.isRetired)) {
    await createKeyPair(database, keyring);
    pairs = await listKeyPairs(database);
  }
  const inUse = pairs.find((pair) => !pair.isRetired) as StoredKeyPair;
  const privateKeys = await Promise.all(pairs.map((pair) => importPrivateKey(keyring, pair)));
  return {
    publicKey: { keyId: inUse.keyId, key: inUse.publicKey.toString('base64') },
    async decrypt(ciphertext) {
      for (const key of privateKeys) {
        try {
          return Buffer.from(
            await webcrypto.subtle.decrypt({ name: 'RSA-OAEP' }, key, new Uint8Array(ciphertext)),
          );
        } catch {
          // Not this pair's, or not ours at all: the caller gets one answer for every reason.
        }
      }
      return null;
    },
  };
}

async function createKeyPair(database: Database, keyring: Keyring): Promise<void> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: MODULUS_BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
  const keyId = newId();
  await insertKeyPair(database, { keyId, publicKey, privateKey: keyring.seal('keyPair', keyId, privateKey) });
}

function importPrivateKey(keyring: Keyring, pair: StoredKeyPair): Promise<webcrypto.CryptoKey> {
  const der = keyring.open('keyPair', pair.keyId, pair.privateKey);
  return webcrypto.subtle.importKey(
    'pkcs8',
    new Uint8Array(der),
    { name: 'RSA-OAEP', hash: 'SHA-256' },
    false,
    ['decrypt'],
  );
}
