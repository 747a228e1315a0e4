import type { BatchedReadOptions } from '../platform/postgres/batched-reads.ts';
import { type Database, statement } from '../platform/postgres/database.ts';
import { inputRows } from '../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../platform/postgres/row-codec.ts';
import { TESTED_KINDS, type TestedByKind, type TestedCards } from './card-testing.ts';

type Wanted = { readonly merchantId: string };

const WANTED = inputRows<Wanted>(
  { merchant_id: ['text', ({ merchantId }) => merchantId] },
  { place: 'position' },
);

/**
 * The newest tries that are read of each period (the last hour, the 23 before). Older ones are not counted.
 */
const MOST_TRIES = 1_000;

/** Each has a partial index, so that tries of stored cards and of the other kind are not read. */
const VERIFICATIONS = `from velocity_events a where a.merchant_id = w.merchant_id and a.is_verification`;
const SALES = `from velocity_events a where a.merchant_id = w.merchant_id
  and not a.is_verification and not a.is_stored`;
const NOW = `and a.attempted_at > now() - interval '1 hour' order by a.attempted_at desc limit $2`;
const BEFORE = `and a.attempted_at <= now() - interval '1 hour' and a.attempted_at > now() - interval '1 day'
  order by a.attempted_at desc limit $2`;
const TRY = 'a.card_fingerprint, a.is_declined, a.is_card_refused';
const TESTED = rowCodec<TestedCards>({
  cards: column.whole('count(*) filter (where is_now and tells)'),
  failed: column.whole('count(*) filter (where is_now and has_failed)'),
  usualCards: column.whole('count(*) filter (where not is_now and tells)'),
  usualFailed: column.whole('count(*) filter (where not is_now and has_failed)'),
});
const SUMS = `select ${TESTED.columns}`;
const CARDS = `select t.is_now, bool_and(t.is_declined) and bool_or(t.is_card_refused) as has_failed,
   not bool_and(t.is_declined) or bool_or(t.is_card_refused) as tells from`;

/** `position`: of the merchant in the input, from 1. */
const OF_MERCHANT = rowCodec({
  position: column.whole('w.position'),
  kind: column.oneOf(TESTED_KINDS, `'verification'`),
});

const COUNT = statement(
  'antifraud.count_tested_cards',
  `with wanted as materialized (select merchant_id, position from ${WANTED.sql})
   select ${OF_MERCHANT.columns}, c.* from wanted w, lateral (${SUMS} from (${CARDS} (
     (select true as is_now, ${TRY} ${VERIFICATIONS} ${NOW})
     union all (select false, ${TRY} ${VERIFICATIONS} ${BEFORE})
   ) t group by t.is_now, t.card_fingerprint) cards) c
   union all
   select w.position, 'sale', c.* from wanted w, lateral (${SUMS} from (${CARDS} (
     (select true as is_now, ${TRY} ${SALES} ${NOW})
     union all (select false, ${TRY} ${SALES} ${BEFORE})
   ) t group by t.is_now, t.card_fingerprint) cards) c`,
);

export function testedCardsRead(database: Database): BatchedReadOptions<Wanted, TestedByKind> {
  return {
    name: 'tested cards',
    textOf: ({ merchantId }) => merchantId,
    async read(wanted) {
      const rows = await database.query(COUNT, [...WANTED.values([...wanted]), MOST_TRIES]);
      const found = Map.groupBy(rows, (row) => OF_MERCHANT.parse(row).position);
      return new Map(
        wanted.map(({ merchantId }, index) => {
          const ofMerchant = found.get(index + 1) ?? [];
          const kinds = ofMerchant.map((row) => [OF_MERCHANT.parse(row).kind, TESTED.parse(row)]);
          return [merchantId, Object.fromEntries(kinds) as TestedByKind];
        }),
      );
    },
  };
}
