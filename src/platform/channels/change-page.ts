import { isCardNumber } from '../../values/card-number.ts';
import { type Instant, instant } from '../../values/instant.ts';
import type { FeedPage, FeedRequest, UnreadableItem } from '../feeds/feed.ts';
import type { Fields } from './answer-fields.ts';

export type ItemHead = {
  readonly changeId: string;
  readonly merchantId: string;
  readonly happenedAt: Instant;
};

const CHANGE_ID = /^[\w.:-]{1,64}$/;
const MERCHANT_ID = /^[^\p{Cc}]{1,64}$/u;
const INSTANT_WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const LARGEST_AMOUNT = 9_999_999_999;
/** How far the clock of a bridge may be ahead of this side. */
const MOST_AHEAD_MILLISECONDS = 86_400_000;

/**
 * Gives a string that says why the page is malformed; the page is then requested again. An item that cannot
 * be read does not make it so: it would come again and stop the changes of all merchants. It is kept as
 * `unreadable`. `readItem` gives a change, null for an item that is none, or the fault. `names` are the
 * fields of the protocol.
 */
export function readChangePage<Change>(
  body: Fields,
  asked: FeedRequest,
  readItem: (fields: Fields, asked: FeedRequest) => Change | null | string,
  names: readonly string[],
): FeedPage<Change> | string {
  const { items, next, hasMore } = body;
  const cursor = Number.isSafeInteger(next) && (next as number) >= 0 ? String(next) : next;
  if (!isText(cursor, CHANGE_ID) || typeof hasMore !== 'boolean') return 'the page had no end';
  if (!Array.isArray(items) || items.length > asked.limit) return 'the page was no list of changes';
  // Otherwise the same page would be requested again at once.
  if (hasMore && cursor === asked.cursor) return 'the page did not move on';
  const changes: Change[] = [];
  const unreadable: UnreadableItem[] = [];
  for (const item of items) {
    const read = readItem(Object(item) as Fields, asked);
    if (typeof read === 'string')
      unreadable.push({ reason: `it has no ${read}`, item: printItem(item, names) });
    else if (read !== null) changes.push(read);
  }
  return {
    kind: 'changes',
    changes,
    unreadable,
    hasNews: changes.length > 0,
    cursor,
    // An empty page that promises more is followed after the usual pause.
    hasMore: hasMore && items.length > 0,
  };
}

export function readHead({ changeId, merchantId, at }: Fields, asked: FeedRequest): ItemHead | string {
  if (!isText(changeId, CHANGE_ID)) return 'changeId';
  if (!isMerchantId(merchantId)) return 'merchantId';
  if (asked.merchantId !== null && merchantId !== asked.merchantId) return 'merchantId that was asked for';
  const happenedAt = readInstant(at, asked.until);
  return happenedAt === null ? 'at that can be' : { changeId, merchantId, happenedAt };
}

export function isMerchantId(value: unknown): value is string {
  return isText(value, MERCHANT_ID);
}

export function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

export function isAmount(value: unknown, least: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= LARGEST_AMOUNT;
}

/**
 * An instant ahead of `until` counts as `until`: refusing the change would lose it. Null: no possible
 * instant.
 */
function readInstant(value: unknown, until: Instant): Instant | null {
  if (!isText(value, INSTANT_WITH_ZONE)) return null;
  const milliseconds = Date.parse(value);
  const isPossible = milliseconds > 0 && milliseconds <= until + MOST_AHEAD_MILLISECONDS;
  return isPossible ? instant(Math.min(milliseconds, until)) : null;
}

const LONGEST_VALUE = 64;
const LONGEST_ITEM = 500;
const LONGEST_CARD_NUMBER = 19;
const MANY_DIGITS = /\d(?:[ .-]?\d){12,}/g;

/**
 * An unreadable change for a person: bounded, without possible card data. Unknown fields show only their
 * names.
 */
export function printItem(item: unknown, fields: readonly string[]): string {
  return withoutCardNumbers(JSON.stringify(shownItem(item, fields))).slice(0, LONGEST_ITEM);
}

function shownItem(item: unknown, named: readonly string[]): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return shownValue(item);
  const fields = Object.entries(item);
  const known = fields.filter(([name]) => named.includes(name));
  const others = fields.filter(([name]) => !named.includes(name)).map(([name]) => shownValue(name));
  const shown = Object.fromEntries(known.map(([name, value]) => [name, shownValue(value)]));
  return others.length === 0 ? shown : { ...shown, otherFields: others.slice(0, named.length) };
}

function shownValue(value: unknown): unknown {
  if (typeof value === 'string') return withoutCardNumbers(value).slice(0, LONGEST_VALUE);
  return typeof value === 'object' && value !== null ? '{…}' : value;
}

function withoutCardNumbers(text: string): string {
  return text.replaceAll(MANY_DIGITS, (written) => {
    const digits = written.replaceAll(/\D/g, '');
    return digits.length > LONGEST_CARD_NUMBER || isCardNumber(digits) ? '…' : written;
  });
}
