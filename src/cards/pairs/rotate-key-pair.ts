import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { CommitKeyChange } from '../../keys/key-change.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import { newId } from '../../platform/chance.ts';
import type { Database } from '../../platform/postgres/database.ts';
import {
  insertKeyPair,
  listKeyPairs,
  MOST_KEY_PAIRS,
  type NewKeyPair,
  retireKeyPair,
} from './key-pairs.sql.ts';

export type PairRotationTools = {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly commitChange: CommitKeyChange;
};

/** Nothing was rotated: the data key was retired meanwhile, or another operator rotated the pair. */
class NotRotated extends Error {}

const MOST_TRIES = 3;

/**
 * Makes a new RSA pair and retires the one in use, in one commit with its record. The retired one opens blobs
 * for a day. Refuses if as many pairs exist as can be tried.
 */
export async function rotateKeyPair(
  tools: PairRotationTools,
): Promise<{ readonly keyId: string; readonly retired: string } | 'tooManyPairs'> {
  for (let tries = 1; ; tries += 1) {
    await tools.keyring.reload();
    const pairs = await listKeyPairs(tools.database);
    if (pairs.length >= MOST_KEY_PAIRS) return 'tooManyPairs';
    const retired = pairs.find((pair) => !pair.isRetired)?.keyId;
    if (retired === undefined) throw new Error('there is no RSA pair in use: start the service once');
    try {
      return { keyId: await replacePair(tools, retired), retired };
    } catch (error) {
      if (!(error instanceof NotRotated) || tries === MOST_TRIES) throw error;
    }
  }
}

async function replacePair(tools: PairRotationTools, retired: string): Promise<string> {
  const made = await createKeyPair(tools.keyring);
  await tools.commitChange(async (tx) => {
    if (!(await retireKeyPair(tx, retired))) throw new NotRotated();
    if (!(await insertKeyPair(tx, made))) throw new NotRotated();
    tx.record({ action: 'key.rotate', resource: `keys/rsa/${made.keyId}`, detail: { retired } });
  });
  return made.keyId;
}

/** 3,072 bits: the strength of 128-bit keys. */
const MODULUS_BITS = 3_072;
export const CIPHERTEXT_BYTES = MODULUS_BITS / 8;

/** Made in a worker thread, the private half sealed. Writes nothing. */
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
