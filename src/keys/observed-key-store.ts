import { type KeyStore, KeyUnknown } from './key-store.ts';

export const KEY_STORE_OPERATIONS = ['currentKeyId', 'isFormer', 'wrap', 'unwrap'] as const;
type KeyStoreOperation = (typeof KEY_STORE_OPERATIONS)[number];

export type KeyStoreObserver = {
  readonly answered: () => void;
  /** Called for each question that it did not answer. */
  readonly failed: (operation: KeyStoreOperation, error: unknown) => void;
};

export function observedKeyStore(store: KeyStore, { answered, failed }: KeyStoreObserver): KeyStore {
  const observed = async <Answer>(operation: KeyStoreOperation, asked: Promise<Answer>): Promise<Answer> => {
    try {
      const answer = await asked;
      answered();
      return answer;
    } catch (error) {
      // That it has no such key is an answer.
      if (!(error instanceof KeyUnknown)) failed(operation, error);
      throw error;
    }
  };
  return {
    name: store.name,
    currentKeyId: () => observed('currentKeyId', store.currentKeyId()),
    isFormer: (keyId) => observed('isFormer', store.isFormer(keyId)),
    wrap: (dataKey, context) => observed('wrap', store.wrap(dataKey, context)),
    unwrap: (keyId, wrapped, context) => observed('unwrap', store.unwrap(keyId, wrapped, context)),
  };
}
