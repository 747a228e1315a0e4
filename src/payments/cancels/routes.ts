import { CUT_CONNECTION, callerOf, type Route, route } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { type RefusalShape, refusalAnswer } from '../../platform/http/refusal.ts';
import type { CancelRefusal } from '../../transactions/cancels/cancel.ts';
import type { CancelTools } from '../../transactions/cancels/cancel-transaction.ts';
import { cancelPayment } from './cancel-payment.ts';
import { CANCEL_PAYMENT, readCancelAmount, writeCancel } from './contract.ts';
import { CANCEL_REFUSALS } from './refusals.ts';

export function cancelRoutes(tools: CancelTools): Route[] {
  return [
    route(CANCEL_PAYMENT, async (call) => {
      const { paymentId } = call.parameters;
      const wanted = { paymentId, amount: readCancelAmount(call.body) };
      const result = await cancelPayment(tools, callerOf(call), wanted, call.deadlineAt);
      switch (result.kind) {
        case 'canceled':
          return { status: 200, body: writeCancel(paymentId, result) };
        case 'refused':
          return refusalAnswer(shapeOf(result.refusal), call.language);
        case 'unknown':
          return refusalAnswer(CANCEL_REFUSALS.unanswered, call.language);
        case 'unrecorded':
          return CUT_CONNECTION;
      }
    }),
  ];
}

function shapeOf(refusal: CancelRefusal): RefusalShape {
  return refusal === 'notFound' ? FAILURES.unknownPath : CANCEL_REFUSALS[refusal];
}
