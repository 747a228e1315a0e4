import type { BatchedWriteOptions } from '../../platform/postgres/batched-writes.ts';
import { type Database, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { fromOtherStates, fromStates } from '../../platform/postgres/state-table.ts';
import {
  dispatchDeliveries,
  type OutcomeRow,
  outcomeLeases,
  recordedOutcomes,
  writeOutcomes,
} from '../../transactions/methods/card/outcomes.sql.ts';
import { type Day, type Instant, saoPauloDay, utcText } from '../../values/instant.ts';
import { centsOfPlanAmount } from '../../values/plan-amount.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import { ENQUEUE_ALERTS, NOTICE_WAITS } from '../alerts/alert-deliveries.sql.ts';
import { BILLING_MOVES, type ChargeRule } from '../billings/billing.ts';
import { chargeDayOf, sentOn } from '../plans/pix-schedule.ts';
import { SUBSCRIPTION_MOVES } from '../subscriptions/subscription.ts';
import { type LeadDaysOf, MOVE_NOTICES, WRITTEN_MOVES } from '../subscriptions/subscriptions.sql.ts';
import { type Held, holdCharges } from './open-charges.sql.ts';
import {
  type ChargeFacts,
  isChargeableByHand,
  type LockedBilling,
  type OutcomeRecord,
  recordOfOutcome,
  recordOfUnsent,
} from './outcome-record.ts';

/**
 * `answered`: the acquirer has just answered; the transaction's outcome is written in the same commit, and
 * `facts` is null without a clear answer. `resolved`: the transaction is final already. `unsent`: the
 * acquirer was not asked; takes the billing as found, without a transaction.
 */
export type ChargeEnd = {
  readonly merchantId: string;
  readonly billingId: string;
  readonly subscriptionId: string;
  /** `by`: the charging user or `system`. `at`: business time of the end. */
  readonly by: string;
  readonly at: Instant;
} & (
  | { readonly kind: 'answered'; readonly outcome: OutcomeRow; readonly facts: ChargeFacts | null }
  | {
      readonly kind: 'resolved';
      readonly transactionId: string;
      readonly facts: ChargeFacts | 'voided';
      /** Pix Automático: the due day that the bank was asked for, from which further tries are counted. */
      readonly askedFor?: Day;
      /** The charge is made again at once, at another acquirer or at the Pix bank. */
      readonly isSentOn?: boolean;
    }
  | {
      readonly kind: 'unsent';
      readonly fence: number;
      /**
       * The card that was checked. If the subscription has another card when this is written, the facts do
       * not hold.
       */
      readonly vaultId: string;
      readonly facts: ChargeFacts;
      /** From 1, retries included; null for a manual charge. */
      readonly attemptNumber: number | null;
    }
);

/**
 * `isRecorded`: by this write, not by an earlier one. `rule`: null if the outcome is unknown or has no
 * effect.
 */
export type ChargeEndResult = {
  readonly isRecorded: boolean;
  readonly rule: ChargeRule | null;
  /** How often this attempt was voided and is sent again, this time included; 0 after any other end. */
  readonly timesSentAgain: number;
};

type Ending = { readonly end: ChargeEnd; readonly held: Held; readonly ended: OutcomeRecord };
/** The outcome is still unknown; the charge is looked at again soon. */
type Look = { readonly end: ChargeEnd; readonly held: Held };
type Decided = { readonly endings: readonly Ending[]; readonly looks: readonly Look[] };

const ENDINGS = inputRows<Ending>({
  merchant_id: ['text', ({ end }) => end.merchantId],
  billing_id: ['uuid', ({ end }) => end.billingId],
  subscription_id: ['uuid', ({ end }) => end.subscriptionId],
  charge_number: ['integer', ({ end, held }) => (end.kind === 'unsent' ? null : held.billing.chargeNumber)],
  state: ['text', ({ ended }) => ended.state],
  charge_on: ['date', chargeOn],
  charges_made: ['smallint', ({ ended }) => ended.chargesMade],
  outcome: ['text', ({ ended }) => ended.outcome],
  response_code: ['text', ({ ended }) => ended.code],
  rule: ['text', ({ ended }) => ended.rule],
  attempt_number: ['smallint', ({ end }) => (end.kind === 'unsent' ? end.attemptNumber : null)],
  at: ['timestamptz', ({ end }) => utcText(end.at)],
  by: ['text', ({ end }) => end.by],
  subscription_state: ['text', ({ ended }) => ended.subscription?.state ?? null],
  subscription_reason: ['text', ({ ended }) => ended.subscription?.reason ?? null],
  next_installment: ['smallint', ({ ended }) => ended.next?.installment ?? null],
  next_due_on: ['date', ({ ended }) => ended.next?.dueOn ?? null],
  next_charge_on: ['date', nextChargeOn],
  next_amount: [
    'bigint',
    ({ ended, held }) => (ended.next === null ? null : centsOfPlanAmount(held.terms.amount)),
  ],
  notice: ['text', ({ ended }) => ended.alert?.body ?? null],
  event: ['text', ({ ended }) => ended.alert?.event ?? null],
  move_notice: ['text', ({ ended }) => ended.moveAlert?.body ?? null],
  move_event: ['text', ({ ended }) => ended.moveAlert?.event ?? null],
  account_number: ['text', ({ held }) => held.accountNumber],
  rest: ['integer', ({ ended }) => ended.restSeconds],
  is_skipped: ['boolean', ({ ended }) => ended.isSkipped],
});

/**
 * A charge of Pix Automático of which the bank has nothing is sent again, its lead time ahead of the due day
 * or at once.
 */
function chargeOn({ end, held, ended }: Ending): Day | null {
  const isSentAgain = ended.rule === 'sentAgain' && held.leadDays > 0;
  return isSentAgain ? sentOn(held.billing.dueOn, held.leadDays, saoPauloDay(end.at)) : ended.chargeOn;
}

function nextChargeOn({ end, held, ended: { next } }: Ending): Day | null {
  return next === null ? null : chargeDayOf(next, held.leadDays, saoPauloDay(end.at));
}

const LOOKS = inputRows<Look>(
  {
    merchant_id: ['text', ({ end }) => end.merchantId],
    billing_id: ['uuid', ({ end }) => end.billingId],
    charge_number: ['integer', ({ held }) => held.billing.chargeNumber],
  },
  { after: ENDINGS },
);

/**
 * Writes billing, charge, subscription with events, next billing and alerts. A blocked subscription loses its
 * open billing, as with a cancel. Blocking keeps `state_since`, or a pending end of its plan would skip the
 * subscription. Rows are updated by ctid: a join could be planned while the tables are small.
 */
const END = statement(
  'charging.end_charges',
  `with input as (
     select * from ${ENDINGS.sql}
   ), placed as materialized (
     select i.*, l.place, k.subscription_place from input i cross join lateral (
       select b.ctid as place from billings b where b.merchant_id = i.merchant_id
         and b.billing_id = i.billing_id limit 1
     ) l cross join lateral (
       select s.ctid as subscription_place from subscriptions s
       where s.merchant_id = i.merchant_id and s.subscription_id = i.subscription_id limit 1
     ) k
   ), ended as (
     update billings b set state = p.state, is_skipped = p.is_skipped, charge_on = p.charge_on,
       charges_made = p.charges_made, transaction_id = null,
       lease_expires_at = now() + nullif(p.rest, 0) * interval '1 second',
       fence = b.fence + (p.charge_number is null)::integer, modified_by = p.by, modified_at = p.at
     from placed p
     where b.ctid = p.place
       and b.state || '' in (${fromStates(BILLING_MOVES, 'approve', 'retry', 'deny', 'invalidate', 'cancel')})
     returning p.*
   ), charged as (
     update billing_charges c set ended_at = e.at, outcome = e.outcome, response_code = e.response_code,
       rule = e.rule, next_charge_on = e.charge_on, due_at = null
     from ended e
     where c.merchant_id = e.merchant_id and c.billing_id = e.billing_id and c.charge_number = e.charge_number
   ), unsent as (
     insert into billing_charges (merchant_id, billing_id, charge_number, attempt_number, started_at,
       ended_at, outcome, rule, next_charge_on, created_by)
     select e.merchant_id, e.billing_id, (
       select coalesce(max(c.charge_number), 0) + 1 from billing_charges c
       where c.merchant_id = e.merchant_id and c.billing_id = e.billing_id
     ), e.attempt_number, e.at, e.at, e.outcome, e.rule, e.charge_on, e.by
     from ended e where e.charge_number is null
   ), moved as (
     update subscriptions s set state = e.subscription_state, reason = e.subscription_reason,
       state_since = case when e.subscription_state = 'blocked' then s.state_since else clock_timestamp() end,
       modified_by = 'system', modified_at = e.at
     from ended e
     where s.ctid = e.subscription_place and e.subscription_state is not null
       and s.state <> e.subscription_state
       and s.state || '' in (${fromOtherStates(SUBSCRIPTION_MOVES, 'block', 'cancel', 'complete')})
     returning s.merchant_id, s.subscription_id, s.state, s.reason, s.modified_by, s.modified_at, e.billing_id,
       e.account_number, e.move_event as event, e.move_notice as notice
   ), ${WRITTEN_MOVES}, ahead as materialized (
     select l.*, m.modified_at as at from moved m cross join lateral (
       select b.ctid as place, b.charges_made = 0 and not exists (
         select from billing_charges c where c.merchant_id = m.merchant_id and c.billing_id = b.billing_id
           and c.outcome is distinct from 'voided'
       ) as is_untouched
       from billings b
       where b.merchant_id = m.merchant_id and b.subscription_id = m.subscription_id and b.state = 'opened'
         and b.transaction_id is null and b.billing_id <> m.billing_id
       limit 1
     ) l where m.state = 'blocked'
   ), passed as (
     update billings b set state = 'canceled', is_skipped = a.is_untouched, charge_on = null,
       modified_by = 'system', modified_at = a.at
     from ahead a where b.ctid = a.place and b.state || '' in (${fromStates(BILLING_MOVES, 'cancel')})
   ), opened as (
     insert into billings (merchant_id, billing_id, subscription_id, installment, state, amount, due_on,
       charge_on, created_by, created_at)
     select e.merchant_id, next_billing_id(e.merchant_id, e.subscription_id, e.next_installment, e.next_due_on),
       e.subscription_id, e.next_installment, 'opened', e.next_amount, e.next_due_on, e.next_charge_on, 'system', e.at
     from ended e where e.next_installment is not null
   ), notices as (
     select e.merchant_id, e.event, e.billing_id as notice_of, e.account_number, e.notice as body,
       e.at as moment
     from ended e where e.notice is not null
     union all ${MOVE_NOTICES}
   ), ${ENQUEUE_ALERTS}, looks as (
     update billing_charges c set due_at = now() + interval '1 second'
     from ${LOOKS.sql}
     where c.merchant_id = i.merchant_id and c.billing_id = i.billing_id and c.charge_number = i.charge_number
   )
   select ${NOTICE_WAITS}`,
);

/** Few commits with many charges cost PostgreSQL less, and leave connections to payments. */
const LIMITS = { statementsInFlight: 2 };

/**
 * Writes ends of charges, each in the commit of its transaction's outcome. Repeatable. Locks the
 * subscription, then the billing, then the transaction.
 */
export function chargeOutcomesWrite(
  database: Database,
  deliverer: Deliverer,
  leadDaysOf: LeadDaysOf,
): BatchedWriteOptions<ChargeEnd, ChargeEndResult> {
  return {
    name: 'chargeEnds',
    isRefusal: () => false,
    key: endKey,
    mustBeWritten: true,
    merchant: ({ merchantId }) => merchantId,
    bytes: () => 1_300,
    limits: LIMITS,
    async write(rows) {
      const { outcomes, decided, isNotified } = await database.transaction(async (tx) => {
        const held = await holdCharges(tx, rows, leadDaysOf);
        const answered = answeredOf(rows, held);
        const outcomes = await writeOutcomes(tx, answered, outcomeLeases(answered, deliverer));
        const decided = decide(rows, held, recordedOutcomes(outcomes));
        const values = [...ENDINGS.values(decided.endings), ...LOOKS.values(decided.looks)];
        const [ended] = await tx.query(END, values);
        return { outcomes, decided, isNotified: ended?.notice_waits === true };
      });
      dispatchDeliveries(deliverer, outcomes);
      if (isNotified) deliverer.notify();
      return resultsOf(rows, decided);
    },
  };
}

/** A subscription is in a batch once: if one end blocks it, the next must see that. */
function endKey({ merchantId, subscriptionId }: ChargeEnd): string {
  return `${merchantId}|${subscriptionId}`;
}

function answeredOf(rows: readonly ChargeEnd[], held: ReadonlyMap<string, Held>): OutcomeRow[] {
  return rows.flatMap((end) => {
    if (end.kind !== 'answered') return [];
    const billing = held.get(end.billingId)?.billing;
    return billing?.transactionId === end.outcome.transactionId ? [end.outcome] : [];
  });
}

function decide(
  rows: readonly ChargeEnd[],
  held: ReadonlyMap<string, Held>,
  recorded: ReadonlySet<string>,
): Decided {
  const endings: Ending[] = [];
  const looks: Look[] = [];
  for (const end of rows) {
    const of = held.get(end.billingId);
    if (of === undefined) continue;
    if (end.kind === 'answered') {
      if (!recorded.has(end.outcome.transactionId)) continue;
      if (end.facts === null) looks.push({ end, held: of });
      else endings.push({ end, held: of, ended: recordOfOutcome(billingOf(end, of), end.facts) });
    } else if (end.kind === 'resolved') {
      if (of.billing.transactionId !== end.transactionId) continue;
      const ended = recordOfOutcome(billingOf(end, of), end.facts);
      const isSentOn = end.isSentOn === true;
      endings.push({ end, held: of, ended: isSentOn ? { ...ended, restSeconds: 0 } : ended });
    } else if (isAsFound(end, of)) endings.push({ end, held: of, ended: endOfUnsent(end, of) });
  }
  return { endings, looks };
}

function isAsFound(
  { fence, attemptNumber, vaultId }: Extract<ChargeEnd, { kind: 'unsent' }>,
  { billing, vaultId: ownVaultId }: Held,
): boolean {
  const { state, transactionId } = billing;
  if (vaultId !== ownVaultId || billing.fence !== fence || transactionId !== null) return false;
  return attemptNumber === null ? isChargeableByHand(state) : state === 'opened';
}

function endOfUnsent(end: Extract<ChargeEnd, { kind: 'unsent' }>, held: Held): OutcomeRecord {
  const billing = billingOf(end, held);
  const hasEnded = end.attemptNumber !== null && held.subscription !== 'active';
  return hasEnded ? recordOfUnsent(billing) : recordOfOutcome(billing, end.facts);
}

function billingOf(end: ChargeEnd, { subscription, terms, billing }: Held): LockedBilling {
  const { state, installment, dueOn, chargeOn, chargesMade, transactionId, voided } = billing;
  const unsent = end.kind === 'unsent' ? end : null;
  const begunOn = saoPauloDay((unsent === null ? billing.startedAt : null) ?? end.at);
  return {
    subscription,
    terms,
    subscriptionId: end.subscriptionId,
    billingId: end.billingId,
    transactionId: unsent === null ? transactionId : null,
    state,
    installment,
    dueOn,
    chargeOn,
    chargesMade: unsent?.attemptNumber ?? chargesMade,
    attemptNumber: unsent === null ? billing.attemptNumber : unsent.attemptNumber,
    askedFor: (end.kind === 'resolved' ? end.askedFor : undefined) ?? dueOn,
    voidedBefore: voided,
    // The database's clock decided that the day had come. By a slower clock here, the next charge could fall
    // on this day too.
    chargedOn: chargeOn !== null && chargeOn > begunOn ? chargeOn : begunOn,
  };
}

function resultsOf(
  rows: readonly ChargeEnd[],
  { endings, looks }: Decided,
): ReadonlyMap<string, ChargeEndResult> {
  const nothing: ChargeEndResult = { isRecorded: false, rule: null, timesSentAgain: 0 };
  const results = new Map(rows.map((row) => [endKey(row), nothing]));
  for (const { end } of looks) results.set(endKey(end), { ...nothing, isRecorded: true });
  for (const { end, held, ended } of endings) {
    const timesSentAgain = ended.rule === 'sentAgain' ? held.billing.voidedSent + 1 : 0;
    results.set(endKey(end), { isRecorded: true, rule: ended.rule, timesSentAgain });
  }
  return results;
}
