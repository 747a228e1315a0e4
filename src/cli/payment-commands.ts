import { DAYS_KEPT } from '../idempotency/idempotency-key.ts';
import { type KeyedRequestLook, listKeyedRequests } from '../idempotency/idempotency-keys.sql.ts';
import type { Lines } from '../platform/lines.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { TransactionWithCancels } from '../transactions/cancels/cancel.ts';
import {
  findIdsOfReference,
  findMadeAt,
  findTransactionWithCancels,
} from '../transactions/transaction-queries.sql.ts';
import { reaisText } from '../values/cents.ts';
import { isUuid } from '../values/ids.ts';
import { type Instant, utcText } from '../values/instant.ts';
import { listMessagesOf, type PaymentMessage } from '../webhooks/history/messages-of-payments.sql.ts';
import { type Command, MERCHANT_OPTION, option, refused, table, visible } from './command.ts';

const MOST_PAYMENTS = 20;
const MOST_MESSAGES = 100;
/**
 * The span around an id's making in which its request is looked for: the id comes before the key is written.
 */
const BEFORE_MILLISECONDS = 60_000;
const AFTER_MILLISECONDS = 120_000;

export const PAYMENT_COMMANDS: readonly Command[] = [
  {
    words: ['payment', 'show'],
    summary: 'show a payment with its installments, cancels, requests and webhooks',
    options: [
      MERCHANT_OPTION,
      option('--payment ID', 'its paymentId', {
        check: (value) => (isUuid(value) ? null : 'must be an id such as the API gives'),
      }),
      option('--reference TEXT', `its referenceTransaction; up to ${MOST_PAYMENTS} are shown`),
    ],
    opens: 'audited',
    async run(given, tools) {
      const { database, audit, operator } = tools;
      const [paymentId, reference] = [given.one('payment'), given.one('reference')];
      if ((paymentId === null) === (reference === null))
        return { option: '--payment', message: 'name either --payment or --reference' };
      const merchantId = given.one('merchant') ?? '';
      const ids =
        paymentId === null
          ? await findIdsOfReference(database, merchantId, reference ?? '', MOST_PAYMENTS)
          : [paymentId];
      const found: Shown[] = [];
      for (const id of ids) {
        const payment = await findTransactionWithCancels(database, merchantId, id, 1);
        if (payment !== null) found.push(await withRequests(database, merchantId, payment));
      }
      // Audited before anything is shown.
      await audit.record({
        ...operator,
        action: 'payment.read',
        outcome: found.length === 0 ? 'failure' : 'success',
        resource: `merchants/${merchantId}/payments${paymentId === null ? '' : `/${paymentId}`}`,
      });
      if (found.length === 0) return refused('this merchant has no such payment');
      return { lines: found.flatMap(linesOf), json: { items: found.map(jsonOf) } };
    },
  },
];

/** `none`: no idempotency key is kept, and `createdAt` is when the id was made. */
type ShownRequest =
  | (KeyedRequestLook & { readonly key: 'kept' })
  | { readonly key: 'none'; readonly resourceId: string; readonly createdAt: Instant };

type Shown = {
  readonly payment: TransactionWithCancels;
  readonly requests: readonly ShownRequest[];
  readonly messages: readonly PaymentMessage[];
};

async function withRequests(
  database: Database,
  merchantId: string,
  payment: TransactionWithCancels,
): Promise<Shown> {
  const { transactionId, cancels, nsu, origin } = payment;
  const requests: ShownRequest[] = [];
  // Nobody requested the charge of a billing.
  const asked = origin === 'billing' ? [] : [transactionId];
  for (const id of [...asked, ...cancels.map(({ cancelId }) => cancelId)]) {
    const madeAt = await findMadeAt(database, merchantId, id);
    if (madeAt === null) continue;
    const span = { from: madeAt - BEFORE_MILLISECONDS, to: madeAt + AFTER_MILLISECONDS };
    const keyed = await listKeyedRequests(database, merchantId, [id], span);
    requests.push(...keyed.map((one) => ({ ...one, key: 'kept' as const })));
    if (keyed.length === 0) requests.push({ key: 'none', resourceId: id, createdAt: madeAt });
  }
  const messages =
    nsu === null ? [] : await listMessagesOf(database, [{ merchantId, transactionId, nsu }], MOST_MESSAGES);
  return { payment, requests, messages };
}

function linesOf({ payment, requests, messages }: Shown): Lines {
  const { brand, cardFirstSix, cardLastFour, responseCode } = payment;
  const installments = payment.installments.map((one) => [
    String(one.number),
    reaisText(one.amount),
    one.state,
    reaisText(one.canceledAmount),
  ]);
  return [
    `payment        ${payment.transactionId}`,
    `reference      ${visible(payment.referenceTransaction ?? '-')}`,
    `state          ${payment.state}, ${payment.origin}`,
    `amount         ${reaisText(payment.amount)}, given back or held for it ${reaisText(payment.heldAmount)}`,
    `sold           ${utcText(payment.soldAt)}, approved ${textOf(payment.approvedAt)}`,
    `authorization  ${payment.authorizationCode ?? '-'}, nsu ${payment.nsu ?? '-'}`,
    `card           ${brand} ${cardFirstSix}******${cardLastFour}`,
    responseCode !== null && `declined with  ${responseCode} (advice ${payment.adviceCode ?? 'none'})`,
    ...payment.attempts.map(
      (one) =>
        `attempt        ${one.transactionId} at ${one.acquirer}  ${visible(one.notSentReason ?? 'the outcome is its state')}`,
    ),
    ...table(['INSTALLMENT', 'AMOUNT', 'STATE', 'GIVEN BACK'], installments),
    ...payment.cancels.map(
      (one) => `cancel ${one.cancelId}  ${reaisText(one.amount)}  ${one.state}  ${utcText(one.requestedAt)}`,
    ),
    ...requests.map((one) => `request of ${one.resourceId}  ${utcText(one.createdAt)}  ${requestText(one)}`),
    ...messages.map(
      (one) =>
        `webhook ${one.deliveryNumber}  ${one.kind}  ${one.state}  ${utcText(one.createdAt)}  ${visible(one.url ?? '-')}`,
    ),
    '',
  ];
}

function requestText(request: ShownRequest): string {
  if (request.key === 'kept') return request.isDone ? 'done' : 'under way';
  return `no Idempotency-Key is kept: none was sent, or more than ${DAYS_KEPT} days ago`;
}

function jsonOf({ payment, requests, messages }: Shown): object {
  return { ...payment, requests, webhooks: messages.map(({ body: _body, ...one }) => one) };
}

function textOf(at: Instant | null): string {
  return at === null ? '-' : utcText(at);
}
