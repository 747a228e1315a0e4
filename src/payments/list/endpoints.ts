import { streamOf } from '../../platform/exports.ts';
import { callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { type RefusalShape, refusal, refusalAnswer } from '../../platform/http/refusal.ts';
import { pageFor, tooManyToOrder, writePage } from '../../platform/pages.ts';
import { type FeeVersions, pixPortion } from '../../transactions/fees/fee-table.ts';
import { pagesAt } from '../../transactions/methods/pix/pix-contract.ts';
import { CSV_TYPE } from '../../values/csv.ts';
import type { ListedPayment, PaymentExportRefusal } from '../payment.ts';
import { writeBoletoPayment } from '../status/boleto-contract.ts';
import { writeListedCard } from '../status/contract.ts';
import { LIST_PAYMENTS, readListQuery } from './contract.ts';
import { type ListAllPaymentsTools, listAllPayments, listPayments } from './list-payments.ts';
import {
  csvOfPayments,
  ndjsonOfPayments,
  type RowReader,
  writeCsv,
  writeListedPix,
} from './rows-contract.ts';

export const PAYMENT_SEARCH_REFUSALS = {
  tooManyOfPeriod: tooManyToOrder(
    'São mais de cem mil pagamentos para esta ordem; restrinja o período ou escolha a ordem por transactionDate.',
    'More than a hundred thousand payments for this order; narrow the period or choose the order by transactionDate.',
  ),
  tooManyOfKey: tooManyToOrder(
    'São mais de cem mil pagamentos para esta ordem ou estes filtros; busque uma referenceTransaction na ordem de transactionDate, sem outro filtro, ou por período.',
    'More than a hundred thousand payments for this order or these filters; search by referenceTransaction in the order of transactionDate, without another filter, or by period.',
  ),
  notInThisOrder: refusal(400, 'format', {
    pt: 'Com format vêm pagamentos de um período ou de uma referenceTransaction, na ordem de transactionDate.',
    en: 'With format come payments of a period or of a referenceTransaction, in the order of transactionDate.',
  }),
} as const satisfies Record<PaymentExportRefusal, RefusalShape>;

type PaymentListTools = ListAllPaymentsTools & {
  readonly fees: FeeVersions;
  /** Null if the service has no cells. */
  readonly cell: string | null;
};

export const PAYMENT_LIST_ENDPOINTS: readonly Endpoint<PaymentListTools>[] = [
  endpoint(LIST_PAYMENTS, async (tools: PaymentListTools, call) => {
    const { language, query, wantsCsv } = call;
    const { merchantId } = callerOf(call);
    const wanted = pageFor(call, readListQuery(query));
    const reader: RowReader = {
      language,
      pages: pagesAt(call.pagesOrigin(), tools.cell),
      feeOf: ({ requestedAt }) => pixPortion(tools.fees.tableAt(merchantId, requestedAt)),
    };
    if (query.format !== undefined) {
      const all = await listAllPayments(tools, merchantId, wanted);
      if (typeof all === 'string') return refusalAnswer(PAYMENT_SEARCH_REFUSALS[all], language);
      const formatOf = query.format === 'ndjson' ? ndjsonOfPayments : csvOfPayments;
      return { status: 200, stream: streamOf(all, formatOf(reader)) };
    }
    const found = await listPayments(tools, merchantId, wanted);
    if (typeof found === 'string') return refusalAnswer(PAYMENT_SEARCH_REFUSALS[found], language);
    const headers = { 'x-total-count': `${found.total}` };
    if (wantsCsv) {
      const text = { content: writeCsv(found.items, reader), type: CSV_TYPE };
      return { status: 200, text, headers };
    }
    const body = writePage(wanted, found, (listed) => writeListed(listed, reader));
    return { status: 200, body, headers };
  }),
];

function writeListed(listed: ListedPayment, reader: RowReader): object {
  switch (listed.method) {
    case 'card':
      return writeListedCard(listed, reader.language);
    case 'pix':
      return writeListedPix(listed.pix, reader);
    case 'boleto':
      return writeBoletoPayment(listed.boleto);
  }
}
