import { createPrivateKey, createPublicKey, webcrypto } from 'node:crypto';
import { KeysUnusable } from '../../keys/key-store.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { freshReads } from '../../platform/prepared-reads.ts';
import { BLOB_LIFETIME_MILLISECONDS } from './encrypted-card.ts';
import { insertKeyPair, listKeyPairs, type StoredKeyPair } from './key-pairs.sql.ts';
import { createKeyPair } from './rotate-key-pair.ts';

export type CardKeys = {
  /** The public key of the pair in use: SPKI in base64, on one line. */
  readonly publicKey: () => { readonly keyId: string; readonly key: string };
  /**
   * Decrypts by RSA-OAEP-SHA256 with any pair, in worker threads. null: no pair fits, none of another process
   * either. Rejects while the database is away, because a fitting pair may be there.
   */
  decrypt(ciphertext: Buffer): Promise<Buffer | null>;
  /** Whether callers are told why an encrypted card does not open. */
  readonly namesFaults: boolean;
  readonly blobLifetimeMilliseconds: number;
  /** Resolves after a read that begins after this call. */
  reload(): Promise<void>;
};

type OpenPair = {
  readonly privateKey: webcrypto.CryptoKey;
  /** SPKI in base64, from the private half: an intruder could change the unsealed public column. */
  readonly publicKey: string;
};
type LoadedPair = { readonly pair: StoredKeyPair; readonly open: OpenPair };
type LoadedPairs = ReadonlyMap<string, LoadedPair>;

/**
 * A try fails if its data key is retired, or if another process is faster: then the next try reads that one's
 * pair.
 */
const MOST_CREATIONS = 3;

/** Makes the first pair if needed. Throws `KeysUnusable` when the one in use does not open. */
export async function openCardKeys(
  database: Database,
  keyring: Keyring,
  namesFaults: boolean,
  blobLifetimeMilliseconds = BLOB_LIFETIME_MILLISECONDS,
): Promise<CardKeys> {
  let pairs: LoadedPairs = new Map();
  const reload = freshReads(async () => {
    pairs = await loadPairs(database, keyring, pairs);
  });
  for (let tries = 0; tries < MOST_CREATIONS; tries += 1) {
    if ((await listKeyPairs(database)).some((pair) => !pair.isRetired)) break;
    await insertKeyPair(database, await createKeyPair(keyring));
    await keyring.reload();
  }
  await reload();
  if (inUse(pairs) === undefined) {
    throw new KeysUnusable(
      'the RSA pair in use does not open: restore the table card_key_pairs from a backup',
    );
  }
  return {
    reload,
    namesFaults,
    blobLifetimeMilliseconds,
    publicKey() {
      const { pair, open } = inUse(pairs) as LoadedPair;
      return { keyId: pair.keyId, key: open.publicKey };
    },
    async decrypt(ciphertext) {
      const tried = pairs;
      const opened = await decryptWithAny([...tried.values()], ciphertext);
      if (opened !== null) return opened;
      await reload();
      const unseen = [...pairs.values()].filter(({ pair }) => !tried.has(pair.keyId));
      return decryptWithAny(unseen, ciphertext);
    },
  };
}

function inUse(pairs: LoadedPairs): LoadedPair | undefined {
  return [...pairs.values()].find(({ pair }) => !pair.isRetired);
}

/** Loads new pairs, drops deleted ones, and skips those that do not open, after the alarm. */
async function loadPairs(database: Database, keyring: Keyring, known: LoadedPairs): Promise<LoadedPairs> {
  const loaded = new Map<string, LoadedPair>();
  for (const pair of await listKeyPairs(database)) {
    const open = known.get(pair.keyId)?.open ?? (await openPair(keyring, pair));
    if (open !== null) loaded.set(pair.keyId, { pair, open });
  }
  // The pair in use was altered in the database: the one in memory stays.
  return inUse(loaded) === undefined && inUse(known) !== undefined ? new Map([...loaded, ...known]) : loaded;
}

async function openPair(keyring: Keyring, pair: StoredKeyPair): Promise<OpenPair | null> {
  const der = await keyring.open('keyPair', pair.keyId, pair.privateKey);
  if (der === null) return null;
  const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };
  try {
    const publicKey = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
    return {
      privateKey: await webcrypto.subtle.importKey('pkcs8', new Uint8Array(der), algorithm, false, [
        'decrypt',
      ]),
      publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    };
  } finally {
    der.fill(0);
  }
}

/** All pairs are tried, so that the time reveals neither the pair nor whether one fitted. */
async function decryptWithAny(pairs: readonly LoadedPair[], ciphertext: Buffer): Promise<Buffer | null> {
  const tries = await Promise.allSettled(
    pairs.map(({ open }) =>
      webcrypto.subtle.decrypt({ name: 'RSA-OAEP' }, open.privateKey, new Uint8Array(ciphertext)),
    ),
  );
  const opened = tries.find((one) => one.status === 'fulfilled');
  return opened === undefined ? null : Buffer.from(opened.value);
}
