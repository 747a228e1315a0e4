import type { BatchedReadOptions } from '../../../platform/postgres/batched-reads.ts';
import { type Database, type Row, statement, type Tx } from '../../../platform/postgres/database.ts';
import { forgetting } from '../../../platform/postgres/forgetting.ts';
import { inputRows } from '../../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../../platform/postgres/row-codec.ts';
import { CARD_BRANDS, type CardBrand } from '../../../values/card-number.ts';
import { type Instant, utcText } from '../../../values/instant.ts';
import type { PastDecline } from './network-limits.ts';

/** One fingerprint of a card at a merchant. `since` is business time. */
export type DeclinesKey = {
  readonly merchantId: string;
  readonly print: Buffer;
  readonly since: Instant;
};

/**
 * Read newest first. The highest limit of a network is 35, so a card with this many declines in thirty days
 * was stopped long before. If limits are only observed, the newest are enough.
 */
const MOST_DECLINES = 200;

const CARDS = inputRows<DeclinesKey>(
  {
    merchant_id: ['text', (key) => key.merchantId],
    print: ['bytea', (key) => key.print],
    since: ['timestamptz', (key) => utcText(key.since)],
  },
  { as: 'w', place: 'position' },
);

const DECLINE = rowCodec<PastDecline>(
  {
    brand: column.oneOf(CARD_BRANDS, 'd.card_brand'),
    responseCode: column.text(),
    adviceCode: column.nullable(column.text()),
    amount: column.money(),
    soldAt: column.instant(),
  },
  'd',
);

/** The index of the row's key, from 1. */
const PLACE = rowCodec({ position: column.whole() }, 'w');

/** A row with a response code is a decline: the table's CHECK and the index of declines say so too. */
const FIND = statement(
  'transactions.find_declines',
  `select ${PLACE.columns}, ${DECLINE.columns}
   from ${CARDS.sql}
   cross join lateral (
     (select t.card_brand, t.response_code, t.advice_code, t.amount, t.sold_at from transactions t
     where t.merchant_id = w.merchant_id and t.card_fingerprint = w.print and t.response_code is not null
       and t.sold_at > w.since
     order by t.sold_at desc limit $4)
     union all
     (select v.card_brand, v.response_code, v.advice_code, 0::bigint, v.asked_at from declined_verifications v
     where v.merchant_id = w.merchant_id and v.card_fingerprint = w.print and v.asked_at > w.since
     order by v.asked_at desc limit $4)
   ) d`,
);

/**
 * One short index scan for each card; one without declines has no entry. Concurrent lookups of a card share
 * the answer: their windows differ by milliseconds, and the rule filters again. Lookups of all declines ever
 * are not shared with them.
 */
export function declinesRead(database: Database): BatchedReadOptions<DeclinesKey, readonly PastDecline[]> {
  const textOf = ({ merchantId, print, since }: DeclinesKey) =>
    `${merchantId}|${print.toString('hex')}|${since === 0 ? 'all' : 'window'}`;
  return {
    name: 'declines',
    textOf,
    async read(keys) {
      const rows = await database.query(FIND, [...CARDS.values(keys), MOST_DECLINES]);
      return declinesOfKeys(keys.map(textOf), rows);
    },
  };
}

export type StoredCardKey = { readonly merchantId: string; readonly vaultId: string };

const STORED_CARDS = inputRows<StoredCardKey>(
  {
    merchant_id: ['text', (key) => key.merchantId],
    vault_id: ['uuid', (key) => key.vaultId],
  },
  { as: 'w', place: 'position' },
);

/** Only the latest decline of each kind, so that no kind is missed however many declines there are. */
const FIND_OF_STORED = statement(
  'transactions.find_declines_of_stored',
  `select ${PLACE.columns}, ${DECLINE.columns}
   from ${STORED_CARDS.sql}
   cross join lateral (
     select t.card_brand, t.response_code, t.advice_code, t.amount, max(t.sold_at) as sold_at from transactions t
     where t.merchant_id = w.merchant_id and t.vault_id = w.vault_id and t.response_code is not null
     group by t.card_brand, t.response_code, t.advice_code, t.amount
   ) d`,
);

/** Finds declines by the stored card itself, because fingerprints are lost with their keys. */
export function storedDeclinesRead(
  database: Database,
): BatchedReadOptions<StoredCardKey, readonly PastDecline[]> {
  const textOf = ({ merchantId, vaultId }: StoredCardKey) => `${merchantId}|${vaultId}`;
  return {
    name: 'declines of stored cards',
    textOf,
    async read(keys) {
      const rows = await database.query(FIND_OF_STORED, STORED_CARDS.values(keys));
      return declinesOfKeys(keys.map(textOf), rows);
    },
  };
}

function declinesOfKeys(keys: readonly string[], rows: readonly Row[]): Map<string, PastDecline[]> {
  const byPosition = Map.groupBy(rows, (row) => PLACE.parse(row).position);
  return new Map(
    [...byPosition].map(([position, found]) => [keys[position - 1] as string, found.map(DECLINE.parse)]),
  );
}

export type DeclinedVerification = {
  readonly merchantId: string;
  readonly verificationId: string;
  readonly cardFingerprint: Buffer;
  readonly brand: CardBrand;
  readonly responseCode: string;
  readonly adviceCode: string | null;
  /** Business time. */
  readonly askedAt: Instant;
};

const RECORD = statement(
  'transactions.record_declined_verification',
  `insert into declined_verifications (merchant_id, verification_id, card_fingerprint, card_brand, response_code,
     advice_code, asked_at)
   values ($1, $2, $3, $4, $5, $6, $7::timestamptz) on conflict do nothing`,
);

export async function recordDecline(tx: Tx, declined: DeclinedVerification): Promise<void> {
  const { merchantId, verificationId, cardFingerprint, brand, responseCode, adviceCode, askedAt } = declined;
  const values = [merchantId, verificationId, cardFingerprint, brand, responseCode, adviceCode];
  await tx.query(RECORD, [...values, utcText(askedAt)]);
}

/** Deletes up to `limit` declined verifications that no network counts any more. Returns how many. */
export const deleteForgottenDeclines = forgetting({
  table: 'declined_verifications',
  by: 'expires_at',
  over: 'expires_at < now()',
});
