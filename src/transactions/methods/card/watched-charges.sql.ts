import { type Database, statement } from '../../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../../platform/postgres/row-codec.ts';
import {
  CHOSEN_IN_TURNS,
  fairClaimValues,
  IS_NOT_PASSED_OVER,
} from '../../../platform/work/fair-claim.sql.ts';
import type { FairClaim } from '../../../platform/work/fair-claim.ts';
import { TRANSACTION_STATES } from '../../transaction.ts';

const WATCHED = rowCodec(
  {
    merchantId: column.text(),
    transactionId: column.text(),
    acquirer: column.text(),
    state: column.oneOf(TRANSACTION_STATES),
    tid: column.nullable(column.text()),
    isOver: column.boolean('c.watched_until <= now()'),
    /** It should have been looked at for the last time a week ago. */
    isLongOver: column.boolean("c.watched_until <= now() - interval '7 days'"),
  },
  't',
);

export type WatchedCharge = RowOf<typeof WATCHED>;

/** How long to look for what the acquirer may book after all, and when first. */
export type Watch = { readonly pauseMilliseconds: number; readonly watchMilliseconds: number };

export const NO_WATCH: Watch = { pauseMilliseconds: 0, watchMilliseconds: 0 };
const WATCHED_FOR_MILLISECONDS = 86_400_000;
/** After an acquirer's horizon nothing of a charge should appear; it is looked for all the same. */
export const WATCH_AFTER_HORIZON: Watch = {
  pauseMilliseconds: 1_800_000,
  watchMilliseconds: WATCHED_FOR_MILLISECONDS,
};
/** Nothing voided what a person decided about: it is looked for at once. */
export const WATCH_AFTER_DECISION: Watch = {
  pauseMilliseconds: 0,
  watchMilliseconds: WATCHED_FOR_MILLISECONDS,
};

const WATCH = statement(
  'transactions.watch',
  `insert into watched_charges (merchant_id, transaction_id, due_at, watched_until)
   values ($1, $2, now() + $3 * interval '1 millisecond', now() + $4 * interval '1 millisecond')
   on conflict (merchant_id, transaction_id) do update
     set due_at = excluded.due_at, watched_until = greatest(watched_charges.watched_until, excluded.watched_until)`,
);

/** For a charge that was kept; one that ended as nothing is watched by the commit of its end. */
export async function watchCharge(
  database: Database,
  { merchantId, transactionId }: Pick<WatchedCharge, 'merchantId' | 'transactionId'>,
  { pauseMilliseconds, watchMilliseconds }: Watch,
): Promise<void> {
  await database.query(WATCH, [merchantId, transactionId, pauseMilliseconds, watchMilliseconds]);
}

const CLAIM = statement(
  'transactions.claim_watched',
  `with due as (
     select merchant_id, transaction_id, watched_until, due_at from watched_charges
     where due_at <= now() and ${IS_NOT_PASSED_OVER}
     order by due_at limit $1 for no key update skip locked
   ), ${CHOSEN_IN_TURNS}, claimed as (
     update watched_charges w set due_at = now() + $2 * interval '1 millisecond'
     from chosen c where w.merchant_id = c.merchant_id and w.transaction_id = c.transaction_id
     returning w.merchant_id, w.transaction_id, w.watched_until
   )
   select ${WATCHED.columns} from claimed c
   join transactions t on t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id`,
);

/** Of all merchants. Each comes again after the pause, also if its process dies. */
export async function claimWatchedCharges(
  database: Database,
  claim: FairClaim,
  pauseMilliseconds: number,
): Promise<WatchedCharge[]> {
  return (await database.query(CLAIM, fairClaimValues(claim, pauseMilliseconds))).map(WATCHED.parse);
}

const FORGET = statement(
  'transactions.forget_watched',
  'delete from watched_charges where merchant_id = $1 and transaction_id = $2',
);

export async function forgetWatchedCharge(
  database: Database,
  { merchantId, transactionId }: Pick<WatchedCharge, 'merchantId' | 'transactionId'>,
): Promise<void> {
  await database.query(FORGET, [merchantId, transactionId]);
}

/** Not counting merchants that are passed over (`$1`). */
export const EARLIEST_WATCHED = statement(
  'transactions.earliest_watched',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds
   from watched_charges where merchant_id <> all($1::text[])`,
);
