import { type Database, statement } from '../../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../../platform/postgres/row-codec.ts';
import {
  CHOSEN_IN_TURNS,
  fairClaimValues,
  IS_NOT_PASSED_OVER,
} from '../../../platform/work/fair-claim.sql.ts';
import type { FairClaim } from '../../../platform/work/fair-claim.ts';
import { TRANSACTION_STATES } from '../../transaction.ts';
import type { Watch } from './watch.ts';

const WATCHED = rowCodec(
  {
    merchantId: column.text(),
    transactionId: column.text(),
    acquirer: column.text(),
    state: column.oneOf(TRANSACTION_STATES),
    tid: column.nullable(column.text()),
    /** Real time since the watch should have ended; negative before. */
    overMilliseconds: column.real('(extract(epoch from now() - c.watched_until) * 1000)::float8'),
    /**
     * Serves as a fence: if `due_at` is another one when the look is recorded, the charge is to be looked at
     * anew, and this look is not recorded.
     */
    claimedUntil: column.text('c.due_at::text'),
    /** It was a pre-authorization. */
    wasPreauthorized: column.boolean(
      `exists (select from preauthorizations p where p.merchant_id = t.merchant_id and p.transaction_id = t.transaction_id)`,
    ),
  },
  't',
);

export type WatchedCharge = RowOf<typeof WATCHED>;

const WATCH = statement(
  'transactions.watch',
  `insert into watched_charges (merchant_id, transaction_id, due_at, watched_until)
   values ($1, $2, now() + $3 * interval '1 millisecond', now() + $4 * interval '1 millisecond')
   on conflict (merchant_id, transaction_id) do update
     set due_at = excluded.due_at, watched_until = greatest(watched_charges.watched_until, excluded.watched_until)`,
);

/**
 * Watches a charge that was kept, for twins. A charge that was voided or declined is watched by the commit of
 * its end.
 */
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
     returning w.merchant_id, w.transaction_id, w.watched_until, w.due_at
   )
   select ${WATCHED.columns} from claimed c
   join transactions t on t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id`,
);

/**
 * Claims due charges of all merchants. One that is neither postponed nor forgotten comes again after the
 * lease.
 */
export async function claimWatchedCharges(
  database: Database,
  claim: FairClaim,
  leaseMilliseconds: number,
): Promise<WatchedCharge[]> {
  return (await database.query(CLAIM, fairClaimValues(claim, leaseMilliseconds))).map(WATCHED.parse);
}

const POSTPONE = statement(
  'transactions.postpone_watched',
  `update watched_charges set due_at = now() + $3 * interval '1 second'
   where merchant_id = $1 and transaction_id = $2 and due_at = $4::timestamptz`,
);

export async function postponeWatchedCharge(
  database: Database,
  { merchantId, transactionId, claimedUntil }: WatchedCharge,
  seconds: number,
): Promise<void> {
  await database.query(POSTPONE, [merchantId, transactionId, seconds, claimedUntil]);
}

const FORGET = statement(
  'transactions.forget_watched',
  'delete from watched_charges where merchant_id = $1 and transaction_id = $2 and due_at = $3::timestamptz',
);

export async function forgetWatchedCharge(
  database: Database,
  { merchantId, transactionId, claimedUntil }: WatchedCharge,
): Promise<void> {
  await database.query(FORGET, [merchantId, transactionId, claimedUntil]);
}

/**
 * Milliseconds until a watched charge is due; null if none is watched. Merchants that are passed over (`$1`)
 * do not count.
 */
export const EARLIEST_WATCHED = statement(
  'transactions.earliest_watched',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds
   from watched_charges where merchant_id <> all($1::text[])`,
);
