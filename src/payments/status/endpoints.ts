import { callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { writePage } from '../../platform/pages.ts';
import { GET_PAYMENT, LIST_PAYMENTS, readListQuery, writeListedPayment, writePayment } from './contract.ts';
import { type FindPaymentTools, findPayment } from './find-payment.ts';
import { type ListPaymentsTools, listPayments } from './list-payments.ts';
import { PAYMENT_SEARCH_REFUSALS } from './refusals.ts';

type PaymentStatusTools = ListPaymentsTools & FindPaymentTools;

export const PAYMENT_STATUS_ENDPOINTS: readonly Endpoint<PaymentStatusTools>[] = [
  endpoint(LIST_PAYMENTS, async (tools: PaymentStatusTools, call) => {
    const wanted = readListQuery(call.query);
    const found = await listPayments(tools, callerOf(call).merchantId, wanted);
    if (typeof found === 'string') return refusalAnswer(PAYMENT_SEARCH_REFUSALS[found], call.language);
    return { status: 200, body: writePage(wanted, found, writeListedPayment) };
  }),
  endpoint(GET_PAYMENT, async (tools: PaymentStatusTools, call) => {
    const { paymentId } = call.parameters;
    const { splitPage = 1 } = call.query;
    const found = await findPayment(tools, callerOf(call).merchantId, paymentId, splitPage);
    if (found === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    return { status: 200, body: writePayment(found, splitPage) };
  }),
];
