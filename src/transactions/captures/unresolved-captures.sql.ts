import { type Database, statement } from '../../platform/postgres/database.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import { CHOSEN_IN_TURNS, fairClaimValues, IS_NOT_PASSED_OVER } from '../../platform/work/fair-claim.sql.ts';
import type { FairClaim } from '../../platform/work/fair-claim.ts';
import type { Cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import { CAPTURE_MOVES } from '../capture.ts';
import type { Postponement } from '../transaction.ts';

/** An unanswered capture, leased by this process. */
export type UnresolvedCapture = {
  readonly merchantId: string;
  readonly captureId: string;
  readonly transactionId: string;
  readonly amount: Cents;
  /** Business time. */
  readonly requestedAt: Instant;
  readonly fence: number;
  /** How often it was asked for, this time included. */
  readonly tries: number;
};

const CLAIM = statement(
  'captures.claim_unresolved',
  `with due as (
     select merchant_id, capture_id, due_at from captures where due_at <= now() and ${IS_NOT_PASSED_OVER}
     order by due_at limit $1 for no key update skip locked
   ), ${CHOSEN_IN_TURNS}
   update captures c set fence = c.fence + 1, tries = least(c.tries + 1, 32000),
     due_at = now() + $2 * interval '1 millisecond',
     unknown_reason = coalesce(c.unknown_reason, 'the capturing process did not finish')
   from chosen n where c.merchant_id = n.merchant_id and c.capture_id = n.capture_id
   returning c.merchant_id, c.capture_id, c.transaction_id, c.amount, c.requested_at, c.fence, c.tries`,
);

/** Claims unanswered captures of all merchants and raises their fence. */
export async function claimUnresolvedCaptures(
  database: Database,
  claim: FairClaim,
  leaseMilliseconds: number,
): Promise<UnresolvedCapture[]> {
  const rows = await database.query(CLAIM, fairClaimValues(claim, leaseMilliseconds));
  return rows.map((row) => ({
    merchantId: row.merchant_id as string,
    captureId: row.capture_id as string,
    transactionId: row.transaction_id as string,
    amount: row.amount as Cents,
    requestedAt: row.requested_at as Instant,
    fence: row.fence as number,
    tries: row.tries as number,
  }));
}

const HOLD = statement(
  'captures.hold_unresolved',
  `with found as (
     select merchant_id, capture_id, (extract(epoch from due_at - now()) * 1000)::float8 as milliseconds_left
     from captures
     where merchant_id = $1 and capture_id = $2 and state in (${fromStates(CAPTURE_MOVES, 'confirm')})
       and (unknown_reason is not null or due_at <= now())
     for no key update
   )
   update captures c set fence = c.fence + 1, due_at = now() + $3 * interval '1 millisecond',
     unknown_reason = coalesce(c.unknown_reason, 'the capturing process did not finish')
   from found f where c.merchant_id = f.merchant_id and c.capture_id = f.capture_id
   returning c.fence, f.milliseconds_left`,
);

export type HeldCapture = {
  readonly fence: number;
  /** Milliseconds of its lease or pause that were left; negative when it was due. */
  readonly millisecondsLeft: number;
};

/** Keeps an unanswered capture from being sent for so long; null when it is not unanswered. */
export async function holdUnresolvedCapture(
  database: Database,
  merchantId: string,
  captureId: string,
  milliseconds: number,
): Promise<HeldCapture | null> {
  const [row] = await database.query(HOLD, [merchantId, captureId, milliseconds]);
  if (row === undefined) return null;
  return { fence: row.fence as number, millisecondsLeft: row.milliseconds_left as number };
}

const POSTPONE = statement(
  'captures.postpone',
  `update captures set due_at = now() + $4 * interval '1 second', unknown_reason = $5,
     tries = tries - $6
   where merchant_id = $1 and capture_id = $2 and state in (${fromStates(CAPTURE_MOVES, 'confirm')}) and fence = $3`,
);

/**
 * Records that no clear answer came, and when to ask again. Changes nothing when another process
 * has claimed it.
 */
export async function postponeCapture(
  database: Database,
  capture: Pick<UnresolvedCapture, 'merchantId' | 'captureId' | 'fence'>,
  { seconds, reason, wasAsked = true }: Postponement,
): Promise<void> {
  const values = [capture.merchantId, capture.captureId, capture.fence, seconds, reason];
  await database.query(POSTPONE, [...values, wasAsked ? 0 : 1]);
}

const PULL_FORWARD = statement(
  'captures.pull_forward',
  `with waiting as (
     select merchant_id, capture_id from captures
     where state in (${fromStates(CAPTURE_MOVES, 'confirm')}) and unknown_reason is not null and due_at > now() + $2 * interval '1 millisecond'
     order by due_at limit $1 for no key update skip locked
   )
   update captures c set due_at = now()
   from waiting w where c.merchant_id = w.merchant_id and c.capture_id = w.capture_id
   returning c.capture_id`,
);

/**
 * Makes unanswered captures of all merchants due that wait for longer than a lease; returns how
 * many.
 */
export async function pullCapturesForward(
  database: Database,
  limit: number,
  leaseMilliseconds: number,
): Promise<number> {
  return (await database.query(PULL_FORWARD, [limit, leaseMilliseconds])).length;
}

const EARLIEST = statement(
  'captures.earliest_due',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds
   from captures where due_at is not null and merchant_id <> all($1::text[])`,
);

/** Null when no capture of other merchants is unanswered. */
export async function millisecondsUntilDueCapture(
  database: Database,
  passedOver: readonly string[],
): Promise<number | null> {
  const [row] = await database.query(EARLIEST, [passedOver]);
  const milliseconds = row?.milliseconds as number | null;
  return milliseconds === null ? null : Math.max(0, milliseconds);
}
