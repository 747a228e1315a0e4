import { Type } from 'typebox';
import { answerOnce, type FindRequestTools, identifyRequest } from '../idempotency/answer-once.ts';
import type { KeyedRequest, SentRequest } from '../idempotency/idempotency-key.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import { newId } from '../platform/chance.ts';
import { callerOf, contract, type Endpoint, endpoint } from '../platform/http/endpoint.ts';
import { type Once, writeOnce } from '../platform/http/failures.ts';
import { named } from '../platform/http/named.ts';
import type { BatchedWrite } from '../platform/postgres/batched-writes.ts';
import { CODE_LIFETIME_MILLISECONDS } from './anti-fraud.ts';
import type { CodeResult, CodeRow } from './codes.sql.ts';
import { codeFingerprints } from './fingerprints.ts';

type CreateCodeTools = FindRequestTools & {
  readonly keyring: Pick<Keyring, 'recentFingerprints'>;
  readonly writeCode: BatchedWrite<CodeRow, CodeResult>;
};

type Visitor = { readonly ipAddress: string | null; readonly deviceId: string | null };

/** A repetition with its idempotency key returns the same code, even after the code's hour. */
export function createAntiFraudCode(
  tools: CreateCodeTools,
  merchantId: string,
  visitor: Visitor,
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<string>> {
  const request = identifyRequest(tools.keyring, merchantId, sent);
  return answerOnce(tools, merchantId, request, {
    async make(isFirst) {
      if (!(await isFirst)) return 'keyUsed';
      const code = newId();
      const result = await tools.writeCode(codeRow(tools, merchantId, code, visitor, request), deadlineAt);
      return result === 'keyUsed' ? result : code;
    },
    isRefused: () => false,
    repeatAnswer: async (code) => code,
  });
}

/** A code without an idempotency key. */
export async function issueCode(
  tools: Pick<CreateCodeTools, 'keyring' | 'writeCode'>,
  merchantId: string,
  visitor: Visitor,
  deadlineAt: number,
): Promise<string> {
  const code = newId();
  await tools.writeCode(codeRow(tools, merchantId, code, visitor, null), deadlineAt);
  return code;
}

function codeRow(
  { keyring }: Pick<CreateCodeTools, 'keyring'>,
  merchantId: string,
  code: string,
  visitor: Visitor,
  request: KeyedRequest | null,
): CodeRow {
  const prints = codeFingerprints(keyring, merchantId, visitor);
  return { merchantId, code, ...prints, lifetimeMilliseconds: CODE_LIFETIME_MILLISECONDS, request };
}

const CREATE_ANTI_FRAUD_CODE = contract({
  id: 'createAntiFraudCode',
  method: 'POST',
  path: '/v1/antifraud/sessions',
  api: 'gateway',
  scope: 'gateway',
  group: 'Anti-fraud',
  summary: 'Ask for an anti-fraud code',
  description:
    "Your server asks on behalf of its page. The code goes into `sellerInfo.codeAntiFraud` of the buyer's payment: within " +
    'an hour and for one approval; a declined payment gives it back. Production takes no other codes, homologation any ' +
    'GUID. What you send of the buyer is kept for a day as keyed fingerprints, which cannot be read, and only counted.',
  body: named('AntiFraudSessionRequest', {
    ipAddress: Type.Optional(
      Type.String({ maxLength: 48, description: "The buyer's address, never your server's." }),
    ),
    deviceId: Type.Optional(
      Type.String({ maxLength: 128, description: "Whatever names the buyer's device to you." }),
    ),
  }),
  isBodyOptional: true,
  isRepeatable: true,
  bodyExample: { ipAddress: '203.0.113.7', deviceId: '4f6c1b9e-aparelho' },
  answers: {
    200: {
      description: 'A new code.',
      schema: named('AntiFraudSession', { codeAntiFraud: Type.String() }),
      example: { codeAntiFraud: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44' },
    },
  },
});

export const ANTI_FRAUD_ENDPOINTS: readonly Endpoint<CreateCodeTools>[] = [
  endpoint(CREATE_ANTI_FRAUD_CODE, async (tools: CreateCodeTools, call) => {
    const { ipAddress = null, deviceId = null } = call.body;
    const { merchantId } = callerOf(call);
    const visitor = { ipAddress, deviceId };
    const once = await createAntiFraudCode(tools, merchantId, visitor, call, call.deadlineAt);
    return writeOnce(call, once, (codeAntiFraud) => ({ status: 200, body: { codeAntiFraud } }));
  }),
];
