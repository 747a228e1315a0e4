import { callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import type { LookUp } from '../../platform/postgres/searches.ts';
import { notePayment } from '../../platform/tracing/scope.ts';
import type { TransactionWithCancels } from '../../transactions/cancels/cancel.ts';
import { type FeeVersions, pixPortion } from '../../transactions/fees/fee-table.ts';
import { NOT_SENT as BOLETO_NOT_SENT, type Boleto } from '../../transactions/methods/boleto/boleto.ts';
import { findBoleto } from '../../transactions/methods/boleto/boletos.sql.ts';
import { NOT_SENT, type Pix } from '../../transactions/methods/pix/pix.ts';
import { findPix } from '../../transactions/methods/pix/pix-charges.sql.ts';
import { pagesAt, writePixPayment } from '../../transactions/methods/pix/pix-contract.ts';
import type { Refund } from '../../transactions/methods/pix/refunds/refund.ts';
import { listRefunds } from '../../transactions/methods/pix/refunds/refunds.sql.ts';
import { findTransactionWithCancels } from '../../transactions/transaction-queries.sql.ts';
import { isUuid } from '../../values/ids.ts';
import { type FoundPayment, paymentOf } from '../payment.ts';
import { writeBoletoPayment } from './boleto-contract.ts';
import { GET_PAYMENT, writePayment } from './contract.ts';

type FindPaymentTools = {
  readonly lookUp: LookUp;
  readonly fees: FeeVersions;
  /** Null if the service has no cells. */
  readonly cell: string | null;
};

type FoundOther =
  | { readonly kind: 'pix'; readonly pix: Pix; readonly refunds: readonly Refund[] }
  | { readonly kind: 'boleto'; readonly boleto: Boleto };

/** Null for unknown payments and those of other merchants. */
async function findPayment(
  { lookUp }: Pick<FindPaymentTools, 'lookUp'>,
  merchantId: string,
  paymentId: string,
  splitPage: number,
): Promise<FoundPayment<TransactionWithCancels> | null> {
  if (!isUuid(paymentId)) return null;
  const transaction = await lookUp(merchantId, (database) =>
    findTransactionWithCancels(database, merchantId, paymentId, splitPage),
  );
  if (transaction === null) return null;
  notePayment({ referenceTransaction: transaction.referenceTransaction });
  return paymentOf(transaction);
}

const MOST_REFUNDS = 100;

/** A payment by another method than card. */
async function findOther(
  { lookUp }: Pick<FindPaymentTools, 'lookUp'>,
  merchantId: string,
  paymentId: string,
): Promise<FoundOther | null> {
  if (!isUuid(paymentId)) return null;
  const key = { merchantId, pixId: paymentId };
  return lookUp(merchantId, async (database) => {
    const pix = await findPix(database, key);
    if (pix !== null && pix.refusalReason !== NOT_SENT)
      return { kind: 'pix', pix, refunds: await listRefunds(database, key, MOST_REFUNDS) };
    const boleto = await findBoleto(database, { merchantId, boletoId: paymentId });
    return boleto === null || boleto.refusalReason === BOLETO_NOT_SENT ? null : { kind: 'boleto', boleto };
  });
}

export const PAYMENT_STATUS_ENDPOINTS: readonly Endpoint<FindPaymentTools>[] = [
  endpoint(GET_PAYMENT, async (tools: FindPaymentTools, call) => {
    const { paymentId } = call.parameters;
    const { splitPage = 1 } = call.query;
    const { merchantId } = callerOf(call);
    const found = await findPayment(tools, merchantId, paymentId, splitPage);
    if (found !== null) return { status: 200, body: writePayment(found, call.language, splitPage) };
    const other = await findOther(tools, merchantId, paymentId);
    if (other === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    if (other.kind === 'boleto') return { status: 200, body: writeBoletoPayment(other.boleto) };
    const { pix, refunds } = other;
    const feePortion = pixPortion(tools.fees.tableAt(merchantId, pix.requestedAt));
    const pages = pagesAt(call.pagesOrigin(), tools.cell);
    return { status: 200, body: writePixPayment(pix, refunds, { pages, feePortion }) };
  }),
];
