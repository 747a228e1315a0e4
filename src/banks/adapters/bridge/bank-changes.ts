import type { Asked } from '../../../platform/channels/ask-once.ts';
import { printItem } from '../../../platform/channels/print-item.ts';
import type { Cents } from '../../../values/cents.ts';
import { type Day, type Instant, instant, isDay, saoPauloDay } from '../../../values/instant.ts';
import {
  BANK_EVENTS,
  type BankChange,
  type BankChangesAnswer,
  type BankChangesRequest,
  cursorOf,
  ownCursor,
} from '../../bank.ts';
import { otherStatus, unknown } from './bank-answers.ts';

type Fields = Readonly<Record<string, unknown>>;

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

const CHANGE_ID = /^[\w.:-]{1,64}$/;
const MERCHANT_ID = /^[^\p{Cc}]{1,64}$/u;
const OUR_NUMBER = /^\d{11}$/;
const INSTANT_WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const LARGEST_AMOUNT = 9_999_999_999;
/** By how much a bank's clock may be ahead of ours. */
const MOST_AHEAD_MILLISECONDS = 86_400_000;

/**
 * An unreadable page is unknown, and requested again. An unreadable item is handed on as such: to
 * request it again would stop the changes of all merchants, for the bank sends the same.
 */
export function readBankChanges(
  answer: Asked,
  asked: BankChangesRequest,
  bankCode: string,
): BankChangesAnswer {
  if (answer.kind !== 'answer')
    return unknown(answer.reason, answer.kind === 'notSent' ? 'notAsked' : 'silent');
  const body = answer.body as Fields | null;
  if (answer.status !== 200 || typeof body !== 'object' || body === null) return otherStatus(answer.status);
  const { items, next, hasMore } = body;
  if (!isText(next, CHANGE_ID) || typeof hasMore !== 'boolean') return unknown('the page had no end');
  if (!Array.isArray(items) || items.length > asked.limit) return unknown('the page was no list of changes');
  // It would be requested again and again at once.
  if (hasMore && next === ownCursor(bankCode, asked.cursor)) return unknown('the page did not move on');
  const changes: BankChange[] = [];
  const unreadable: { reason: string; item: string }[] = [];
  for (const item of items) {
    const change = readChange(item, asked);
    if (typeof change !== 'string') changes.push(change);
    else unreadable.push({ reason: `it has no ${change}`, item: printItem(item, FIELDS) });
  }
  // What promises more and brings nothing is not asked again at once, but after the usual pause.
  const cursor = cursorOf(bankCode, next);
  return { kind: 'changes', changes, unreadable, cursor, hasMore: hasMore && items.length > 0 };
}

/** The change, or the name of the faulty field. */
function readChange(item: unknown, asked: BankChangesRequest): BankChange | string {
  const fields = Object(item) as Fields;
  const { changeId, merchantId, ourNumber } = fields;
  if (!isText(changeId, CHANGE_ID)) return 'changeId';
  if (!isText(merchantId, MERCHANT_ID)) return 'merchantId';
  if (asked.merchantId !== null && merchantId !== asked.merchantId) return 'merchantId that was asked for';
  if (!isText(ourNumber, OUR_NUMBER)) return 'ourNumber';
  const event = BANK_EVENTS.find((known) => known === fields.event);
  if (event === undefined) return 'event that is known';
  const happenedAt = readInstant(fields.at, asked.until);
  if (happenedAt === null) return 'at that can be';
  const paid = event === 'paid' ? readPayment(fields) : NO_PAYMENT;
  if (typeof paid === 'string') return `${paid} that can be`;
  // A bank that does not report the day of a payment reports it on that day or the next.
  const paidOn = event === 'paid' ? (paid.paidOn ?? saoPauloDay(happenedAt)) : null;
  return { changeId, merchantId, ourNumber, event, happenedAt, ...paid, paidOn };
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

function isAmount(value: unknown, least: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= LARGEST_AMOUNT;
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

/** An instant of a clock ahead of ours counts as now: to refuse the change would lose it. */
function readInstant(value: unknown, until: Instant): Instant | null {
  if (!isText(value, INSTANT_WITH_ZONE)) return null;
  const milliseconds = Date.parse(value);
  const isPossible = milliseconds > 0 && milliseconds <= until + MOST_AHEAD_MILLISECONDS;
  return isPossible ? instant(Math.min(milliseconds, until)) : null;
}
