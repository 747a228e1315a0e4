import { type FindCodeTools, findAntiFraudCode } from '../antifraud/find-anti-fraud-code.ts';
import type { NamedCard } from '../cards/card.ts';
import { type CardTools, checkCardSource } from '../cards/open-card-source.ts';
import type { BusinessClock } from '../platform/business-clock.ts';
import {
  type Answer,
  CUT_CONNECTION,
  callerOf,
  type Endpoint,
  endpoint,
  type WireError,
} from '../platform/http/endpoint.ts';
import { FAILURES, unavailableAnswer, writeOnce } from '../platform/http/failures.ts';
import { refusalsAnswer } from '../platform/http/refusal.ts';
import type { Language } from '../platform/http/sentence.ts';
import { type Acquirers, widestCapabilities } from '../providers/open-acquirers.ts';
import type { Cents } from '../values/cents.ts';
import type { CallRules } from '../webhooks/posting/url-rules.ts';
import {
  CREATE_PAYMENT,
  checkPayment,
  readPaymentRequest,
  readSoundSale,
  writeDecline,
  writeRetryLimit,
} from './contract.ts';
import { writeApproval, writePreauthorization } from './messages-contract.ts';
import type { PayResult } from './pay-by-card.ts';
import { type PayOnceTools, payOnce } from './pay-once.ts';
import type { Payment } from './payment.ts';
import { PAYMENT_REFUSALS, type PaymentRefusal } from './refusals.ts';

export type CheckSaleTools = CardTools & FindCodeTools & { readonly clock: BusinessClock };

/** For a malformed request: what would also be refused of its card and anti-fraud code. Only reads. */
async function checkSale(
  tools: CheckSaleTools,
  merchantId: string,
  card: NamedCard,
  antiFraudCode: string | null,
): Promise<readonly PaymentRefusal[]> {
  const [refusals, code] = await Promise.all([
    checkCardSource(tools, merchantId, card, tools.clock.now(merchantId)),
    antiFraudCode === null ? null : findAntiFraudCode(tools, merchantId, antiFraudCode),
  ]);
  return code === 'codeUnusable' ? [...refusals, code] : refusals;
}

export type PaymentTools = PayOnceTools & {
  readonly acquirers: Acquirers;
  readonly minimumInstallment: Cents;
  readonly callRules: CallRules;
};

export const PAYMENT_ENDPOINTS: readonly Endpoint<PaymentTools>[] = [
  endpoint(
    CREATE_PAYMENT,
    async (tools: PaymentTools, call) => {
      const payment = readPaymentRequest(call.body);
      const once = await payOnce(tools, callerOf(call), payment, call, call.deadlineAt);
      return writeOnce(call, once, (result) => writeResult(payment, result, call.language));
    },
    {
      checkWith: ({ minimumInstallment, acquirers, callRules }) =>
        checkPayment(minimumInstallment, () => widestCapabilities(acquirers), callRules),
      lookBeside: async (tools, body, { merchantId }) => {
        const { card, antiFraudCode } = readSoundSale(body);
        const refusals = await checkSale(tools, merchantId, card, antiFraudCode);
        return refusals.map((refusal) => PAYMENT_REFUSALS[refusal]);
      },
    },
  ),
];

function writeResult(
  payment: Payment,
  result: PayResult,
  language: Language,
): Answer | typeof CUT_CONNECTION {
  switch (result.kind) {
    case 'approved':
      return { status: 200, body: writeApproval(payment, result), headers: paymentHeader(result) };
    case 'preauthorized':
      return { status: 200, body: writePreauthorization(payment, result), headers: paymentHeader(result) };
    case 'declined':
      return writeFailed(402, writeDecline(result, language), result);
    case 'refused':
      return writeRefused(result, language);
    case 'unknown': {
      const { status, tag, sentence } = FAILURES.unknownFailure;
      return writeFailed(status, [{ tag, description: sentence[language] }], result);
    }
    case 'unrecorded':
      return CUT_CONNECTION;
    case 'notSent':
      return unavailableAnswer('overloaded', language);
    case 'notConnected':
      return unavailableAnswer('acquirerAway', language);
  }
}

type OfPayment = { readonly paymentId: string };

/** A header that every answer to a request has once its payment exists, whatever the outcome. */
function paymentHeader({ paymentId }: OfPayment): Record<string, string> {
  return { 'x-payment-id': paymentId };
}

function writeFailed(status: number, errors: readonly WireError[], payment: OfPayment): Answer {
  const { paymentId } = payment;
  return { status, body: errors.map((error) => ({ ...error, paymentId })), headers: paymentHeader(payment) };
}

function writeRefused(
  { refusals, mayRetryAt }: Extract<PayResult, { kind: 'refused' }>,
  language: Language,
): Answer {
  const shapes = refusals.map((refusal) => PAYMENT_REFUSALS[refusal]);
  const [first] = shapes;
  if (first === undefined || mayRetryAt === undefined) return refusalsAnswer(shapes, language);
  return { status: first.status, body: writeRetryLimit(first, mayRetryAt, language) };
}
