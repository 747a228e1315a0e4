import { callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { GET_PAYMENT, LIST_PAYMENTS, readListQuery, writeListedPayment, writePayment } from './contract.ts';
import { findPayment } from './find-payment.ts';
import { listPayments } from './list-payments.ts';

type PaymentStatusTools = { readonly database: Database };

export const PAYMENT_STATUS_ENDPOINTS: readonly Endpoint<PaymentStatusTools>[] = [
  endpoint(LIST_PAYMENTS, async (tools: PaymentStatusTools, call) => {
    const wanted = readListQuery(call.query);
    const { items, total } = await listPayments(tools.database, callerOf(call).merchantId, wanted);
    const { page, limit } = wanted;
    return { status: 200, body: { items: items.map(writeListedPayment), page, limit, total } };
  }),
  endpoint(GET_PAYMENT, async (tools: PaymentStatusTools, call) => {
    const found = await findPayment(tools.database, callerOf(call).merchantId, call.parameters.paymentId);
    if (found === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    return { status: 200, body: writePayment(found) };
  }),
];
