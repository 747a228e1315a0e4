import { FREE_CODES } from '../../../antifraud/codes.sql.ts';
import { COUNT_DECLINES } from '../../../antifraud/velocity-events.sql.ts';
import { FREE_CARD_SOURCES } from '../../../cards/tokens/card-tokens.sql.ts';
import { type Database, statement, type Tx } from '../../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../../platform/postgres/row-codec.ts';
import { fromStates } from '../../../platform/postgres/state-table.ts';
import {
  CHOSEN_IN_TURNS,
  fairClaimValues,
  IS_NOT_PASSED_OVER,
} from '../../../platform/work/fair-claim.sql.ts';
import type { FairClaim } from '../../../platform/work/fair-claim.ts';
import { type Instant, saoPauloOffsetText, utcText } from '../../../values/instant.ts';
import { ENQUEUE_CALLBACK_DELIVERIES } from '../../movements/movement-deliveries.sql.ts';
import { ORIGINS, type Postponement, TRANSACTION_MOVES, UNKNOWN_RESPONSE_CODE } from '../../transaction.ts';
import { NO_WATCH, type Watch } from './watch.ts';

const UNRESOLVED = rowCodec(
  {
    merchantId: column.text(),
    transactionId: column.text(),
    acquirer: column.text(),
    fence: column.whole(),
    /** Includes this try. */
    tries: column.whole('t.resolve_tries'),
    origin: column.oneOf(ORIGINS),
    amount: column.money(),
    installmentCount: column.whole(),
    vaultId: column.nullable(column.text()),
    cardBrand: column.text(),
    /** Real time since the first try to resolve it. */
    searchedMilliseconds: column.real('(extract(epoch from now() - t.unresolved_since) * 1000)::float8'),
    /** A void may have been sent. Not known of a payment's charge where a void is a tombstone. */
    isVoidSent: column.boolean('t.void_sent_at is not null'),
    /**
     * Real time without anything live: since the last void that found something live, or since the first that
     * did not. 0: no void was sent.
     */
    clearMilliseconds: column.real(
      'coalesce((extract(epoch from now() - t.void_sent_at) * 1000)::float8, 0)',
    ),
    /** Real time since the charge's intent: no hold of its amount is older. */
    heldMilliseconds: column.real('(extract(epoch from now() - t.created_at) * 1000)::float8'),
    /** The last reason why its outcome is not known. */
    unknownReason: column.nullable(column.text()),
    /** It was a pre-authorization, and was released. */
    wasPreauthorized: column.boolean(
      `exists (select from preauthorizations p where p.merchant_id = t.merchant_id and p.transaction_id = t.transaction_id)`,
    ),
  },
  't',
);

/** Leased by this process. */
export type UnresolvedCharge = RowOf<typeof UNRESOLVED>;

export type HeldCharge = Pick<UnresolvedCharge, 'merchantId' | 'transactionId' | 'fence'>;

const CLAIM = statement(
  'transactions.claim_unresolved',
  `with due as (
     select merchant_id, transaction_id, due_at from transactions
     where due_at <= now() and state in (${fromStates(TRANSACTION_MOVES, 'lose')}) and ${IS_NOT_PASSED_OVER}
     order by due_at limit $1 for no key update skip locked
   ), ${CHOSEN_IN_TURNS}
   update transactions t set state = 'unresolved', fence = t.fence + 1,
     unresolved_since = coalesce(t.unresolved_since, now()), resolve_tries = least(t.resolve_tries + 1, 32000), due_at = now() + $2 * interval '1 millisecond',
     unknown_reason = coalesce(t.unknown_reason, 'the charging process did not finish')
   from chosen c where t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id
   returning ${UNRESOLVED.columns}`,
);

/** Claims due charges of all merchants, also `charging` ones whose lease has ended. Raises their fence. */
export async function claimUnresolvedCharges(
  database: Database,
  claim: FairClaim,
  leaseMilliseconds: number,
): Promise<UnresolvedCharge[]> {
  return (await database.query(CLAIM, fairClaimValues(claim, leaseMilliseconds))).map(UNRESOLVED.parse);
}

/**
 * Frees card source and anti-fraud code; a decline counts for the velocity rules. A pre-authorized charge
 * keeps both, because an approval used them.
 */
const GIVEN_BACK = `given_back as (
     select merchant_id, transaction_id, source_hash, anti_fraud_code, state = 'declined' as is_declined, card_brand, response_code from changed c
     where not exists (select from preauthorizations p where p.merchant_id = c.merchant_id and p.transaction_id = c.transaction_id)
   ), ${FREE_CARD_SOURCES}, ${FREE_CODES}, ${COUNT_DECLINES}`;

const ENDED = `t.merchant_id, t.transaction_id, t.source_hash, t.anti_fraud_code, t.state, t.response_code, t.card_brand, t.account_number,
       t.callback_url, t.amount, t.installment_count, t.nsu, t.authorization_code`;

/**
 * Sends the callback with the final state, because the caller got an error or no answer. There is no
 * movement.
 */
const TOLD = `news as (
     select t.*, 0 as lease,
       case t.state when 'voided' then 'DESFEITA' else t.response_code end as callback_status
     from changed t
   ), ${ENQUEUE_CALLBACK_DELIVERIES}`;

/** `$7` and `$8`: the milliseconds of a `Watch`. */
const WATCHED = `watched as (
     insert into watched_charges (merchant_id, transaction_id, due_at, watched_until)
     select merchant_id, transaction_id, now() + $7 * interval '1 millisecond',
       now() + $8 * interval '1 millisecond'
     from changed where $8 > 0
     on conflict (merchant_id, transaction_id) do update
       set due_at = excluded.due_at, watched_until = greatest(watched_charges.watched_until, excluded.watched_until)
   )`;

const FINISH = statement(
  'transactions.finish_resolution',
  `with changed as (
     update transactions t set state = $4, decided_at = now(), due_at = null, response_code = $5, advice_code = $6
     where merchant_id = $1 and transaction_id = $2 and state in (${fromStates(TRANSACTION_MOVES, 'void')})
       and fence = $3
     returning ${ENDED}, $9::timestamptz as moment, $10::text as moment_text
   ), ${GIVEN_BACK}, ${TOLD}, ${WATCHED}
   select transaction_id, exists (select from enqueued_callbacks) as is_waiting from changed`,
);

type AfterUnresolved = (typeof TRANSACTION_MOVES)['unresolved'];

export type Resolution =
  | { readonly state: AfterUnresolved['void'] }
  | {
      readonly state: AfterUnresolved['decline'];
      readonly responseCode: string;
      readonly adviceCode: string | null;
    };

/** `isRecorded` false: another process took the charge over. `isWaiting`: a delivery was written. */
export type ResolutionResult = { readonly isRecorded: boolean; readonly isWaiting: boolean };

/** `moment` is business time. */
export async function recordResolution(
  database: Database,
  charge: HeldCharge,
  settlement: Resolution,
  moment: Instant,
  watch: Watch = NO_WATCH,
): Promise<ResolutionResult> {
  const [responseCode, adviceCode] =
    settlement.state === 'declined' ? [settlement.responseCode, settlement.adviceCode] : [null, null];
  const { merchantId, transactionId, fence } = charge;
  const values = [merchantId, transactionId, fence, settlement.state, responseCode, adviceCode];
  const moments = [utcText(moment), saoPauloOffsetText(moment)];
  const { pauseMilliseconds, watchMilliseconds } = watch;
  const [row] = await database.query(FINISH, [...values, pauseMilliseconds, watchMilliseconds, ...moments]);
  return { isRecorded: row !== undefined, isWaiting: row?.is_waiting === true };
}

const MARK_VOID = statement(
  'transactions.mark_void',
  `update transactions set void_sent_at = case when $4 then now() else coalesce(void_sent_at, now()) end
   where merchant_id = $1 and transaction_id = $2 and state = 'unresolved' and fence = $3
   returning transaction_id`,
);

/**
 * Called before the void of a billing's charge, so that no later try keeps the charge, and before every void
 * that is no tombstone. `isAnew`: the time without anything live begins now. Returns false: another process
 * has taken the charge over, and nothing must be sent.
 */
export async function markVoidSent(
  database: Database,
  { merchantId, transactionId, fence }: HeldCharge,
  isAnew: boolean,
): Promise<boolean> {
  return (await database.query(MARK_VOID, [merchantId, transactionId, fence, isAnew])).length === 1;
}

const DECIDE = statement(
  'transactions.decide_unresolved',
  `with found as (
     select merchant_id, transaction_id, state from transactions
     where merchant_id = $1 and transaction_id = $2
       and state in (${fromStates(TRANSACTION_MOVES, 'dismiss', 'decline')})
       and (state <> 'charging' or due_at <= now())
     for no key update
   ), changed as (
     update transactions t set state = $3, fence = t.fence + 1, decided_at = now(), due_at = null, response_code = $4
     from found f
     where t.merchant_id = f.merchant_id and t.transaction_id = f.transaction_id
     returning ${ENDED}, $5::timestamptz as moment, $6::text as moment_text
   ), ${GIVEN_BACK}, ${TOLD}, ${WATCHED}
   select transaction_id from changed`,
);

/**
 * Records what a person decided about an unresolved charge, and raises the fence, so that a process that is
 * resolving it changes nothing. False: the charge is not unresolved.
 */
export async function decideCharge(
  tx: Tx,
  { merchantId, transactionId }: Pick<HeldCharge, 'merchantId' | 'transactionId'>,
  state: AfterUnresolved['dismiss' | 'decline'],
  moment: Instant,
  { pauseMilliseconds, watchMilliseconds }: Watch,
): Promise<boolean> {
  const responseCode = state === 'declined' ? UNKNOWN_RESPONSE_CODE : null;
  const values = [merchantId, transactionId, state, responseCode];
  const moments = [utcText(moment), saoPauloOffsetText(moment)];
  const rows = await tx.query(DECIDE, [...values, ...moments, pauseMilliseconds, watchMilliseconds]);
  return rows.length === 1;
}

const POSTPONE = statement(
  'transactions.postpone_resolution',
  `update transactions set due_at = now() + $4 * interval '1 second', unknown_reason = $5,
     resolve_tries = resolve_tries - $6
   where merchant_id = $1 and transaction_id = $2 and state = 'unresolved' and fence = $3`,
);

export async function postponeResolution(
  database: Database,
  charge: HeldCharge,
  { seconds, reason, wasAsked = true }: Postponement,
): Promise<void> {
  const values = [charge.merchantId, charge.transactionId, charge.fence, seconds, reason];
  await database.query(POSTPONE, [...values, wasAsked ? 0 : 1]);
}

const PULL_FORWARD = statement(
  'transactions.pull_forward',
  `with waiting as (
     select merchant_id, transaction_id from transactions
     where state = 'unresolved' and due_at > now() + $2 * interval '1 millisecond'
     order by due_at limit $1 for no key update skip locked
   )
   update transactions t set due_at = now()
   from waiting w where t.merchant_id = w.merchant_id and t.transaction_id = w.transaction_id
   returning t.transaction_id`,
);

/**
 * Makes waiting charges due now, and returns how many. Leaves those that wait for less than a lease: they may
 * be leased, and come soon.
 */
export async function pullChargesForward(
  database: Database,
  limit: number,
  leaseMilliseconds: number,
): Promise<number> {
  return (await database.query(PULL_FORWARD, [limit, leaseMilliseconds])).length;
}

/**
 * Milliseconds until a charge is due; null if none is unresolved. Merchants that are passed over (`$1`) do
 * not count.
 */
export const EARLIEST_UNRESOLVED_CHARGE = statement(
  'transactions.earliest_due',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds
   from transactions where due_at is not null and merchant_id <> all($1::text[])`,
);

const HOLD = statement(
  'transactions.hold_in_doubt',
  `update transactions set due_at = now() + $3 * interval '1 second'
   where merchant_id = $1 and transaction_id = $2 and state = 'charging'
   returning transaction_id`,
);

/**
 * Puts off the resolving of a charge whose process has ended: after a restore a person may know what its
 * merchant was answered. 0 seconds: it is resolved at once.
 */
export async function holdInDoubt(
  tx: Tx,
  merchantId: string,
  transactionId: string,
  seconds: number,
): Promise<void> {
  await tx.query(HOLD, [merchantId, transactionId, seconds]);
}
