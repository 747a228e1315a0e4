import type { ListedCharge } from '../../acquirers/listed-charge.ts';
import { type Database, type Row, type Step, statement } from '../../platform/postgres/database.ts';
import type { Instant } from '../../values/instant.ts';
import type { Fault, PersonsDecision, RestoredCharge, RestoredDecision } from './restored-charge.ts';

/** As much of what was not written as is kept. */
const LONGEST_DETAIL = 200;

const NOTE = statement(
  'restored_charges.note',
  `insert into restored_charges (merchant_id, transaction_id, run_number, decision, reason, charge, due_at, decided_at, decided_by)
   values ($1, $2, $3, $4, $5, $6, case when $4 = 'unfinished' then now() end,
     case when $4 in ('filled', 'voided') then now() end, case when $4 in ('filled', 'voided') then 'reconcile' end)
   on conflict (merchant_id, transaction_id) do update
     set run_number = excluded.run_number, decision = excluded.decision, reason = excluded.reason, detail = null,
       charge = excluded.charge, due_at = excluded.due_at, tries = 0, fence = restored_charges.fence + 1,
       decided_at = excluded.decided_at, decided_by = excluded.decided_by
     where restored_charges.decision in ('filled', 'unfinished')`,
);

/** Notes what was done with a charge; what a person decides, or was voided, stays as it is. */
export function noteStep(
  runNumber: number,
  charge: ListedCharge,
  decision: RestoredDecision,
  reason: string,
): Step {
  const { merchantId, reference } = charge;
  return {
    statement: NOTE,
    values: [merchantId, reference, runNumber, decision, reason, JSON.stringify(charge)],
  };
}

const END = statement(
  'restored_charges.end_unfinished',
  `update restored_charges set decision = $3, reason = coalesce($4, reason), detail = $5, due_at = null,
     decided_at = case when $3 <> 'undecided' then now() end, decided_by = case when $3 <> 'undecided' then $6 end
   where merchant_id = $1 and transaction_id = $2 and decision = 'unfinished' and fence = coalesce($7, fence)
   returning transaction_id`,
);

export type EndOfUnfinished = {
  readonly decision: Exclude<RestoredDecision, 'unfinished'>;
  /** Null: as it was. */
  readonly reason: string | null;
  /** What was not written. */
  readonly faults: readonly Fault[];
  readonly by: string;
  /** Absent: any process that goes on with it. */
  readonly fence?: number;
};

/** Returns a row when it has ended it. */
export function endUnfinishedStep(
  { merchantId, transactionId }: ChargeKey,
  { decision, reason, faults, by, fence }: EndOfUnfinished,
): Step {
  const values = [merchantId, transactionId, decision, reason, detailOf(faults), by, fence ?? null];
  return { statement: END, values };
}

export type ChargeKey = Pick<RestoredCharge, 'merchantId' | 'transactionId'>;

function detailOf(faults: readonly Fault[]): string | null {
  const text = faults
    .map(({ words }) => words)
    .join('; ')
    .slice(0, LONGEST_DETAIL);
  return text === '' ? null : text;
}

const CLAIM_UNFINISHED = statement(
  'restored_charges.claim_unfinished',
  `with due as (
     select merchant_id, transaction_id from restored_charges where decision = 'unfinished' and due_at <= now()
     order by due_at limit $1 for no key update skip locked
   )
   update restored_charges r set fence = r.fence + 1, tries = least(r.tries + 1, 32000),
     due_at = now() + $2 * interval '1 millisecond'
   from due d where r.merchant_id = d.merchant_id and r.transaction_id = d.transaction_id
   returning r.merchant_id, r.transaction_id, r.charge, r.fence, r.tries`,
);

/** One that is leased by this process. */
export type UnfinishedCharge = ChargeKey & {
  readonly charge: ListedCharge;
  readonly fence: number;
  readonly tries: number;
};

export async function claimUnfinished(
  database: Database,
  limit: number,
  leaseMilliseconds: number,
): Promise<UnfinishedCharge[]> {
  return (await database.query(CLAIM_UNFINISHED, [limit, leaseMilliseconds])).map((row) => ({
    ...keyOf(row),
    charge: row.charge as ListedCharge,
    fence: row.fence as number,
    tries: row.tries as number,
  }));
}

const POSTPONE = statement(
  'restored_charges.postpone_unfinished',
  `update restored_charges set due_at = now() + $4 * interval '1 second'
   where merchant_id = $1 and transaction_id = $2 and decision = 'unfinished' and fence = $3`,
);

export async function postponeUnfinished(
  database: Database,
  { merchantId, transactionId, fence }: UnfinishedCharge,
  seconds: number,
): Promise<void> {
  await database.query(POSTPONE, [merchantId, transactionId, fence, seconds]);
}

/** Null: nothing is left to be finished. */
export const EARLIEST_UNFINISHED = statement(
  'restored_charges.next_unfinished',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds
   from restored_charges where decision = 'unfinished'`,
);

const CLAIM_DECISION = statement(
  'restored_charges.claim_decision',
  `with waiting as (
     select merchant_id, transaction_id, claimed_as, claimed_by from restored_charges
     where merchant_id = $1 and transaction_id = $2 and decision = 'undecided'
       and (claimed_until is null or claimed_until <= now()) and (coalesce(claimed_as, 'kept') in ('kept', $3) or fence = $6)
     for no key update
   )
   update restored_charges r set claimed_as = $3, claimed_by = $4, claimed_until = now() + $5 * interval '1 millisecond',
     fence = r.fence + 1
   from waiting w where r.merchant_id = w.merchant_id and r.transaction_id = w.transaction_id
   returning r.fence, w.claimed_as as former_as, w.claimed_by as former_by`,
);

/** Another decision on a charge that waits. */
export type ClaimedBy = {
  readonly as: PersonsDecision;
  readonly by: string;
  /** False: it was not ended, and can be gone on with. */
  readonly isUnderWay: boolean;
  readonly fence: number;
};

type Begun = { readonly as: PersonsDecision; readonly by: string };

/**
 * Of a charge: `fence` proves that it is this process that decides on it. `former`: another decision was
 * begun and not ended; null: none was.
 */
export type DecisionClaim = ChargeKey & {
  readonly fence: number;
  readonly own: Begun;
  readonly former: Begun | null;
};

/**
 * One person at a time decides on a charge. One that was begun as `voided` may have been taken back at
 * the acquirer, and can only be ended so, but where `notVoided` says that the one of this fence took nothing
 * back. Null: it waits for no decision any more.
 */
export async function claimDecision(
  database: Database,
  { merchantId, transactionId }: ChargeKey,
  own: Begun,
  leaseMilliseconds: number,
  notVoided: number | null = null,
): Promise<DecisionClaim | ClaimedBy | null> {
  const values = [merchantId, transactionId, own.as, own.by, leaseMilliseconds, notVoided];
  const [row] = await database.query(CLAIM_DECISION, values);
  if (row !== undefined) {
    const former =
      row.former_as === null ? null : { as: row.former_as as PersonsDecision, by: row.former_by as string };
    return { merchantId, transactionId, fence: row.fence as number, own, former };
  }
  const [found] = await database.query(FIND_CLAIM, [merchantId, transactionId]);
  if (found === undefined) return null;
  return {
    as: found.claimed_as as PersonsDecision,
    by: found.claimed_by as string,
    isUnderWay: found.is_under_way as boolean,
    fence: found.fence as number,
  };
}

const FIND_CLAIM = statement(
  'restored_charges.find_claim',
  `select claimed_as, claimed_by, fence, claimed_until > now() as is_under_way from restored_charges
   where merchant_id = $1 and transaction_id = $2 and decision = 'undecided' and claimed_as is not null`,
);

const HOLD_CLAIM = statement(
  'restored_charges.hold_claim',
  `select fence from restored_charges
   where merchant_id = $1 and transaction_id = $2 and decision = 'undecided' and fence = $3 for no key update`,
);

/** Gives a row while nobody else has taken the decision over, who then waits for the end of the commit. */
export function holdClaimStep({ merchantId, transactionId, fence }: DecisionClaim): Step {
  return { statement: HOLD_CLAIM, values: [merchantId, transactionId, fence] };
}

const LEAVE_CLAIM = statement(
  'restored_charges.leave_claim',
  `update restored_charges set claimed_until = now(), claimed_as = $4, claimed_by = $5, detail = coalesce($6, detail)
   where merchant_id = $1 and transaction_id = $2 and decision = 'undecided' and fence = $3`,
);

/**
 * `wasActed`: something may have been done, and only the same decision can end it; otherwise it is as it was
 * before the claim. `isNotVoided`: nor has an earlier one taken anything back.
 */
export type LeftUndone = {
  readonly wasActed: boolean;
  readonly isNotVoided?: boolean;
  readonly faults?: readonly Fault[];
};

export async function leaveClaim(
  database: Database,
  { merchantId, transactionId, fence, own, former }: DecisionClaim,
  { wasActed, isNotVoided = false, faults = [] }: LeftUndone,
): Promise<void> {
  const before = isNotVoided && former?.as === 'voided' ? null : former;
  const left = wasActed ? own : before;
  const values = [merchantId, transactionId, fence, left?.as ?? null, left?.by ?? null, detailOf(faults)];
  await database.query(LEAVE_CLAIM, values);
}

const DECIDE = statement(
  'restored_charges.decide',
  `update restored_charges set decision = $4, detail = null,
     due_at = case when $4 = 'unfinished' then now() end, tries = 0,
     decided_at = case when $4 <> 'unfinished' then now() end, decided_by = case when $4 <> 'unfinished' then $5 end
   where merchant_id = $1 and transaction_id = $2 and decision = 'undecided' and fence = $3
   returning transaction_id`,
);

/** Returns a row when the claim still held. */
export function decideStep(
  { merchantId, transactionId, fence }: DecisionClaim,
  decision: Exclude<RestoredDecision, 'undecided'>,
  by: string,
): Step {
  return { statement: DECIDE, values: [merchantId, transactionId, fence, decision, by] };
}

const LIST = statement(
  'restored_charges.list_waiting',
  `select merchant_id, transaction_id, decision, reason, detail, charge, found_at from restored_charges
   where decision = $1 and ($2::text is null or merchant_id = $2)
     and ($3::uuid[] is null or transaction_id = any($3::uuid[]))
   order by found_at, merchant_id, transaction_id limit $4`,
);

export type WaitingFilter = {
  readonly decision: 'undecided' | 'unfinished';
  /** Null: of all merchants. */
  readonly merchantId: string | null;
  /** Null: all. */
  readonly transactionIds: readonly string[] | null;
};

/** Oldest first. */
export async function listWaiting(
  database: Database,
  { decision, merchantId, transactionIds }: WaitingFilter,
  limit: number,
): Promise<RestoredCharge[]> {
  const rows = await database.query(LIST, [decision, merchantId, transactionIds, limit]);
  return rows.map((row) => ({
    ...keyOf(row),
    decision: row.decision as RestoredDecision,
    reason: row.reason as string,
    detail: row.detail as string | null,
    charge: row.charge as ListedCharge,
    foundAt: row.found_at as Instant,
  }));
}

function keyOf(row: Row): ChargeKey {
  return { merchantId: row.merchant_id as string, transactionId: row.transaction_id as string };
}

const COUNT_WAITING = statement(
  'restored_charges.count_waiting',
  // Each by the index of its decision.
  `select u.undecided, u.of_billings, n.unfinished
   from (select count(*)::int as undecided, (count(*) filter (where reason = 'billing'))::int as of_billings
     from restored_charges where decision = 'undecided') u
   cross join (select count(*)::int as unfinished from restored_charges where decision = 'unfinished') n`,
);

/** What of restored charges is not in the books yet: a person's, and what services go on with. */
export type WaitingCounts = {
  readonly undecided: number;
  readonly ofBillings: number;
  readonly unfinished: number;
};

export async function countWaiting(database: Database): Promise<WaitingCounts> {
  return parseCounts(await database.query(COUNT_WAITING, []));
}

export const COUNT_WAITING_STEP: Step = { statement: COUNT_WAITING, values: [] };

export function parseCounts([row = {}]: readonly Row[]): WaitingCounts {
  return {
    undecided: row.undecided as number,
    ofBillings: row.of_billings as number,
    unfinished: row.unfinished as number,
  };
}
