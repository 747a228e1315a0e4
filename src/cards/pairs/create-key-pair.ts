import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Keyring } from '../../keys/open-keyring.ts';
import { newId } from '../../platform/chance.ts';
import type { NewKeyPair } from './key-pairs.sql.ts';

/** 3,072 bits: the strength of 128-bit keys. */
const MODULUS_BITS = 3_072;
export const CIPHERTEXT_BYTES = MODULUS_BITS / 8;

/** A new RSA pair in a thread of its own, the private half sealed; nothing is written. */
export async function createKeyPair(keyring: Keyring): Promise<NewKeyPair> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: MODULUS_BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
  const keyId = newId();
  const sealed = keyring.seal('keyPair', keyId, privateKey);
  privateKey.fill(0);
  return { keyId, publicKey, privateKey: sealed };
}
