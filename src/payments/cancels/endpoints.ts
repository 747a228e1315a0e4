import { type Answer, callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import {
  type RefusalShape,
  refusalAnswer,
  unavailableAnswer,
  writeOnce,
} from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import type { CancelRefusal } from '../../transactions/cancels/cancel.ts';
import type { CancelResult } from '../../transactions/cancels/cancel-transaction.ts';
import { type CancelPaymentTools, cancelPayment } from './cancel-payment.ts';
import { CANCEL_PAYMENT, readCancelAmount, writeCancel, writePendingCancel } from './contract.ts';
import { CANCEL_REFUSALS } from './refusals.ts';

export const CANCEL_ENDPOINTS: readonly Endpoint<CancelPaymentTools>[] = [
  endpoint(CANCEL_PAYMENT, async (tools: CancelPaymentTools, call) => {
    const { paymentId } = call.parameters;
    const wanted = { paymentId, amount: readCancelAmount(call.body) };
    const once = await cancelPayment(tools, callerOf(call), wanted, call, call.deadlineAt);
    return writeOnce(call, once, (result) => writeResult(paymentId, result, call.language));
  }),
];

function writeResult(paymentId: string, result: CancelResult, language: Language): Answer {
  switch (result.kind) {
    case 'canceled':
      return { status: 200, body: writeCancel(paymentId, result) };
    case 'pending':
      return { status: 202, body: writePendingCancel(paymentId, result, language) };
    case 'refused':
      return refusalAnswer(shapeOf(result.refusal), language);
    case 'unknown':
      return refusalAnswer(CANCEL_REFUSALS.unresolved, language);
    case 'notSent':
      return unavailableAnswer('overloaded', language);
    case 'notConnected':
      return unavailableAnswer('acquirerAway', language);
  }
}

function shapeOf(refusal: CancelRefusal): RefusalShape {
  return refusal === 'notFound' ? FAILURES.unknownPath : CANCEL_REFUSALS[refusal];
}
