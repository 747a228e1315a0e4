import { type KeyStore, KeysUnusable, KeyUnknown } from '../key-store.ts';
import { KEY_BYTES } from '../sealing.ts';
import { askKeyStore, type KeyStoreAddress, type KeyStoreAnswer } from './ask-key-store.ts';

const LONGEST_WRAPPED_KEY_BYTES = 8 * 1024;
const KEY_ID = /^[\x21-\x7e]{1,200}$/;

/**
 * The key store of a program beside us (docs/key-store-protocol.md), in front of a KMS or an HSM.
 * Queried at the start and at rotations, never for a payment.
 */
export function openExternalKeys(address: KeyStoreAddress): KeyStore {
  const name = `the key store ${address.url} (setting PARCELA_KEY_STORE_URL)`;
  async function currentKeyId(): Promise<string> {
    const answer = await askKeyStore(address, '/v1/key', null);
    return checkedKeyId(answered(answer, name), name);
  }
  return {
    name,
    currentKeyId,
    // The store knows its own order of keys: whatever is not current wrapped before.
    isFormer: async (keyId) => keyId !== (await currentKeyId()),
    async wrap(dataKey, context) {
      const question = { dataKey: dataKey.toString('base64'), context };
      const body = answered(await askKeyStore(address, '/v1/wrap', question), name);
      const wrapped = bytesOf(body.wrapped);
      if (wrapped === null || wrapped.length > LONGEST_WRAPPED_KEY_BYTES || wrapped.includes(dataKey)) {
        throw new KeysUnusable(`${name} gave no wrapped key: it does not keep the protocol`);
      }
      return { keyId: checkedKeyId(body, name), wrapped };
    },
    async unwrap(keyId, wrapped, context) {
      const question = { keyId, wrapped: wrapped.toString('base64'), context };
      const answer = await askKeyStore(address, '/v1/unwrap', question);
      if (answer.status === 404 && answer.body.error === 'keyUnknown') throw new KeyUnknown(keyId);
      if (answer.status === 422) throw new Error('the wrapped key was altered');
      const dataKey = bytesOf(answered(answer, name).dataKey);
      if (dataKey?.length !== KEY_BYTES) {
        throw new KeysUnusable(`${name} gave no data key: it does not keep the protocol`);
      }
      return dataKey;
    },
  };
}

function answered({ status, body }: KeyStoreAnswer, name: string): KeyStoreAnswer['body'] {
  if (status === 200) return body;
  if (status === 401 || status === 403) {
    throw new KeysUnusable(`${name} refuses our token (${status}): see PARCELA_KEY_STORE_TOKEN_FILE`);
  }
  throw new KeysUnusable(`${name} answered ${status}, which the protocol does not know here`);
}

function checkedKeyId(body: KeyStoreAnswer['body'], name: string): string {
  if (typeof body.keyId !== 'string' || !KEY_ID.test(body.keyId)) {
    throw new KeysUnusable(`${name} gave no key id: it does not keep the protocol`);
  }
  return body.keyId;
}

function bytesOf(text: unknown): Buffer | null {
  if (typeof text !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  return Buffer.from(text, 'base64');
}
