import { KEY_BYTES, keyCheckValue } from '../sealing.ts';

export type KeyOfFile = {
  /** The check value of the key. */
  readonly keyId: string;
  readonly key: Buffer;
  /** ISO 8601 in UTC; null: the only key of the first format. */
  readonly createdAt: string | null;
};

/**
 * `keys`: oldest first. Those before the current one are kept for backups; one after it is prepared, and does
 * not wrap yet.
 */
export type KeyFile = {
  readonly environment: string;
  readonly currentKeyId: string;
  readonly keys: readonly KeyOfFile[];
};

/** A file with more keys is not ours, or was never tidied. */
export const MOST_KEYS_OF_FILE = 100;

/** Reads the current format, and `{ environment, key }` with one key. null: damaged. */
export function parseKeyFile(text: string): KeyFile | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof json !== 'object' || json === null) return null;
  const { environment, version, current, key, keys } = json as Record<string, unknown>;
  if (typeof environment !== 'string') return null;
  if (version === undefined) {
    const only = keyOf(key, null);
    return only === null ? null : { environment, currentKeyId: only.keyId, keys: [only] };
  }
  if (version !== 2 || !Array.isArray(keys) || keys.length > MOST_KEYS_OF_FILE) return null;
  const read = keys.map(entryOf).filter((entry) => entry !== null);
  const ids = new Set(read.map(({ keyId }) => keyId));
  const isWhole = read.length === keys.length && ids.size === keys.length;
  return isWhole && typeof current === 'string' && ids.has(current)
    ? { environment, currentKeyId: current, keys: read }
    : null;
}

function entryOf(entry: unknown): KeyOfFile | null {
  if (typeof entry !== 'object' || entry === null) return null;
  const { keyId, createdAt, key } = entry as Record<string, unknown>;
  const read = keyOf(key, typeof createdAt === 'string' ? createdAt : null);
  // The id is a check value: a letter lost in copying does not make another key.
  return read?.keyId === keyId ? read : null;
}

function keyOf(text: unknown, createdAt: string | null): KeyOfFile | null {
  if (typeof text !== 'string') return null;
  const key = Buffer.from(text, 'base64');
  return key.length === KEY_BYTES ? { keyId: keyCheckValue(key), key, createdAt } : null;
}

export function printKeyFile({ environment, currentKeyId, keys }: KeyFile): string {
  const entries = keys.map(({ keyId, createdAt, key }) => ({
    keyId,
    createdAt,
    key: key.toString('base64'),
  }));
  return `${JSON.stringify({ version: 2, environment, current: currentKeyId, keys: entries }, null, 2)}\n`;
}

export function findKey({ keys }: KeyFile, keyId: string): KeyOfFile | undefined {
  return keys.find((key) => key.keyId === keyId);
}

export function isFormerKey({ keys, currentKeyId }: KeyFile, keyId: string): boolean {
  const place = keys.findIndex((key) => key.keyId === keyId);
  return place !== -1 && place < keys.findIndex((key) => key.keyId === currentKeyId);
}

export function preparedKey({ keys, currentKeyId }: KeyFile): KeyOfFile | undefined {
  return keys[keys.findIndex((key) => key.keyId === currentKeyId) + 1];
}
