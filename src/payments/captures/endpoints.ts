import {
  type Answer,
  type Call,
  type CUT_CONNECTION,
  callerOf,
  type Endpoint,
  endpoint,
} from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import {
  type RefusalShape,
  refusalAnswer,
  unavailableAnswer,
  writeOnce,
} from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import type { CaptureRefusal } from '../../transactions/capture.ts';
import type { CaptureResult } from '../../transactions/captures/capture-transaction.ts';
import type { Cents } from '../../values/cents.ts';
import { type CapturePaymentTools, capturePayment } from './capture-payment.ts';
import { CAPTURE_PAYMENT, PUT_CAPTURE, readCaptureAmount, writeCapture } from './contract.ts';
import { CAPTURE_REFUSALS } from './refusals.ts';

export const CAPTURE_ENDPOINTS: readonly Endpoint<CapturePaymentTools>[] = [
  endpoint(CAPTURE_PAYMENT, (tools: CapturePaymentTools, call) =>
    capture(tools, call, readCaptureAmount(call.body)),
  ),
  endpoint(PUT_CAPTURE, (tools: CapturePaymentTools, call) =>
    capture(tools, call, readCaptureAmount(call.body)),
  ),
];

async function capture(
  tools: CapturePaymentTools,
  call: Call<unknown, unknown, { readonly paymentId: string }>,
  amount: Cents | null,
): Promise<Answer | typeof CUT_CONNECTION> {
  const { paymentId } = call.parameters;
  const once = await capturePayment(tools, callerOf(call), { paymentId, amount }, call, call.deadlineAt);
  return writeOnce(call, once, (result) => writeResult(paymentId, result, call.language));
}

function writeResult(paymentId: string, result: CaptureResult, language: Language): Answer {
  switch (result.kind) {
    case 'captured':
      return { status: 200, body: writeCapture(paymentId, result) };
    case 'refused':
      return refusalAnswer(shapeOf(result.refusal), language);
    case 'unknown':
      return refusalAnswer(CAPTURE_REFUSALS.unresolved, language);
    case 'notSent':
      return unavailableAnswer('overloaded', language);
    case 'notConnected':
      return unavailableAnswer('acquirerAway', language);
  }
}

function shapeOf(refusal: CaptureRefusal): RefusalShape {
  return refusal === 'notFound' ? FAILURES.unknownPath : CAPTURE_REFUSALS[refusal];
}
