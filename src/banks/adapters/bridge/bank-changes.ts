import type { Asked } from '../../../platform/channels/ask-once.ts';
import {
  type Fields,
  isAmount,
  isText,
  readChangePage,
  readHead,
} from '../../../platform/channels/change-page.ts';
import type { Cents } from '../../../values/cents.ts';
import { type Day, isDay, saoPauloDay } from '../../../values/instant.ts';
import {
  BANK_EVENTS,
  type BankChange,
  type BankChangesAnswer,
  type BankChangesRequest,
  cursorOf,
  ownCursor,
} from '../../bank.ts';
import { otherStatus, unknown } from './bank-answers.ts';

/** The fields of a change that have a name in the protocol. */
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

/** An unreadable page is unknown, and requested again. */
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

/** The change, or the name of the faulty field. */
function readChange(fields: Fields, asked: BankChangesRequest): BankChange | string {
  const head = readHead(fields, asked);
  if (typeof head === 'string') return head;
  const { ourNumber } = fields;
  if (!isText(ourNumber, OUR_NUMBER)) return 'ourNumber';
  const event = BANK_EVENTS.find((known) => known === fields.event);
  if (event === undefined) return 'event that is known';
  const paid = event === 'paid' ? readPayment(fields) : NO_PAYMENT;
  if (typeof paid === 'string') return `${paid} that can be`;
  // A bank that does not report the day of a payment reports it on that day or the next.
  const paidOn = event === 'paid' ? (paid.paidOn ?? saoPauloDay(head.happenedAt)) : null;
  return { ...head, ourNumber, event, ...paid, paidOn };
}

type Payment = Pick<BankChange, 'amount' | 'paidOn' | 'creditedOn' | 'fee'>;

const NO_PAYMENT: Payment = { amount: null, paidOn: null, creditedOn: null, fee: null };

/** What was paid, and as far as the bank reports it when and for how much; or the faulty field. */
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
