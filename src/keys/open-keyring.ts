import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database } from '../platform/postgres/database.ts';
import { freshReads } from '../platform/prepared-reads.ts';
import { Overloaded } from '../platform/work/fair-line.ts';
import {
  insertDataKey,
  type KeyPurpose,
  listDataKeys,
  nextDataKeyId,
  type WrappedDataKey,
} from './data-keys.sql.ts';
import { type KeyStore, KeysUnusable, KeyUnknown, wrappingContext } from './key-store.ts';
import { NONCE_BYTES, openBytes, sealBytes } from './sealing.ts';
import { unwrapDataKey, wrapNewKey } from './wrap-data-key.ts';

export type Sealed = { readonly dataKeyId: number; readonly bytes: Buffer };

/**
 * Purposes of keys that seal bytes to be opened again; those of the others only make fingerprints and seals.
 */
export const SEALING_PURPOSES = ['card', 'keyPair', 'secret'] as const;
export type SealingPurpose = (typeof SEALING_PURPOSES)[number];

/** HMAC-SHA-256. Fingerprints compare only under one key. */
export type Fingerprint = { readonly keyId: number; readonly print: Buffer };

export type AuditSeal = { readonly dataKeyId: number; readonly seal: Buffer };

/**
 * The data keys of this database, open in memory. A statement that writes under `dataKeyId` must refuse a
 * retired key (`for key share` on its row in data_keys, locked before any other row); the caller then calls
 * `reload` and seals again.
 */
export type Keyring = {
  /** `record` names the owner (merchant and record id); bytes do not open for another record. */
  seal(purpose: SealingPurpose, record: string, plain: Buffer): Sealed;
  /** null: bytes were altered or moved, or their key is gone. The alarm was raised; refuse the caller. */
  open(purpose: SealingPurpose, record: string, sealed: Sealed): Promise<Buffer | null>;
  /** After `open` returned null: false if the key was lost, true if the row was altered. */
  hasKey(dataKeyId: number): boolean;
  /** Opens with a known key, seals under the one in use. null, after the alarm: it does not open. */
  sealAgain(purpose: SealingPurpose, record: string, sealed: Sealed): Sealed | null;
  /** Equal texts have equal fingerprints under one key; without the key nothing can be guessed. */
  fingerprint(text: string): Fingerprint;
  /** One fingerprint for every key that is still compared with, the one in use first. */
  fingerprints(text: string): readonly [Fingerprint, ...Fingerprint[]];
  /**
   * Fingerprints under every key that was in use in the last `milliseconds`, the current key first. Keys are
   * retired by the database's clock, which may differ from that of this process: leave a margin.
   */
  recentFingerprints(text: string, milliseconds: number): readonly [Fingerprint, ...Fingerprint[]];
  /** HMAC-SHA-256 under the id key, which is never rotated: digests stay equal for ever. */
  idDigest(text: string): Buffer;
  /** HMAC-SHA-256 under the audit key in use. */
  auditSeal(bytes: Buffer): AuditSeal;
  /** Whether this audit key made `seal` from `bytes`. False too without such a key. */
  checkAuditSeal(dataKeyId: number, bytes: Buffer, seal: Buffer): Promise<boolean>;
  /** Reads data_keys after this call. Throws `Overloaded` if a new key does not open. */
  reload(): Promise<void>;
  keyInUse(purpose: KeyPurpose): number;
  /** Keys made when this keyring was opened, as `keys/card/1`: for the audit log. */
  readonly createdKeys: readonly string[];
  /** Keys that open what they sealed and seal nothing more, as far as this process knows. */
  retiredKeys(purpose: KeyPurpose): readonly number[];
};

/**
 * Sealed bytes cannot be opened now: the key is lost (a restore brought back older `data_keys`) or the key
 * store is away. Nothing is refused for good: requests get 503, work waits.
 */
export class KeyAbsent extends Overloaded {
  readonly dataKeyId: number;

  constructor(dataKeyId: number, options?: ErrorOptions) {
    super(`data key ${dataKeyId} is not there, and what it sealed waits for it`, options);
    this.dataKeyId = dataKeyId;
  }
}

export type SealAlarm = (purpose: SealingPurpose, record: string, dataKeyId: number) => void;

export type KeyInstallation = {
  readonly environment: 'homologation' | 'production';
  readonly cell: string | null;
};

/** A keyring has a key in use for each purpose. */
export const PURPOSES: readonly KeyPurpose[] = ['card', 'keyPair', 'fingerprint', 'audit', 'secret', 'id'];

type LoadedKey = Pick<WrappedDataKey, 'purpose' | 'isRetired' | 'retiredAt'> & { readonly key: KeyObject };
type LoadedKeys = ReadonlyMap<number, LoadedKey>;

/**
 * Opens the data keys of this database and makes missing ones. Throws `KeysUnusable` for another
 * key-encryption key or environment: no service is better than cards that cannot be opened.
 */
export async function openKeyring(
  database: Database,
  store: KeyStore,
  installation: KeyInstallation,
  alarm: SealAlarm,
): Promise<Keyring> {
  const { environment } = installation;
  const present = await listDataKeys(database);
  const missing = PURPOSES.filter(
    (purpose) => !present.some((key) => key.purpose === purpose && !key.isRetired),
  );
  let keys = await loadKeys(store, environment, present, new Map());
  const createdKeys = await createDataKeys(database, store, installation, missing);
  if (missing.length > 0) {
    keys = await loadKeys(store, environment, await listDataKeys(database), keys);
  }
  const reload = freshReads(async () => {
    const rows = await listDataKeys(database);
    keys = await loadKeys(store, environment, rows, keys).catch((error) => {
      if (!(error instanceof KeysUnusable)) throw error;
      // Known keys stay usable; only what needs a new one must come again.
      throw new Overloaded(`new data keys cannot be had: ${error.message}`, { cause: error });
    });
  });
  return new LoadedKeyring(createdKeys, { keys: () => keys, reload }, alarm);
}

async function createDataKeys(
  database: Database,
  store: KeyStore,
  { environment, cell }: KeyInstallation,
  missing: readonly KeyPurpose[],
): Promise<string[]> {
  const created: string[] = [];
  for (const purpose of missing) {
    const dataKeyId = await nextDataKeyId(database, cell);
    const { keyId, wrapped } = await wrapNewKey(store, wrappingContext(dataKeyId, purpose, environment));
    const key = { dataKeyId, purpose, environment, wrappedKey: wrapped, keyEncryptionKeyId: keyId };
    if (await insertDataKey(database, key)) created.push(`keys/${purpose}/${dataKeyId}`);
  }
  return created;
}

async function loadKeys(
  store: KeyStore,
  environment: string,
  rows: readonly WrappedDataKey[],
  known: LoadedKeys,
): Promise<LoadedKeys> {
  const loaded = new Map<number, LoadedKey>();
  for (const row of rows) {
    const { dataKeyId, purpose, isRetired, retiredAt } = row;
    const key = known.get(dataKeyId)?.key ?? (await openDataKey(store, environment, row));
    loaded.set(dataKeyId, { purpose, isRetired, retiredAt, key });
  }
  return loaded;
}

async function openDataKey(store: KeyStore, environment: string, row: WrappedDataKey): Promise<KeyObject> {
  if (row.environment !== environment) {
    throw new KeysUnusable(`the keys in this database belong to ${row.environment}, this is ${environment}`);
  }
  try {
    const bytes = await unwrapDataKey(store, row);
    const key = createSecretKey(bytes);
    bytes.fill(0);
    return key;
  } catch (error) {
    if (error instanceof KeyUnknown) {
      throw new KeysUnusable(
        `this database was sealed under the key-encryption key ${row.keyEncryptionKeyId}, which is not in ` +
          `${store.name}: put back the keys that belong to this database`,
      );
    }
    if (error instanceof KeysUnusable) throw error;
    throw new KeysUnusable(
      `data key ${row.dataKeyId} was altered, or was not wrapped by ${row.keyEncryptionKeyId}: restore the table ` +
        'data_keys from a backup',
    );
  }
}

type KeySource = { readonly keys: () => LoadedKeys; readonly reload: () => Promise<void> };

class LoadedKeyring implements Keyring {
  readonly createdKeys: readonly string[];
  readonly #source: KeySource;
  readonly #alarm: SealAlarm;

  constructor(createdKeys: readonly string[], source: KeySource, alarm: SealAlarm) {
    this.createdKeys = createdKeys;
    this.#source = source;
    this.#alarm = alarm;
  }

  reload(): Promise<void> {
    return this.#source.reload();
  }

  keyInUse(purpose: KeyPurpose): number {
    return this.#inUse(purpose)[0];
  }

  retiredKeys(purpose: KeyPurpose): readonly number[] {
    return [...this.#source.keys()].flatMap(([id, key]) =>
      key.purpose === purpose && key.isRetired ? [id] : [],
    );
  }

  hasKey(dataKeyId: number): boolean {
    return this.#source.keys().has(dataKeyId);
  }

  seal(purpose: SealingPurpose, record: string, plain: Buffer): Sealed {
    const [dataKeyId, key] = this.#inUse(purpose);
    const context = sealContext(purpose, record, dataKeyId);
    return { dataKeyId, bytes: sealBytes(key, randomBytes(NONCE_BYTES), context, plain) };
  }

  async open(purpose: SealingPurpose, record: string, { dataKeyId, bytes }: Sealed): Promise<Buffer | null> {
    const key = await this.#keyOf(purpose, dataKeyId);
    const plain = openedWith(key, sealContext(purpose, record, dataKeyId), bytes);
    if (plain === null) this.#alarm(purpose, record, dataKeyId);
    return plain;
  }

  sealAgain(purpose: SealingPurpose, record: string, { dataKeyId, bytes }: Sealed): Sealed | null {
    const context = sealContext(purpose, record, dataKeyId);
    const plain = openedWith(this.#knownKey(purpose, dataKeyId), context, bytes);
    if (plain === null) {
      this.#alarm(purpose, record, dataKeyId);
      return null;
    }
    const again = this.seal(purpose, record, plain);
    plain.fill(0);
    return again;
  }

  fingerprint(text: string): Fingerprint {
    const [keyId, key] = this.#inUse('fingerprint');
    return { keyId, print: hmac(key, text) };
  }

  fingerprints(text: string): readonly [Fingerprint, ...Fingerprint[]] {
    return this.#fingerprintsUnder(this.retiredKeys('fingerprint').toReversed(), text);
  }

  recentFingerprints(text: string, milliseconds: number): readonly [Fingerprint, ...Fingerprint[]] {
    const since = Date.now() - milliseconds;
    const isRecent = (keyId: number) => (this.#loaded(keyId).retiredAt ?? since) > since;
    return this.#fingerprintsUnder(this.retiredKeys('fingerprint').toReversed().filter(isRecent), text);
  }

  idDigest(text: string): Buffer {
    return hmac(this.#inUse('id')[1], text);
  }

  auditSeal(bytes: Buffer): AuditSeal {
    const [dataKeyId, key] = this.#inUse('audit');
    return { dataKeyId, seal: hmac(key, bytes) };
  }

  async checkAuditSeal(dataKeyId: number, bytes: Buffer, seal: Buffer): Promise<boolean> {
    const key = await this.#keyOf('audit', dataKeyId);
    if (key === null) return false;
    const expected = hmac(key, bytes);
    return seal.length === expected.length && timingSafeEqual(seal, expected);
  }

  /** The oldest key that is not retired is first in the map; there is always one. */
  #inUse(purpose: KeyPurpose): [number, KeyObject] {
    for (const [dataKeyId, loaded] of this.#source.keys()) {
      if (loaded.purpose === purpose && !loaded.isRetired) return [dataKeyId, loaded.key];
    }
    throw new KeysUnusable(`there is no ${purpose} key in use in the table data_keys`);
  }

  #loaded(dataKeyId: number): LoadedKey {
    return this.#source.keys().get(dataKeyId) as LoadedKey;
  }

  #knownKey(purpose: KeyPurpose, dataKeyId: number): KeyObject | null {
    const loaded = this.#source.keys().get(dataKeyId);
    return loaded === undefined || loaded.purpose !== purpose ? null : loaded.key;
  }

  async #keyOf(purpose: KeyPurpose, dataKeyId: number): Promise<KeyObject | null> {
    if (!this.hasKey(dataKeyId)) await this.reload();
    return this.#knownKey(purpose, dataKeyId);
  }

  #fingerprintsUnder(retired: readonly number[], text: string): readonly [Fingerprint, ...Fingerprint[]] {
    const fingerprintUnder = (keyId: number) => ({ keyId, print: hmac(this.#loaded(keyId).key, text) });
    return [this.fingerprint(text), ...retired.map(fingerprintUnder)];
  }
}

/** Binds sealed bytes to their row. Must not change: it is inside every row. */
function sealContext(purpose: SealingPurpose, record: string, dataKeyId: number): string {
  return `${purpose}|${record}|${dataKeyId}`;
}

function openedWith(key: KeyObject | null, context: string, bytes: Buffer): Buffer | null {
  if (key === null) return null;
  try {
    return openBytes(key, context, bytes);
  } catch {
    return null;
  }
}

function hmac(key: KeyObject, text: string | Buffer): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
