import { type Database, type Row, statement } from '../platform/postgres/database.ts';
import type { GatheredReadOptions } from '../platform/postgres/gathered-reads.ts';
import { type Counts, MOST_ATTEMPTS_COUNTED, type Subject } from './velocity.ts';

/** One subject of one merchant, by one of its prints. The merchant itself has none. */
export type CountsKey = {
  readonly merchantId: string;
  readonly subject: Subject;
  readonly print: Buffer | null;
};

const COUNTS = `select
    count(*) filter (where attempted_at > now() - interval '1 minute') as minute_attempts,
    count(*) filter (where attempted_at > now() - interval '1 minute' and is_declined) as minute_declines,
    count(distinct card_print) filter (where attempted_at > now() - interval '1 minute') as minute_cards,
    count(*) filter (where attempted_at > now() - interval '1 hour') as hour_attempts,
    count(*) filter (where attempted_at > now() - interval '1 hour' and is_declined) as hour_declines,
    count(distinct card_print) filter (where attempted_at > now() - interval '1 hour') as hour_cards,
    count(*) as day_attempts,
    count(*) filter (where is_declined) as day_declines,
    count(distinct card_print) as day_cards`;

const NEWEST_OF_A_DAY = `a.attempted_at > now() - interval '1 day' order by a.attempted_at desc limit $4`;

/** One part for each subject, so that each has its own index; a part runs for the keys of its subject only. */
const COUNT = statement(
  'antifraud.count_attempts',
  `with wanted as materialized (
     select merchant_id, subject, print, position
     from unnest($1::text[], $2::text[], $3::bytea[]) with ordinality as i (merchant_id, subject, print, position)
   )
   select w.position, c.* from wanted w, lateral (${COUNTS} from (
     select a.attempted_at, a.is_declined, a.card_print from anti_fraud_attempts a
     where a.merchant_id = w.merchant_id and a.card_print = w.print and ${NEWEST_OF_A_DAY}
   ) newest) c where w.subject = 'card'
   union all
   select w.position, c.* from wanted w, lateral (${COUNTS} from (
     select a.attempted_at, a.is_declined, a.card_print from anti_fraud_attempts a
     where a.merchant_id = w.merchant_id and a.document_print = w.print and ${NEWEST_OF_A_DAY}
   ) newest) c where w.subject = 'document'
   union all
   select w.position, c.* from wanted w, lateral (${COUNTS} from (
     select a.attempted_at, a.is_declined, a.card_print from anti_fraud_attempts a
     where a.merchant_id = w.merchant_id and a.address_print = w.print and ${NEWEST_OF_A_DAY}
   ) newest) c where w.subject = 'address'
   union all
   select w.position, c.* from wanted w, lateral (${COUNTS} from (
     select a.attempted_at, a.is_declined, a.card_print from anti_fraud_attempts a
     where a.merchant_id = w.merchant_id and a.device_print = w.print and ${NEWEST_OF_A_DAY}
   ) newest) c where w.subject = 'device'
   union all
   select w.position, c.* from wanted w, lateral (${COUNTS} from (
     select a.attempted_at, a.is_declined, a.card_print from anti_fraud_attempts a
     where a.merchant_id = w.merchant_id and ${NEWEST_OF_A_DAY}
   ) newest) c where w.subject = 'merchant'`,
);

/**
 * Counts of attempts by sliding windows of real time. All subjects of a sale, and those of the sales beside it, go in one
 * statement; equal subjects (the merchant, above all) are counted once for all who ask at the same time.
 */
export function countsRead(database: Database): GatheredReadOptions<CountsKey, Counts> {
  return {
    name: 'anti-fraud counts',
    textOf: countsText,
    async read(keys) {
      const rows = await database.query(COUNT, [
        keys.map((key) => key.merchantId),
        keys.map((key) => key.subject),
        keys.map((key) => key.print),
        MOST_ATTEMPTS_COUNTED,
      ]);
      return new Map(
        rows.map((row) => [countsText(keys[(row.position as number) - 1] as CountsKey), parseCounts(row)]),
      );
    },
  };
}

function countsText({ merchantId, subject, print }: CountsKey): string {
  return `${merchantId}|${subject}|${print?.toString('hex') ?? ''}`;
}

function parseCounts(row: Row): Counts {
  const countsIn = (window: string) => ({
    attempts: row[`${window}_attempts`] as number,
    declines: row[`${window}_declines`] as number,
    cards: row[`${window}_cards`] as number,
  });
  return { minute: countsIn('minute'), hour: countsIn('hour'), day: countsIn('day') };
}

const FORGET = statement(
  'antifraud.forget_attempts',
  `delete from anti_fraud_attempts where (merchant_id, transaction_id) in
     (select merchant_id, transaction_id from anti_fraud_attempts where expires_at < now()
      order by expires_at limit $1 for update skip locked)
   returning 1`,
);

/** Removes up to `limit` attempts that no window reaches any more; gives how many went. */
export async function deleteOldAttempts(database: Database, limit: number): Promise<number> {
  return (await database.query(FORGET, [limit])).length;
}
