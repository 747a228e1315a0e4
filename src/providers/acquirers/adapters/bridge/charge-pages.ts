import type { ChannelAnswer } from '../../../../platform/channels/ask-once.ts';
import { isAmount, isMerchantId, isText } from '../../../../platform/channels/change-page.ts';
import { CARD_BRANDS } from '../../../../values/card-number.ts';
import { type Cents, MOST_INSTALLMENTS } from '../../../../values/cents.ts';
import { type Instant, instant } from '../../../../values/instant.ts';
import type { ChargesAnswer, NotSent, Unknown } from '../../acquirer.ts';
import { unknown } from '../../direct-acquirer.ts';
import {
  type ChargesRequest,
  LISTED_STATES,
  type ListedCancellation,
  type ListedCapture,
  type ListedCharge,
} from '../../listed-charge.ts';
import { readNetworkReference } from '../../network-reference.ts';
import { fieldsOf } from './bridge-answers.ts';

type Fields = Record<string, unknown>;

const REFERENCE = /^[\w.:-]{1,64}$/;
const CODE = /^[\x21-\x7e]{1,40}$/;
const TID = /^[\x20-\x7e]{1,32}$/;
const INSTANT_WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const LONGEST_MERCHANT_REFERENCE = 255;

/** One unreadable item makes the page unknown: nobody would look at a skipped charge. Names the field. */
export function readCharges(answer: ChannelAnswer | Unknown | NotSent, asked: ChargesRequest): ChargesAnswer {
  if (answer.kind !== 'answer') return unknown(answer.reason);
  const body = fieldsOf(answer.body);
  if (answer.status === 404 && body?.error === 'unknownPath') return { kind: 'notOffered' };
  if (answer.status !== 200 || body === null) return unknown(`the acquirer answered ${answer.status}`);
  const { items, next, hasMore } = body;
  const cursor = Number.isSafeInteger(next) && (next as number) >= 0 ? String(next) : next;
  if (!isText(cursor, REFERENCE) || typeof hasMore !== 'boolean') return unknown('the page had no end');
  if (!Array.isArray(items) || items.length > asked.limit) return unknown('the page was no list of charges');
  // The same page would be requested again and again.
  if (hasMore && cursor === asked.cursor) return unknown('the page did not move on');
  const charges: ListedCharge[] = [];
  for (const item of items) {
    const read = readListed(fieldsOf(item) ?? {});
    if (typeof read === 'string') return unknown(`a charge of the list has no ${read} that can be`);
    // In a cell, another cell's charge would look like a lost one of ours.
    if (asked.merchantId !== null && read.merchantId !== asked.merchantId)
      return unknown('the list of a merchant has a charge of another');
    charges.push(read);
  }
  return { kind: 'charges', charges, cursor, hasMore };
}

/** Returns the charge, or the name of the faulty field. */
function readListed(fields: Fields): ListedCharge | string {
  const { merchantId, reference, merchantReference = null } = fields;
  if (!isMerchantId(merchantId)) return 'merchantId';
  if (!isText(reference, REFERENCE)) return 'reference';
  if (merchantReference !== null && !isMerchantReference(merchantReference)) return 'merchantReference';
  const state = LISTED_STATES.find((known) => known === wordOfState(fields.status));
  if (state === undefined) return 'status';
  const money = readMoney(fields);
  if (typeof money === 'string') return money;
  const card = readCard(fields);
  if (typeof card === 'string') return card;
  const moments = readMoments(fields, ['soldAt', 'authorizedAt', 'changedAt'] as const);
  if (typeof moments === 'string') return moments;
  const codes = readCodes(fields, state);
  if (typeof codes === 'string') return codes;
  const cancellations = readList(fields.cancellations, readCancellation);
  if (cancellations === null) return 'cancellations';
  const captures = readList(fields.captures, readCapture);
  // A captured charge without a capture of ours would be recorded as still waiting for its capture.
  const isCaptured = fields.captureLater === true && (state === 'approved' || state === 'canceled');
  if (captures === null || (isCaptured && captures.length === 0)) return 'captures';
  const isSeries = Number.isInteger(fields.installments) && Number(fields.installments) >= 1;
  if (!isSeries || Number(fields.installments) > MOST_INSTALLMENTS) return 'installments';
  return {
    ...{ merchantId, reference, merchantReference, state },
    ...money,
    installments: fields.installments as number,
    isCapturedLater: fields.captureLater === true,
    initiator: fields.initiator === 'merchant' ? 'merchant' : 'cardholder',
    ...card,
    ...moments,
    ...codes,
    cancellations,
    captures,
  };
}

/** The protocol's "undone" is our "voided". */
function wordOfState(status: unknown): unknown {
  return status === 'undone' ? 'voided' : status;
}

function isMerchantReference(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_MERCHANT_REFERENCE;
}

type Money = Pick<ListedCharge, 'amount' | 'authorizedAmount' | 'canceledAmount'>;

function readMoney({ amount, authorizedAmount = amount, canceledAmount = 0 }: Fields): Money | string {
  if (!isAmount(amount, 1)) return 'amount';
  if (!isAmount(authorizedAmount, 1)) return 'authorizedAmount';
  if (!isAmount(canceledAmount, 0)) return 'canceledAmount';
  return {
    amount: amount as Cents,
    authorizedAmount: authorizedAmount as Cents,
    canceledAmount: canceledAmount as Cents,
  };
}

function readCard({ brand, firstSix, lastFour }: Fields) {
  const known = CARD_BRANDS.find((one) => one === brand);
  if (known === undefined) return 'brand';
  if (!isText(firstSix, /^\d{6}$/)) return 'firstSix';
  if (!isText(lastFour, /^\d{4}$/)) return 'lastFour';
  return { brand: known, firstSix, lastFour };
}

function readMoments<Name extends string>(
  fields: Fields,
  names: readonly Name[],
): Readonly<Record<Name, Instant>> | string {
  const read = names.map((name) => [name, readMoment(fields[name])] as const);
  const faulty = read.find(([, moment]) => moment === null);
  return faulty === undefined ? (Object.fromEntries(read) as Record<Name, Instant>) : faulty[0];
}

function readMoment(value: unknown): Instant | null {
  if (!isText(value, INSTANT_WITH_ZONE)) return null;
  const milliseconds = Date.parse(value);
  return milliseconds > 0 ? instant(milliseconds) : null;
}

type Codes = Pick<ListedCharge, 'authorizationCode' | 'nsu' | 'networkReference' | 'tid'>;

function readCodes(fields: Fields, state: ListedCharge['state']): Codes | string {
  const { authorizationCode = null, nsu = null, networkTransactionId, transactionLinkId, tid } = fields;
  const isLive = state === 'approved' || state === 'preauthorized' || state === 'canceled';
  if (isLive && !isText(authorizationCode, CODE)) return 'authorizationCode';
  if (isLive && !isText(nsu, CODE)) return 'nsu';
  return {
    authorizationCode: isText(authorizationCode, CODE) ? authorizationCode : null,
    nsu: isText(nsu, CODE) ? nsu : null,
    networkReference: readNetworkReference(networkTransactionId, transactionLinkId),
    tid: isText(tid, TID) && tid.trim() !== '' ? tid : null,
  };
}

function readList<T>(value: unknown, read: (fields: Fields) => T | null): readonly T[] | null {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return null;
  const items = value.map((item) => read(fieldsOf(item) ?? {}));
  return items.includes(null) ? null : (items as T[]);
}

const OUTCOMES = ['canceled', 'pending', 'refused'] as const;

function readCancellation(fields: Fields): ListedCancellation | null {
  const { cancellationReference, amount } = fields;
  const outcome = OUTCOMES.find((known) => known === fields.outcome);
  const requestedAt = readMoment(fields.requestedAt);
  const isRead = isText(cancellationReference, REFERENCE) && isAmount(amount, 1);
  if (!isRead || outcome === undefined || requestedAt === null) return null;
  return { cancellationReference, amount: amount as Cents, outcome, requestedAt };
}

function readCapture(fields: Fields): ListedCapture | null {
  const { captureReference, amount } = fields;
  const capturedAt = readMoment(fields.capturedAt);
  if (!isText(captureReference, REFERENCE) || !isAmount(amount, 1) || capturedAt === null) return null;
  return { captureReference, amount: amount as Cents, capturedAt };
}
