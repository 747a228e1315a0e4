import { statement } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import { CHOSEN_IN_TURNS, IS_NOT_PASSED_OVER } from '../../platform/work/fair-claim.sql.ts';
import { CAPTURE_MOVES } from '../capture.ts';
import { HELD, RequestQueue, UNANSWERED } from '../unresolved/request-queue.sql.ts';

const UNRESOLVED = rowCodec({ ...UNANSWERED.fields, requestId: column.text('c.capture_id') }, 'c');

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
   returning ${UNRESOLVED.columns}`,
);

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
   returning ${HELD.columns}`,
);

const POSTPONE = statement(
  'captures.postpone',
  `update captures set due_at = now() + $4 * interval '1 second', unknown_reason = $5,
     tries = tries - $6
   where merchant_id = $1 and capture_id = $2 and state in (${fromStates(CAPTURE_MOVES, 'confirm')}) and fence = $3`,
);

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

const EARLIEST = statement(
  'captures.earliest_due',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds
   from captures where due_at is not null and merchant_id <> all($1::text[])`,
);

/** Captures that the acquirer has not answered. */
export const CAPTURE_REQUESTS = new RequestQueue(
  { claim: CLAIM, hold: HOLD, postpone: POSTPONE, pullForward: PULL_FORWARD, earliest: EARLIEST },
  UNRESOLVED.parse,
);
