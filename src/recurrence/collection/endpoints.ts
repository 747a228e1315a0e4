import { type Answer, callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer, unavailableAnswer, writeOnce } from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import type { BillingWithCharges } from '../billings/billing.ts';
import { writeWholeBilling } from '../billings/contract.ts';
import { type ChargeByHandTools, chargeManually, type ManualChargeResult } from './charge-manually.ts';
import { CHARGE_BILLING, readIssuerDecline, writeDecline, writeRetryLimit } from './contract.ts';
import { readChargedBilling } from './read-charged-billing.ts';
import { HAND_CHARGE_REFUSALS, MANUAL_CHARGE_LIMITS } from './refusals.ts';

export const MANUAL_CHARGE_ENDPOINTS: readonly Endpoint<ChargeByHandTools>[] = [
  endpoint(CHARGE_BILLING, async (tools: ChargeByHandTools, call) => {
    const caller = callerOf(call);
    const { billingId } = call.parameters;
    const once = await chargeManually(tools, caller, billingId, call, call.deadlineAt);
    const { merchantId } = caller;
    const billing = await readChargedBilling(tools, once, merchantId, billingId, call.deadlineAt);
    return writeOnce(call, once, (result) => writeResult(result, billing, call.language));
  }),
];

function writeResult(
  result: ManualChargeResult,
  billing: BillingWithCharges | null,
  language: Language,
): Answer {
  switch (result.kind) {
    case 'notFound':
      return refusalAnswer(FAILURES.unknownPath, language);
    case 'paid':
    case 'pending':
      if (billing === null) throw new Error('a billing that was charged is gone');
      return { status: result.kind === 'paid' ? 200 : 202, body: writeWholeBilling(billing, language) };
    case 'notSent':
      return unavailableAnswer('overloaded', language);
    case 'notConnected':
      return unavailableAnswer('acquirerAway', language);
    case 'voided':
      return refusalAnswer(FAILURES.unknownFailure, language);
    case 'declined':
      return { status: 402, body: writeDecline(readIssuerDecline(result), language) };
    case 'limited': {
      const shape = MANUAL_CHARGE_LIMITS[result.isNeverAgain ? 'neverAgain' : 'limited'];
      return { status: shape.status, body: writeRetryLimit(shape, result.mayRetryAt, language) };
    }
    case 'refused':
      return refusalAnswer(HAND_CHARGE_REFUSALS[result.refusal], language);
  }
}
