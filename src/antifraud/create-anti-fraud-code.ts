import { answerOnce } from '../idempotency/answer-once.ts';
import type { FindRequestTools } from '../idempotency/find-earlier-request.ts';
import type { SentRequest } from '../idempotency/idempotency-key.ts';
import { identifyRequest } from '../idempotency/identify-request.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import { newId } from '../platform/chance.ts';
import type { Once } from '../platform/http/refusal.ts';
import type { BatchedWrite } from '../platform/postgres/batched-writes.ts';
import { CODE_LIFETIME_MILLISECONDS } from './anti-fraud.ts';
import type { CodeResult, CodeRow } from './codes.sql.ts';
import { codeFingerprints } from './fingerprints.ts';

export type CreateCodeTools = FindRequestTools & {
  readonly keyring: Pick<Keyring, 'recentFingerprints'>;
  readonly writeCode: BatchedWrite<CodeRow, CodeResult>;
};

/**
 * Issues a new code of this merchant: one hour, one approval. Of the page's data only fingerprints
 * are kept. Repeated with its key, returns the same code, also when its hour is over.
 */
export function createAntiFraudCode(
  tools: CreateCodeTools,
  merchantId: string,
  visitor: { readonly ipAddress: string | null; readonly deviceId: string | null },
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<string>> {
  const request = identifyRequest(tools.keyring, merchantId, sent);
  return answerOnce(tools, merchantId, request, {
    async make(isFirst) {
      if (!(await isFirst)) return 'keyUsed';
      const code = newId();
      const prints = codeFingerprints(tools.keyring, merchantId, visitor);
      const lifetimeMilliseconds = CODE_LIFETIME_MILLISECONDS;
      const row = { merchantId, code, ...prints, lifetimeMilliseconds, request };
      const result = await tools.writeCode(row, deadlineAt);
      return result === 'keyUsed' ? result : code;
    },
    isRefused: () => false,
    repeatAnswer: async (code) => code,
  });
}
