import { callerOf, type Route, route } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { GET_PAYMENT, LIST_PAYMENTS, readListQuery, writeListedPayment, writePayment } from './contract.ts';
import { findPayment } from './find-payment.ts';
import { listPayments } from './list-payments.ts';

export function paymentQueryRoutes({ database }: { readonly database: Database }): Route[] {
  return [
    route(LIST_PAYMENTS, async (call) => {
      const wanted = readListQuery(call.query);
      const { items, total } = await listPayments(database, callerOf(call).merchantId, wanted);
      const { page, limit } = wanted;
      return { status: 200, body: { items: items.map(writeListedPayment), page, limit, total } };
    }),
    route(GET_PAYMENT, async (call) => {
      const found = await findPayment(database, callerOf(call).merchantId, call.parameters.paymentId);
      if (found === null) return refusalAnswer(FAILURES.unknownPath, call.language);
      return { status: 200, body: writePayment(found) };
    }),
  ];
}
