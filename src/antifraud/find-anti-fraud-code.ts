import type { Looked } from '../platform/postgres/batched-reads.ts';
import { type CodeFingerprints, NO_FINGERPRINTS } from './anti-fraud.ts';
import type { CodeKey } from './codes.sql.ts';

export type FindCodeTools = {
  readonly findCode: (key: CodeKey) => Promise<Looked<CodeFingerprints>>;
  /** True in production. Homologation takes any GUID, so that payments can be tried without a page. */
  readonly mustCodesBeIssued: boolean;
};

export type UsableCode = {
  /** Claimed in the commit of the intent; null: nothing to claim. */
  readonly codeToClaim: string | null;
  readonly session: CodeFingerprints;
};

/** Does not claim the code: the claim, in the intent's commit, decides between concurrent payments. */
export async function findAntiFraudCode(
  tools: FindCodeTools,
  merchantId: string,
  code: string,
): Promise<UsableCode | 'codeUnusable'> {
  if (!tools.mustCodesBeIssued) return { codeToClaim: null, session: NO_FINGERPRINTS };
  const { value } = await tools.findCode({ merchantId, code });
  return value === null ? 'codeUnusable' : { codeToClaim: code, session: value };
}
