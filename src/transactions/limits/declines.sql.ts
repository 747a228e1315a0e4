import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import type { GatheredReadOptions } from '../../platform/postgres/gathered-reads.ts';
import type { CardBrand } from '../../values/card-number.ts';
import type { Cents } from '../../values/cents.ts';
import { type Instant, utcText } from '../../values/instant.ts';
import type { PastDecline } from './network-limits.ts';

/** One card of one merchant, by one of its prints; declines from `since` on (business time) are wanted. */
export type DeclinesKey = {
  readonly merchantId: string;
  readonly print: Buffer;
  readonly since: Instant;
};

/**
 * The newest declines of a card that are looked at. The highest number of a network is 35, and a card that has been
 * declined so often in thirty days has long been stopped; where nobody stopped it (a merchant whose limits were only
 * observed) the newest say enough.
 */
const MOST_DECLINES = 200;

/** A decline is what has a response code: so says the table, and so says the index of declines, which nothing else is in. */
const FIND = statement(
  'transactions.find_declines',
  `select w.position, d.card_brand, d.response_code, d.advice_code, d.amount, d.sold_at, d.vault_id
   from unnest($1::text[], $2::bytea[], $3::timestamptz[]) with ordinality as w (merchant_id, print, since, position)
   cross join lateral (
     select t.card_brand, t.response_code, t.advice_code, t.amount, t.sold_at, t.vault_id from transactions t
     where t.merchant_id = w.merchant_id and t.card_fingerprint = w.print and t.response_code is not null
       and t.sold_at > w.since
     order by t.sold_at desc limit $4
   ) d`,
);

/**
 * The newest declines of cards, each at one merchant, in one short index scan; a card without any has no entry. Whoever
 * asks for the same card at the same moment shares the answer: their windows differ by milliseconds, and the rule counts
 * again. Not so whoever asks for all that there ever were.
 */
export function declinesRead(database: Database): GatheredReadOptions<DeclinesKey, readonly PastDecline[]> {
  const textOf = ({ merchantId, print, since }: DeclinesKey) =>
    `${merchantId}|${print.toString('hex')}|${since === 0 ? 'all' : 'window'}`;
  return {
    name: 'declines',
    textOf,
    async read(keys) {
      const rows = await database.query(FIND, [
        keys.map((key) => key.merchantId),
        keys.map((key) => key.print),
        keys.map((key) => utcText(key.since)),
        MOST_DECLINES,
      ]);
      const byPosition = Map.groupBy(rows, (row) => row.position as number);
      return new Map(
        [...byPosition].map(([position, found]) => [
          textOf(keys[position - 1] as DeclinesKey),
          found.map(parseDecline),
        ]),
      );
    },
  };
}

function parseDecline(row: Row): PastDecline {
  return {
    brand: row.card_brand as CardBrand,
    responseCode: row.response_code as string,
    adviceCode: row.advice_code as string | null,
    amount: row.amount as Cents,
    soldAt: row.sold_at as Instant,
    vaultId: row.vault_id as string | null,
  };
}
