import type { ChannelAnswer } from '../../../platform/channels/ask-once.ts';
import { printItem } from '../../../platform/channels/print-item.ts';
import { type Cents, MOST_INSTALLMENTS } from '../../../values/cents.ts';
import { isUuid } from '../../../values/ids.ts';
import { type Day, type Instant, instant, isDay } from '../../../values/instant.ts';
import type {
  AcquirerChange,
  ChangeEvent,
  ChangesAnswer,
  ChangesRequest,
  DecidedCancel,
  NotSent,
  Unknown,
  UnreadableChange,
} from '../../acquirer.ts';

/** The protocol's word for each event. */
const EVENTS: Readonly<Record<string, ChangeEvent>> = {
  settled: 'settle',
  blocked: 'block',
  unblocked: 'unblock',
  chargeback: 'chargeback',
};

/** The fields of a change that have a name in the protocol. */
const FIELDS = [
  'changeId',
  'merchantId',
  'reference',
  'installmentNumber',
  'type',
  'amount',
  'at',
  'fee',
  'net',
  'bankOn',
];

const CHANGE_ID = /^[\w.:-]{1,64}$/;
const REFERENCE = /^[\w.:-]{1,64}$/;
const MERCHANT_ID = /^[^\p{Cc}]{1,64}$/u;
const INSTANT_WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const LARGEST_AMOUNT = 9_999_999_999;
/** By how much a bridge's clock may be ahead of ours. */
const MOST_AHEAD_MILLISECONDS = 86_400_000;

/**
 * An unreadable page is unknown, and requested again. An unreadable item is handed on as such: to
 * request it again would stop the changes of all merchants, for the acquirer sends the same.
 */
export function readChanges(answer: ChannelAnswer | Unknown | NotSent, asked: ChangesRequest): ChangesAnswer {
  if (answer.kind !== 'answer') return unknown(answer.reason);
  const body = answer.body as Record<string, unknown> | null;
  if (answer.status === 404 && body?.error === 'unknownPath') return { kind: 'notOffered' };
  if (answer.status !== 200 || typeof body !== 'object' || body === null)
    return unknown(`the acquirer answered ${answer.status}`);
  const { items, next, hasMore } = body;
  const cursor = Number.isSafeInteger(next) && (next as number) >= 0 ? String(next) : next;
  if (!isText(cursor, CHANGE_ID) || typeof hasMore !== 'boolean') return unknown('the page had no end');
  if (!Array.isArray(items) || items.length > asked.limit) return unknown('the page was no list of changes');
  // It would be requested again and again at once.
  if (hasMore && cursor === asked.cursor) return unknown('the page did not move on');
  const changes: AcquirerChange[] = [];
  const unreadable: UnreadableChange[] = [];
  const decidedCancels: DecidedCancel[] = [];
  for (const item of items) {
    if (isCancellation(item)) {
      const decided = readDecidedCancel(item, asked);
      if (decided !== null) decidedCancels.push(decided);
      continue;
    }
    const change = readChange(item, asked);
    if (typeof change !== 'string') changes.push(change);
    else unreadable.push({ reason: `it has no ${change}`, item: printItem(item, FIELDS) });
  }
  return { kind: 'changes', changes, unreadable, decidedCancels, cursor, hasMore };
}

type Fields = Readonly<Record<string, unknown>>;

/** The end of a cancellation, which is our own doing, and on record unless it was accepted only. */
function isCancellation(item: unknown): item is Fields {
  const type = typeof item === 'object' && item !== null ? (item as Fields).type : null;
  return type === 'canceled' || type === 'cancellationFailed';
}

/** Null: it names none that could be of ours. */
function readDecidedCancel(
  { merchantId, cancellationReference }: Fields,
  asked: ChangesRequest,
): DecidedCancel | null {
  if (!isText(merchantId, MERCHANT_ID) || typeof cancellationReference !== 'string') return null;
  if (asked.merchantId !== null && merchantId !== asked.merchantId) return null;
  return isUuid(cancellationReference) ? { merchantId, cancelId: cancellationReference.toLowerCase() } : null;
}

/** The change, or the name of the faulty field. */
function readChange(item: unknown, asked: ChangesRequest): AcquirerChange | string {
  const fields = (typeof item === 'object' && item !== null ? item : {}) as Record<string, unknown>;
  const { changeId, merchantId, reference, installmentNumber, type } = fields;
  if (!isText(changeId, CHANGE_ID)) return 'changeId';
  if (!isText(merchantId, MERCHANT_ID)) return 'merchantId';
  if (asked.merchantId !== null && merchantId !== asked.merchantId) return 'merchantId that was asked for';
  if (!isText(reference, REFERENCE)) return 'reference';
  if (!isInstallmentNumber(installmentNumber)) return 'installmentNumber';
  const event = typeof type === 'string' && Object.hasOwn(EVENTS, type) ? EVENTS[type] : undefined;
  if (event === undefined) return 'type that is known';
  const amount = event === 'chargeback' ? (fields.amount ?? null) : null;
  if (amount !== null && !isAmount(amount)) return 'amount that can be';
  const happenedAt = readInstant(fields.at, asked.until);
  if (happenedAt === null) return 'at that can be';
  const paid = event === 'settle' ? readPayout(fields) : NO_PAYOUT;
  if (typeof paid === 'string') return `${paid} that can be`;
  const cents = amount as Cents | null;
  return { changeId, merchantId, reference, installmentNumber, event, amount: cents, happenedAt, ...paid };
}

type Payout = Pick<AcquirerChange, 'fee' | 'net' | 'bankOn'>;

const NO_PAYOUT: Payout = { fee: null, net: null, bankOn: null };

/** What a settlement reports of the money, each as far as it does; or the name of the faulty field. */
function readPayout(fields: Fields): Payout | string {
  const { fee = null, net = null, bankOn = null } = fields;
  if (fee !== null && !isAmount(fee, 0)) return 'fee';
  if (net !== null && !isAmount(net, 0)) return 'net';
  if (bankOn !== null && (typeof bankOn !== 'string' || !isDay(bankOn))) return 'bankOn';
  return { fee: fee as Cents | null, net: net as Cents | null, bankOn: bankOn as Day | null };
}

function isAmount(value: unknown, least = 1): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= LARGEST_AMOUNT;
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

function isInstallmentNumber(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_INSTALLMENTS;
}

/** An instant of a clock ahead of ours counts as now: to refuse the change would lose it. */
function readInstant(value: unknown, until: Instant): Instant | null {
  if (!isText(value, INSTANT_WITH_ZONE)) return null;
  const milliseconds = Date.parse(value);
  // No charge of ours is older than 1970.
  const isPossible = milliseconds > 0 && milliseconds <= until + MOST_AHEAD_MILLISECONDS;
  return isPossible ? instant(Math.min(milliseconds, until)) : null;
}

function unknown(reason: string): Unknown {
  return { kind: 'unknown', reason };
}
