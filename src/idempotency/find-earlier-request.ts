import type { Keyring } from '../keys/open-keyring.ts';
import type { Looked } from '../platform/postgres/batched-reads.ts';
import {
  type EarlierRequest,
  earlierRequest,
  isOtherCard,
  type KeyedRequest,
  type RecordedRequest,
} from './idempotency-key.ts';
import type { RequestKey } from './idempotency-keys.sql.ts';
import { carriedText } from './identify-request.ts';

export type FindRequestTools = {
  readonly findRequest: (key: RequestKey) => Promise<Looked<RecordedRequest>>;
  readonly keyring: Pick<Keyring, 'fingerprints' | 'idDigest' | 'reload'>;
};

/** Whether this merchant used the key before, and for what; null when it did not. */
export async function findEarlierRequest(
  { findRequest, keyring }: FindRequestTools,
  merchantId: string,
  request: KeyedRequest,
): Promise<EarlierRequest | null> {
  const { value: recorded } = await findRequest({ merchantId, keyHash: request.keyHash });
  if (recorded === null) return null;
  let earlier = earlierRequest(recorded, request);
  if (earlier === null) {
    // Another process has fingerprinted it under a data key that was made a moment ago.
    await keyring.reload();
    earlier = earlierRequest(recorded, { bodyFingerprints: keyring.fingerprints(request.text) });
  }
  // A body that cannot be compared is not answered again: it may be another request. Data keys
  // outlive the fingerprints made under them.
  if (earlier === null || earlier.kind === 'otherBody') return { kind: 'otherBody' };
  // A carrier that cannot be opened any more may be the first one.
  const card = await request.openCarrier();
  const isOther = card !== null && isOtherCard(recorded, keyring.fingerprints(carriedText(card)));
  return isOther ? { kind: 'otherBody' } : earlier;
}
