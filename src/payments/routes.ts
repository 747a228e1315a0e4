import { type Answer, CUT_CONNECTION, callerOf, type Route, route } from '../platform/http/endpoint.ts';
import { FAILURES } from '../platform/http/failures.ts';
import { refusalAnswer, refusalsAnswer, writeOnce } from '../platform/http/refusal.ts';
import type { Language } from '../platform/http/sentence.ts';
import type { Cents } from '../values/cents.ts';
import type { CallRules } from '../webhooks/posting/url-rules.ts';
import { checkSale } from './check-sale.ts';
import {
  createPaymentEndpoint,
  readPaymentRequest,
  readSoundSale,
  writeApproval,
  writeDecline,
  writeRetryLimit,
} from './contract.ts';
import type { PayResult } from './pay-by-card.ts';
import { type PayOnceTools, payOnce } from './pay-once.ts';
import type { Payment } from './payment.ts';
import { PAYMENT_REFUSALS } from './refusals.ts';

export function paymentRoutes(tools: PayOnceTools, minimumInstallment: Cents, callRules: CallRules): Route[] {
  return [
    route(
      createPaymentEndpoint(minimumInstallment, callRules),
      async (call) => {
        const payment = readPaymentRequest(call.body);
        const once = await payOnce(tools, callerOf(call), payment, call, call.deadlineAt);
        return writeOnce(call, once, (result) => writeResult(payment, result, call.language));
      },
      async (body, { merchantId }) => {
        const { card, antiFraudCode } = readSoundSale(body);
        const refusals = await checkSale(tools, merchantId, card, antiFraudCode);
        return refusals.map((refusal) => PAYMENT_REFUSALS[refusal]);
      },
    ),
  ];
}

function writeResult(
  payment: Payment,
  result: PayResult,
  language: Language,
): Answer | typeof CUT_CONNECTION {
  switch (result.kind) {
    case 'approved':
      return { status: 200, body: writeApproval(payment, result) };
    case 'declined':
      return { status: 402, body: writeDecline(result, language) };
    case 'refused':
      return writeRefused(result, language);
    case 'unknown':
      return refusalAnswer(FAILURES.unknownFailure, language);
    case 'unrecorded':
      return CUT_CONNECTION;
  }
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
