import { callerAt, callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { pageFor, writePage } from '../../platform/pages.ts';
import { type CancelBillingTools, cancelBilling } from './cancel-billing.ts';
import {
  CANCEL_BILLING,
  GET_BILLING,
  LIST_BILLINGS,
  readBillingQuery,
  writeBilling,
  writeWholeBilling,
} from './contract.ts';
import { listBillings, readBilling, type SearchTools } from './list-billings.ts';
import { BILLING_CANCEL_REFUSALS, BILLING_SEARCH_REFUSALS } from './refusals.ts';

export type BillingTools = SearchTools & CancelBillingTools;

export const BILLING_ENDPOINTS: readonly Endpoint<BillingTools>[] = [
  endpoint(LIST_BILLINGS, async (tools: SearchTools, call) => {
    const wanted = pageFor(call, readBillingQuery(call.query));
    const found = await listBillings(tools, callerOf(call).merchantId, wanted);
    if (typeof found === 'string') return refusalAnswer(BILLING_SEARCH_REFUSALS[found], call.language);
    return { status: 200, body: writePage(wanted, found, writeBilling) };
  }),
  endpoint(GET_BILLING, async (tools: SearchTools, call) => {
    const found = await readBilling(tools, callerOf(call).merchantId, call.parameters.billingId);
    if (found === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    return { status: 200, body: writeWholeBilling(found, call.language) };
  }),
  endpoint(CANCEL_BILLING, async (tools: CancelBillingTools, call) => {
    const { billingId } = call.parameters;
    const result = await cancelBilling(tools, callerAt(call), billingId, call.deadlineAt);
    if (result === 'notFound') return refusalAnswer(FAILURES.unknownPath, call.language);
    if (result !== 'canceled') return refusalAnswer(BILLING_CANCEL_REFUSALS[result], call.language);
    return { status: 200, body: billingId.toLowerCase() };
  }),
];
