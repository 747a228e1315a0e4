import { streamOf } from '../../platform/exports.ts';
import { callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { pageFor, writePage } from '../../platform/pages.ts';
import { CSV_TYPE } from '../../values/csv.ts';
import { GET_PAYMENT, writeListedPayment, writePayment } from './contract.ts';
import { csvOfPayments, ndjsonOfPayments, writeCsv } from './csv-contract.ts';
import { type FindPaymentTools, findPayment } from './find-payment.ts';
import { type ListAllPaymentsTools, listAllPayments } from './list-all-payments.ts';
import { LIST_PAYMENTS, readListQuery } from './list-contract.ts';
import { listPayments } from './list-payments.ts';
import { PAYMENT_SEARCH_REFUSALS } from './refusals.ts';

type PaymentStatusTools = ListAllPaymentsTools & FindPaymentTools;

export const PAYMENT_STATUS_ENDPOINTS: readonly Endpoint<PaymentStatusTools>[] = [
  endpoint(LIST_PAYMENTS, async (tools: PaymentStatusTools, call) => {
    const { language, query, wantsCsv } = call;
    const { merchantId } = callerOf(call);
    const wanted = pageFor(call, readListQuery(query));
    if (query.format !== undefined) {
      const all = await listAllPayments(tools, merchantId, wanted);
      if (typeof all === 'string') return refusalAnswer(PAYMENT_SEARCH_REFUSALS[all], language);
      const formatOf = query.format === 'ndjson' ? ndjsonOfPayments : csvOfPayments;
      return { status: 200, stream: streamOf(all, formatOf(language)) };
    }
    const found = await listPayments(tools, merchantId, wanted);
    if (typeof found === 'string') return refusalAnswer(PAYMENT_SEARCH_REFUSALS[found], language);
    const headers = { 'x-total-count': `${found.total}` };
    if (wantsCsv) {
      const text = { content: writeCsv(found.items, language), type: CSV_TYPE };
      return { status: 200, text, headers };
    }
    const body = writePage(wanted, found, (payment) => writeListedPayment(payment, language));
    return { status: 200, body, headers };
  }),
  endpoint(GET_PAYMENT, async (tools: PaymentStatusTools, call) => {
    const { paymentId } = call.parameters;
    const { splitPage = 1 } = call.query;
    const found = await findPayment(tools, callerOf(call).merchantId, paymentId, splitPage);
    if (found === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    return { status: 200, body: writePayment(found, call.language, splitPage) };
  }),
];
