import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type KeyStore, KeysUnusable } from './key-store.ts';
import { KEY_BYTES, keyCheckValue, NONCE_BYTES, openBytes, sealBytes } from './sealing.ts';

/**
 * The key store of a single file: JSON of mode 600 with the key-encryption key in base64 and the environment it belongs
 * to. Made when it is missing and `mayCreate`; a file that others can read is refused.
 */
export async function openKeyFile(
  path: string,
  environment: string,
  mayCreate: boolean,
): Promise<{ store: KeyStore; wasCreated: boolean }> {
  const wasCreated = mayCreate && (await createKeyFile(path, environment));
  const key = await readKeyFile(path, environment);
  const store: KeyStore = {
    keyId: keyCheckValue(key),
    wrap: async (dataKey, context) => sealBytes(key, randomBytes(NONCE_BYTES), context, dataKey),
    unwrap: async (wrapped, context) => openBytes(key, context, wrapped),
  };
  return { store, wasCreated };
}

/**
 * The whole file appears at once and is on the disk before anything is sealed with it: losing the key loses every card,
 * and half a file would stop every later start.
 */
async function createKeyFile(path: string, environment: string): Promise<boolean> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  const content = { environment, key: randomBytes(KEY_BYTES).toString('base64') };
  await writeFile(draft, `${JSON.stringify(content)}\n`, { mode: 0o600, flush: true });
  try {
    // A link, unlike a rename, never replaces the key of another process.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const directory = await open(folder, 'r');
  await directory.sync().finally(() => directory.close());
  return true;
}

async function readKeyFile(path: string, environment: string): Promise<Buffer> {
  let text: string;
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0) {
      throw new KeysUnusable(`the key file ${path} can be read by others: run chmod 600 ${path}`);
    }
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof KeysUnusable) throw error;
    throw new KeysUnusable(`the key file ${path} cannot be read (${(error as Error).message}): put it back`);
  }
  const content = parseKeyFile(text);
  if (content === null) throw new KeysUnusable(`the key file ${path} is damaged: put back a copy of it`);
  if (content.environment !== environment) {
    throw new KeysUnusable(`the key file ${path} belongs to ${content.environment}, this is ${environment}`);
  }
  return content.key;
}

function parseKeyFile(text: string): { environment: string; key: Buffer } | null {
  try {
    const { environment, key } = JSON.parse(text) as { environment: string; key: string };
    const bytes = Buffer.from(key, 'base64');
    return bytes.length === KEY_BYTES && typeof environment === 'string' ? { environment, key: bytes } : null;
  } catch {
    return null;
  }
}
