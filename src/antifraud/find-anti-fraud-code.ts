import type { Looked } from '../platform/postgres/batched-reads.ts';
import { type CodeFingerprints, NO_FINGERPRINTS } from './anti-fraud.ts';
import type { CodeKey } from './codes.sql.ts';

export type FindCodeTools = {
  readonly findCode: (key: CodeKey) => Promise<Looked<CodeFingerprints>>;
  /**
   * Whether codes must be ours: production. Homologation takes any GUID, any number of times, so
   * that a merchant can try a payment before it has a page that requests codes.
   */
  readonly mustCodesBeIssued: boolean;
};

export type UsableCode = {
  /** To be claimed in the commit of the intent; null: nothing to claim. */
  readonly codeToClaim: string | null;
  readonly session: CodeFingerprints;
};

/**
 * Whether a payment of this merchant may use the code, a GUID. Does not use it up: of two
 * concurrent payments both pass here, and the claim, which commits with the intent, decides between
 * them.
 */
export async function findAntiFraudCode(
  tools: FindCodeTools,
  merchantId: string,
  code: string,
): Promise<UsableCode | 'codeUnusable'> {
  if (!tools.mustCodesBeIssued) return { codeToClaim: null, session: NO_FINGERPRINTS };
  const { value } = await tools.findCode({ merchantId, code });
  return value === null ? 'codeUnusable' : { codeToClaim: code, session: value };
}
