import { type Answer, callerOf, type Route, route } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer, writeOnce } from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import type { BillingWithCharges } from '../billings/billing.ts';
import { writeWholeBilling } from '../billings/contract.ts';
import { readBilling, type SearchTools } from '../billings/list-billings.ts';
import { type ChargeByHandTools, chargeByHand, type HandChargeResult } from './charge-by-hand.ts';
import { CHARGE_BILLING, readIssuerDecline, writeDecline } from './contract.ts';
import { HAND_CHARGE_LIMITS, HAND_CHARGE_REFUSALS } from './refusals.ts';

export function handChargeRoutes(tools: ChargeByHandTools & SearchTools): Route[] {
  return [
    route(CHARGE_BILLING, async (call) => {
      const caller = callerOf(call);
      const { billingId } = call.parameters;
      const once = await chargeByHand(tools, caller, billingId, call, call.deadlineAt);
      const billing = await readBilling(tools, caller.merchantId, billingId);
      return writeOnce(call, once, (result) => writeResult(result, billing, call.language));
    }),
  ];
}

function writeResult(
  result: HandChargeResult,
  billing: BillingWithCharges | null,
  language: Language,
): Answer {
  if (billing === null) return refusalAnswer(FAILURES.unknownPath, language);
  switch (result.kind) {
    case 'notFound':
      return refusalAnswer(FAILURES.unknownPath, language);
    case 'paid':
      return { status: 200, body: writeWholeBilling(billing, language) };
    case 'pending':
      return { status: 202, body: writeWholeBilling(billing, language) };
    case 'undone':
      return refusalAnswer(FAILURES.unknownFailure, language);
    case 'declined':
      return { status: 402, body: writeDecline(readIssuerDecline(result), language) };
    case 'limited':
      return refusalAnswer(HAND_CHARGE_LIMITS[result.isNeverAgain ? 'neverAgain' : 'limited'], language);
    case 'refused':
      return refusalAnswer(HAND_CHARGE_REFUSALS[result.refusal], language);
  }
}
