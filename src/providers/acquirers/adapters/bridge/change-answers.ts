import type { Fields } from '../../../../platform/channels/answer-fields.ts';
import type { ChannelAnswer } from '../../../../platform/channels/ask-once.ts';
import {
  isAmount,
  isMerchantId,
  isText,
  readChangePage,
  readHead,
} from '../../../../platform/channels/change-page.ts';
import { type Cents, MOST_INSTALLMENTS } from '../../../../values/cents.ts';
import { isUuid } from '../../../../values/ids.ts';
import { type Day, isDay } from '../../../../values/instant.ts';
import type {
  AcquirerChange,
  ChangeEvent,
  ChangesAnswer,
  ChangesRequest,
  DecidedCancel,
  NotSent,
  Unknown,
} from '../../acquirer.ts';
import { unknown } from '../../direct-acquirer.ts';

const EVENTS: Readonly<Record<string, ChangeEvent>> = {
  settled: 'settle',
  blocked: 'block',
  unblocked: 'unblock',
  chargeback: 'chargeback',
};

/** The protocol's names of a change's fields. */
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

const REFERENCE = /^[\w.:-]{1,64}$/;

/** An unreadable page is unknown and is requested again. */
export function readChanges(answer: ChannelAnswer | Unknown | NotSent, asked: ChangesRequest): ChangesAnswer {
  if (answer.kind !== 'answer') return unknown(answer.reason);
  const body = answer.body as Fields | null;
  if (answer.status === 404 && body?.error === 'unknownPath') return { kind: 'notOffered' };
  if (answer.status !== 200 || typeof body !== 'object' || body === null)
    return unknown(`the acquirer answered ${answer.status}`);
  const decidedCancels: DecidedCancel[] = [];
  const readItem = (item: Fields) => {
    if (!isCancellation(item)) return readChange(item, asked);
    decidedCancels.push(...readDecidedCancel(item, asked));
    return null;
  };
  const page = readChangePage(body, asked, readItem, FIELDS);
  if (typeof page === 'string') return unknown(page);
  return { ...page, hasNews: page.hasNews || decidedCancels.length > 0, decidedCancels };
}

/** We started the cancellation ourselves. It is on record already unless its result was pending. */
function isCancellation({ type }: Fields): boolean {
  return type === 'canceled' || type === 'cancellationFailed';
}

/** Empty if the cancellation cannot be one of ours. */
function readDecidedCancel(
  { merchantId, cancellationReference }: Fields,
  asked: ChangesRequest,
): DecidedCancel[] {
  if (!isMerchantId(merchantId) || typeof cancellationReference !== 'string') return [];
  if (asked.merchantId !== null && merchantId !== asked.merchantId) return [];
  return isUuid(cancellationReference) ? [{ merchantId, cancelId: cancellationReference.toLowerCase() }] : [];
}

/** Returns the change, or the name of the faulty field. */
function readChange(fields: Fields, asked: ChangesRequest): AcquirerChange | string {
  const head = readHead(fields, asked);
  if (typeof head === 'string') return head;
  const { reference, installmentNumber, type } = fields;
  if (!isText(reference, REFERENCE)) return 'reference';
  if (!isInstallmentNumber(installmentNumber)) return 'installmentNumber';
  const event = typeof type === 'string' && Object.hasOwn(EVENTS, type) ? EVENTS[type] : undefined;
  if (event === undefined) return 'type that is known';
  const amount = event === 'chargeback' ? (fields.amount ?? null) : null;
  if (amount !== null && !isAmount(amount, 1)) return 'amount that can be';
  const paid = event === 'settle' ? readPayout(fields) : NO_PAYOUT;
  if (typeof paid === 'string') return `${paid} that can be`;
  return { ...head, reference, installmentNumber, event, amount: amount as Cents | null, ...paid };
}

type Payout = Pick<AcquirerChange, 'fee' | 'net' | 'bankOn'>;

const NO_PAYOUT: Payout = { fee: null, net: null, bankOn: null };

/** Returns the amounts and the day that a settlement reports, or the name of the faulty field. */
function readPayout(fields: Fields): Payout | string {
  const { fee = null, net = null, bankOn = null } = fields;
  if (fee !== null && !isAmount(fee, 0)) return 'fee';
  if (net !== null && !isAmount(net, 0)) return 'net';
  if (bankOn !== null && (typeof bankOn !== 'string' || !isDay(bankOn))) return 'bankOn';
  return { fee: fee as Cents | null, net: net as Cents | null, bankOn: bankOn as Day | null };
}

function isInstallmentNumber(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_INSTALLMENTS;
}
