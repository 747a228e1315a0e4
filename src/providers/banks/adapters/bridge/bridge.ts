import type { Fields } from '../../../../platform/channels/answer-fields.ts';
import type { Asked, Question } from '../../../../platform/channels/ask-once.ts';
import { isAmount, isText, readChangePage, readHead } from '../../../../platform/channels/change-page.ts';
import type { Channel } from '../../../../platform/channels/open-channel.ts';
import type { Cents } from '../../../../values/cents.ts';
import { type Day, type Instant, isDay, saoPauloDay, utcText } from '../../../../values/instant.ts';
import {
  BANK_EVENTS,
  type Bank,
  type BankChange,
  type BankChangesAnswer,
  type BankChangesRequest,
  type BoletoCancelAnswer,
  type BoletoRequest,
  cursorOf,
  type DueDayAnswer,
  type DueDayRequest,
  type FoundBoleto,
  type IssueAnswer,
  ownCursor,
} from '../../bank.ts';
import { otherStatus, readCancel, readDueDay, readFound, readIssue, unknown } from './bank-answers.ts';
import { BankConnections, type BankOptions, type Identified } from './bank-connections.ts';

/** A running program accepts a connection within milliseconds. */
export const BANK_CONNECT_MILLISECONDS = 2_000;
/** Up to 500 changes of a kilobyte each. */
const LARGEST_CHANGES_BYTES = 512 * 1024;

export type BridgeBank = Bank & {
  readonly identify: (timeoutMilliseconds: number) => Promise<Identified>;
};

/** docs/bank-protocol.md: JSON over HTTP to a program beside us that speaks to the bank. */
export function bridgeBank(url: string, channel: Channel, options: BankOptions): BridgeBank {
  const connections = new BankConnections(url, channel, options);
  const { asking, observed } = connections;

  async function issue(request: BoletoRequest, timeout: number): Promise<IssueAnswer> {
    const wanted = { merchantId: request.merchantId, kind: 'boletos' };
    const question = asking('POST', '/boletos', request);
    const { answer, bankCode } = await connections.register(wanted, question, timeout);
    return readIssue(answer, request, bankCode);
  }

  async function cancel(
    merchantId: string,
    ourNumber: string,
    requestedAt: Instant,
    timeout: number,
  ): Promise<BoletoCancelAnswer> {
    const body = { merchantId, requestedAt: utcText(requestedAt) };
    const path = `/boletos/${encodeURIComponent(ourNumber)}/cancel`;
    const question = { ...asking('POST', path, body), template: '/boletos/{ourNumber}/cancel' };
    const { answer } = await connections.register({ merchantId, kind: 'cancels' }, question, timeout);
    return readCancel(answer, ourNumber);
  }

  async function changeDueDay(request: DueDayRequest, timeout: number): Promise<DueDayAnswer> {
    const { merchantId, ourNumber, amount, before, wanted, requestedAt } = request;
    const days = { dueOnBefore: before.dueOn, ...wanted };
    const body = { merchantId, requestedAt: utcText(requestedAt), ...days };
    const path = `/boletos/${encodeURIComponent(ourNumber)}/due-day`;
    const question = { ...asking('POST', path, body), template: '/boletos/{ourNumber}/due-day' };
    const lane = { merchantId, kind: 'cancels' };
    const { answer, bankCode } = await connections.register(lane, question, timeout);
    return readDueDay(answer, { ourNumber, amount, dueOn: wanted.dueOn }, bankCode);
  }

  async function find(request: Parameters<Bank['find']>[0], timeout: number): Promise<FoundBoleto> {
    const { merchantId, ourNumber } = request;
    const path = `/boletos/${encodeURIComponent(ourNumber)}?merchantId=${encodeURIComponent(merchantId)}`;
    const question = () => ({ ...asking('GET', path), template: '/boletos/{ourNumber}' });
    const { answer, bankCode } = await connections.lookUp({ merchantId }, question, timeout);
    return readFound(answer, request, bankCode);
  }

  async function changesSince(request: BankChangesRequest, timeout: number): Promise<BankChangesAnswer> {
    const query = new URLSearchParams({ until: utcText(request.until), limit: String(request.limit) });
    if (request.merchantId !== null) query.set('merchantId', request.merchantId);
    const questionTo = (code: string): Question => {
      const cursor = ownCursor(code, request.cursor);
      if (cursor !== null) query.set('cursor', cursor);
      return asking('GET', `/changes?${query}`);
    };
    const wanted = connections.wantedBy(request.merchantId);
    const asked = await connections.lookUp(wanted, questionTo, timeout, LARGEST_CHANGES_BYTES);
    return readBankChanges(asked.answer, request, asked.bankCode);
  }

  return {
    name: 'bridge',
    get bankCode() {
      return connections.bankCode;
    },
    identify: (timeout) => connections.identify(null, timeout),
    async learnCode(timeout) {
      await connections.identify(null, timeout);
      return connections.bankCode;
    },
    issue: (request, timeout) => observed('issue', issue(request, timeout)),
    cancel: (...asked) => observed('cancel', cancel(...asked)),
    changeDueDay: (...asked) => observed('dueDay', changeDueDay(...asked)),
    find: (request, timeout) => observed('find', find(request, timeout)),
    changesSince: (request, timeout) => observed('changes', changesSince(request, timeout)),
    close: () => connections.close(),
  };
}

/** The protocol's names of a change's fields. */
const FIELDS = [
  'changeId',
  'merchantId',
  'ourNumber',
  'event',
  'amount',
  'paidOn',
  'creditedOn',
  'fee',
  'at',
];

const OUR_NUMBER = /^\d{11}$/;

/** An unreadable page is unknown and is requested again. */
export function readBankChanges(
  answer: Asked,
  asked: BankChangesRequest,
  bankCode: string,
): BankChangesAnswer {
  if (answer.kind !== 'answer')
    return unknown(answer.reason, answer.kind === 'notSent' ? 'notAsked' : 'silent');
  const body = answer.body as Fields | null;
  if (answer.status !== 200 || typeof body !== 'object' || body === null) return otherStatus(answer.status);
  const own = { ...asked, cursor: ownCursor(bankCode, asked.cursor) };
  const page = readChangePage(body, own, readChange, FIELDS);
  return typeof page === 'string' ? unknown(page) : { ...page, cursor: cursorOf(bankCode, page.cursor) };
}

/** Returns the change, or the name of the faulty field. */
function readChange(fields: Fields, asked: BankChangesRequest): BankChange | string {
  const head = readHead(fields, asked);
  if (typeof head === 'string') return head;
  const { ourNumber } = fields;
  if (!isText(ourNumber, OUR_NUMBER)) return 'ourNumber';
  const event = BANK_EVENTS.find((known) => known === fields.event);
  if (event === undefined) return 'event that is known';
  const paid = event === 'paid' ? readPayment(fields) : NO_PAYMENT;
  if (typeof paid === 'string') return `${paid} that can be`;
  // A bank that does not name the day of a payment reports the payment on that day or the next.
  const paidOn = event === 'paid' ? (paid.paidOn ?? saoPauloDay(head.happenedAt)) : null;
  return { ...head, ourNumber, event, ...paid, paidOn };
}

type Payment = Pick<BankChange, 'amount' | 'paidOn' | 'creditedOn' | 'fee'>;

const NO_PAYMENT: Payment = { amount: null, paidOn: null, creditedOn: null, fee: null };

/** Returns the payment, or the name of the faulty field. */
function readPayment({ amount, paidOn = null, creditedOn = null, fee = null }: Fields): Payment | string {
  if (!isAmount(amount, 1)) return 'amount';
  if (paidOn !== null && (typeof paidOn !== 'string' || !isDay(paidOn))) return 'paidOn';
  if (creditedOn !== null && (typeof creditedOn !== 'string' || !isDay(creditedOn))) return 'creditedOn';
  if (fee !== null && !isAmount(fee, 0)) return 'fee';
  return {
    amount: amount as Cents,
    paidOn: paidOn as Day | null,
    creditedOn: creditedOn as Day | null,
    fee: fee as Cents | null,
  };
}
