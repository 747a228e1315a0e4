import type { Brand } from '../kit/cards/decline-codes.ts';
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
    ...{ reference, ...namesOf(sale), dateTime: timeOf(sale.at), amount },
    ...(installments > 1 ? { installments } : {}),
    ...{ cardBin: card.firstSix, last4: card.lastFour },
    ...brandFields(sale, asked),
    ...{ returnCode: code, returnMessage: messageOf(code) },
    links: linksOf(sale, asked, ['transaction', sale.isCaptured ? 'refund' : 'capture']),
  };
  return { status: decision.outcome === 'approved' ? 200 : 400, body };
}

/** Of a sale that wants the holder's authentication first: nothing is booked. */
export function authenticationAnswer(reference: string, amount: number, { base }: Asked): Answer {
  const url = `${base}/authentication/${reference}`;
  const body = {
    reference,
    dateTime: timeOf(Date.now()),
    amount,
    returnCode: '220',
    returnMessage: messageOf('220'),
  };
  return { status: 200, body: { ...body, threeDSecure: { embedded: true, url } } };
}

export function captureAnswer(sale: Sale, asked: Asked): Answer {
  const body = {
    ...{ reference: sale.reference, ...namesOf(sale), dateTime: timeOf(sale.capturedAt ?? sale.at) },
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
    ...{ reference, ...namesOf(sale), kind: 'Credit', amount },
    ...{ installments: installments === 1 ? 0 : installments, cardHolderName: card.holder },
    ...{ cardBin: card.firstSix, last4: card.lastFour, softDescriptor: notes.softDescriptor ?? '' },
    ...{ origin: Number(notes.origin ?? 1), subscription: notes.subscription === 'true' },
    ...brandFields(sale, asked),
  };
  const body = {
    ...{ requestDateTime: timeOf(now), authorization },
    ...(sale.capturedAt === null
      ? {}
      : {
          capture: {
            ...{ dateTime: timeOf(sale.capturedAt), nsu: String(sale.nsu), amount: sale.capturedAmount },
          },
        }),
    ...(sale.refunds.length === 0 ? {} : { refunds: sale.refunds.map(refundItem) }),
    links: linksOf(sale, asked, ['refunds', sale.isCaptured ? 'refund' : 'capture']),
  };
  return { status: 200, body };
}

export function refundAnswer(sale: Sale, refund: Refund, asked: Asked): Answer {
  const code = refund.status === 'pending' ? '360' : '359';
  const { refundId } = refund;
  const body = {
    ...{ refundId, ...namesOf(sale), refundDateTime: timeOf(refund.at), cancelId: refundId },
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
    cancelId: refund.refundId,
  };
  return { status: 200, body: { ...body, links: linksOf(sale, asked, ['transaction', 'refunds']) } };
}

function refundItem({ refundId, status, amount, at }: Refund) {
  return { refundId, status: REFUND_STATUSES[status], amount, refundDateTime: timeOf(at) };
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

/** Opened, what the brand said stands apart, and nowhere else. */
function brandFields({ card, decision }: Sale, { isOpened }: Asked): object {
  const isApproved = decision.outcome === 'approved';
  const approval = isApproved
    ? { brandTid: decision.networkTransactionId, authorizationCode: decision.authorizationCode }
    : {};
  if (!isOpened) return approval;
  const code = isApproved ? '00' : decision.responseCode;
  const advice =
    isApproved || decision.adviceCode === null ? {} : { merchantAdviceCode: decision.adviceCode };
  const returnMessage = isApproved ? 'Success.' : `Unauthorized (${code}).`;
  return {
    brand: { name: BRAND_NAMES[card.brand], returnCode: code, returnMessage, ...advice, ...approval },
  };
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

/** `2025-06-02T13:15:39-03:00`: São Paulo is three hours behind UTC, all the year. */
function timeOf(at: number): string {
  return `${new Date(at - 3 * 3_600_000).toISOString().slice(0, 19)}-03:00`;
}
