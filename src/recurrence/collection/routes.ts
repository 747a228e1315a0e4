import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, callerOf, type Route, route } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { type Once, refusalAnswer, unavailableAnswer, writeOnce } from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import { Overloaded } from '../../platform/postgres/batched-writes.ts';
import { DatabaseUnavailable } from '../../platform/postgres/database.ts';
import type { BillingWithCharges } from '../billings/billing.ts';
import { writeWholeBilling } from '../billings/contract.ts';
import { readBilling, type SearchTools } from '../billings/list-billings.ts';
import { type ChargeByHandTools, chargeManually, type HandChargeResult } from './charge-manually.ts';
import { CHARGE_BILLING, readIssuerDecline, writeDecline } from './contract.ts';
import { HAND_CHARGE_LIMITS, HAND_CHARGE_REFUSALS } from './refusals.ts';

export function handChargeRoutes(tools: ChargeByHandTools & SearchTools): Route[] {
  return [
    route(CHARGE_BILLING, async (call) => {
      const caller = callerOf(call);
      const { billingId } = call.parameters;
      const once = await chargeManually(tools, caller, billingId, call, call.deadlineAt);
      const billing = SHOWN.has(kindOf(once))
        ? await untilDeadline(call.deadlineAt, () => readBilling(tools, caller.merchantId, billingId))
        : null;
      return writeOnce(call, once, (result) => writeResult(result, billing, call.language));
    }),
  ];
}

/** What is answered with the billing as it stands. Everything else is told from what the charge itself has given. */
const SHOWN: ReadonlySet<string> = new Set<HandChargeResult['kind']>(['paid', 'pending']);

function kindOf(once: Once<HandChargeResult>): string {
  return 'result' in once ? once.result.kind : once.kind;
}

const READ_AGAIN_MILLISECONDS = 100;

/**
 * Reads behind a charge that stands: what the database cannot show now it is asked again. At the deadline the error goes on, and
 * the connection is cut.
 */
async function untilDeadline<T>(deadlineAt: number, read: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      const isToBeRepeated = error instanceof DatabaseUnavailable || error instanceof Overloaded;
      if (!isToBeRepeated || performance.now() + READ_AGAIN_MILLISECONDS >= deadlineAt) throw error;
      await pause(READ_AGAIN_MILLISECONDS);
    }
  }
}

function writeResult(
  result: HandChargeResult,
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
    case 'limited':
      return refusalAnswer(HAND_CHARGE_LIMITS[result.isNeverAgain ? 'neverAgain' : 'limited'], language);
    case 'refused':
      return refusalAnswer(HAND_CHARGE_REFUSALS[result.refusal], language);
  }
}
