import type { Brand } from '../kit/cards/decline-codes.ts';
import { transactionLinkOf } from '../kit/cards/transaction-link.ts';
import type { Refund, Sale } from '../kit/sales/sale.ts';
import type { Answer } from '../kit/sales/server.ts';
import { codeOfMeaning, messageOf } from './codes.ts';

/** What an answer depends on beside the sale. */
export type Asked = {
  /** `Transaction-Response: brand-return-opened` opens what the brand said. */
  readonly isOpened: boolean;
  /** Where transactions are, as the asker reached them. */
  readonly base: string;
};

const BRAND_NAMES: Readonly<Record<Brand, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'Amex',
  elo: 'Elo',
  hipercard: 'Hipercard',
};
const LONGEST_CANCEL = 15;
const REFUND_STATUSES = { pending: 'Processing', done: 'Done', failed: 'Denied' } as const;

export const UNAUTHORIZED: Answer = {
  status: 401,
  body: { error: 'invalid_token', error_description: 'The access token is invalid or has expired.' },
};
export const INVALID_CLIENT: Answer = { status: 401, body: { error: 'invalid_client' } };
export const NO_SUCH_GRANT: Answer = { status: 400, body: { error: 'unsupported_grant_type' } };

export function tokenAnswer(token: string, seconds: number): Answer {
  const body = { access_token: token, token_type: 'Bearer', expires_in: seconds, scope: 'transactions' };
  return { status: 200, body };
}

/** What Rede says without doing anything. */
export function refused(status: number, returnCode: string): Answer {
  return { status, body: { returnCode, returnMessage: messageOf(returnCode) } };
}

/** What was decided of a sale, or of a check of its card. A decline comes with the status of an error. */
export function saleAnswer(sale: Sale, asked: Asked): Answer {
  const { reference, amount, installments, card, decision } = sale;
  const code = returnCodeOf(sale);
  const body = {
    ...{ reference, ...orderOf(sale), ...namesOf(sale), dateTime: timeOf(sale.at), amount },
    ...(installments > 1 ? { installments } : {}),
    ...{ cardBin: card.firstSix, last4: card.lastFour },
    ...brandFields(sale, asked),
    ...{ returnCode: code, returnMessage: messageOf(code) },
    links: linksOf(sale, asked, ['transaction', sale.isCaptured ? 'refund' : 'capture']),
  };
  return { status: decision.outcome === 'approved' ? 200 : 400, body };
}

/** Of a sale that wants the holder's authentication first: nothing is booked. */
export function authenticationAnswer(
  { reference, amount }: Pick<Sale, 'reference' | 'amount'>,
  { base }: Asked,
  now: number,
): Answer {
  const asked = {
    reference,
    dateTime: timeOf(now),
    amount,
    returnCode: '220',
    returnMessage: messageOf('220'),
  };
  const threeDSecure = { embedded: true, url: `${base}/authentication/${reference}` };
  return { status: 200, body: { ...asked, threeDSecure } };
}

export function captureAnswer(sale: Sale, asked: Asked): Answer {
  const body = {
    ...{ reference: sale.reference, ...orderOf(sale), ...namesOf(sale) },
    dateTime: timeOf(sale.capturedAt ?? sale.at),
    ...brandFields(sale, asked),
    ...{ returnCode: '00', returnMessage: messageOf('00') },
    links: linksOf(sale, asked, ['transaction', 'refund']),
  };
  return { status: 200, body };
}

/** What is known of a transaction now. */
export function transactionAnswer(sale: Sale, asked: Asked, now: number): Answer {
  const { reference, amount, installments, card, notes, merchantId } = sale;
  const code = returnCodeOf(sale);
  const authorization = {
    ...{ dateTime: timeOf(sale.at), returnCode: code, returnMessage: messageOf(code) },
    ...{ affiliation: Number(merchantId.replaceAll(/\D/g, '').slice(-9)), status: statusOf(sale) },
    ...{ reference, ...orderOf(sale), ...namesOf(sale), amount },
    kind: notes.kind === 'debit' ? 'Debit' : 'Credit',
    ...{ installments: installments === 1 ? 0 : installments, cardHolderName: card.holder },
    ...{ cardBin: card.firstSix, last4: card.lastFour, softDescriptor: notes.softDescriptor ?? '' },
    ...{ origin: Number(notes.origin ?? 1), subscription: notes.subscription === 'true' },
    ...brandFields(sale, asked),
  };
  const body = {
    ...{ requestDateTime: timeOf(now), authorization },
    ...(asked.isOpened ? { brand: brandOf(sale) } : {}),
    ...(notes.eci === undefined ? {} : { threeDSecure: { embedded: false, eci: notes.eci } }),
    ...(sale.capturedAt === null
      ? {}
      : {
          capture: {
            ...{ dateTime: timeOf(sale.capturedAt), nsu: String(sale.nsu), amount: sale.capturedAmount },
          },
        }),
    ...(sale.refunds.length === 0 ? {} : { refunds: sale.refunds.map(foundRefund) }),
    links: linksOf(sale, asked, ['refunds', sale.isCaptured ? 'refund' : 'capture']),
  };
  return { status: 200, body };
}

export function refundAnswer(sale: Sale, refund: Refund, asked: Asked): Answer {
  const code = refund.status === 'pending' ? '360' : '359';
  const { refundId } = refund;
  const body = {
    ...{ refundId, ...namesOf(sale), refundDateTime: timeOf(refund.at), ...cancelOf(refund) },
    ...{ returnCode: code, returnMessage: messageOf(code) },
    links: linksOf(sale, asked, ['transaction', 'refunds']),
  };
  return { status: 200, body };
}

export function refundsAnswer(sale: Sale, asked: Asked, now: number): Answer {
  const refunds = sale.refunds.map(refundItem);
  const body = { requestDateTime: timeOf(now), refunds, links: linksOf(sale, asked, ['transaction']) };
  return { status: 200, body };
}

export function oneRefundAnswer(sale: Sale, refund: Refund, asked: Asked, now: number): Answer {
  const body = {
    requestDateTime: timeOf(now),
    tid: sale.id,
    ...refundItem(refund),
    statusHistory: historyOf(refund),
    ...{ returnCode: '00', returnMessage: messageOf('00') },
  };
  return { status: 200, body: { ...body, links: linksOf(sale, asked, ['transaction', 'refunds']) } };
}

function refundItem(refund: Refund) {
  const { refundId, status, amount, at } = refund;
  const item = { refundId, status: REFUND_STATUSES[status], amount, refundDateTime: timeOf(at) };
  return { ...item, ...cancelOf(refund) };
}

/** Look-ups of a transaction name the time otherwise; the public clients read both names. */
function foundRefund(refund: Refund) {
  return { ...refundItem(refund), dateTime: timeOf(refund.at) };
}

/** Only what is not done at once has a number of its own. */
function cancelOf({ refundId, at, decidesAt }: Refund): object {
  return decidesAt > at ? { cancelId: refundId.slice(-LONGEST_CANCEL) } : {};
}

/** The newest first. */
function historyOf({ status, at, decidesAt }: Refund): object[] {
  const asked = { status: REFUND_STATUSES.pending, dateTime: timeOf(at) };
  const decided = { status: REFUND_STATUSES[status], dateTime: timeOf(decidesAt) };
  return status === 'pending' ? [asked] : [decided, asked];
}

function orderOf({ notes }: Sale): object {
  return notes.orderId === undefined ? {} : { orderId: notes.orderId };
}

function namesOf({ id, nsu }: Sale) {
  return { tid: id, nsu: String(nsu) };
}

function returnCodeOf({ decision, amount }: Sale): string {
  if (amount === 0) return decision.outcome === 'approved' ? '174' : '175';
  return decision.outcome === 'approved' ? '00' : codeOfMeaning(decision.meaning);
}

/** `Pending` is held, and waits for its capture. */
function statusOf({ state }: Sale): string {
  switch (state) {
    case 'declined':
      return 'Denied';
    case 'voided':
    case 'refunded':
    case 'lapsed':
      return 'Canceled';
    case 'authorized':
    case 'doubtful':
      return 'Pending';
    case 'captured':
    case 'checked':
      return 'Approved';
  }
}

/** Opened, what the brand said stands apart, and there alone. */
function brandFields(sale: Sale, { isOpened }: Asked): object {
  const { decision } = sale;
  if (isOpened) return { brand: brandOf(sale) };
  if (decision.outcome !== 'approved') return {};
  return { authorizationCode: decision.authorizationCode, ...networkNames(sale) };
}

/** Of an approval. The link is Mastercard's. */
function networkNames({ card, decision }: Sale): object {
  if (decision.outcome !== 'approved') return {};
  const { networkTransactionId: brandTid } = decision;
  const transactionLinkId = transactionLinkOf(card.brand, brandTid);
  return { brandTid, ...(transactionLinkId === null ? {} : { transactionLinkId }) };
}

function brandOf(sale: Sale): object {
  const { card, decision } = sale;
  const name = BRAND_NAMES[card.brand];
  if (decision.outcome === 'approved') {
    const { authorizationCode } = decision;
    return { name, returnCode: '00', returnMessage: 'Success.', ...networkNames(sale), authorizationCode };
  }
  const { responseCode: returnCode, adviceCode } = decision;
  const advice = adviceCode === null ? {} : { merchantAdviceCode: adviceCode };
  return { name, returnCode, returnMessage: `Unauthorized (${returnCode}).`, ...advice };
}

const LINKS = {
  transaction: ['GET', ''],
  capture: ['PUT', ''],
  refund: ['POST', '/refunds'],
  refunds: ['GET', '/refunds'],
} as const;

function linksOf({ id }: Sale, { base }: Asked, names: readonly (keyof typeof LINKS)[]): object[] {
  return names.map((rel) => {
    const [method, path] = LINKS[rel];
    return { method, rel, href: `${base}/${id}${path}` };
  });
}

/** `2025-06-02T13:15:39.000-03:00`: São Paulo is three hours behind UTC, all the year. */
function timeOf(at: number): string {
  return `${new Date(at - 3 * 3_600_000).toISOString().slice(0, -1)}-03:00`;
}
