import { type Database, type Reader, statement, type Tx } from '../../platform/postgres/database.ts';
import { column, firstOf, onlyOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { ListedCharge } from '../../providers/acquirers/listed-charge.ts';
import {
  type Fault,
  PERSONS_DECISIONS,
  type PersonsDecision,
  RESTORED_DECISIONS,
  type RestoredCharge,
  type RestoredDecision,
} from './restored-charge.ts';

const CHARGE = rowCodec<RestoredCharge>({
  merchantId: column.text(),
  transactionId: column.text(),
  decision: column.oneOf(RESTORED_DECISIONS),
  reason: column.text(),
  detail: column.nullable(column.text()),
  charge: column.parsedBy(readListed),
  foundAt: column.instant(),
});

function readListed(value: unknown): ListedCharge | undefined {
  return typeof value === 'object' && value !== null ? (value as ListedCharge) : undefined;
}

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

/** Does not overwrite a person's decision, or a void. */
export async function noteCharge(
  tx: Tx,
  runNumber: number,
  charge: ListedCharge,
  decision: RestoredDecision,
  reason: string,
): Promise<void> {
  const { merchantId, reference } = charge;
  await tx.query(NOTE, [merchantId, reference, runNumber, decision, reason, JSON.stringify(charge)]);
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
  /** null: the reason stays. */
  readonly reason: string | null;
  readonly faults: readonly Fault[];
  readonly by: string;
  /** If absent, any process may end it. */
  readonly fence?: number;
};

export async function endUnfinished(
  tx: Tx,
  { merchantId, transactionId }: ChargeKey,
  { decision, reason, faults, by, fence }: EndOfUnfinished,
): Promise<boolean> {
  const values = [merchantId, transactionId, decision, reason, detailOf(faults), by, fence ?? null];
  return (await tx.query(END, values)).length === 1;
}

export type ChargeKey = Pick<RestoredCharge, 'merchantId' | 'transactionId'>;

function detailOf(faults: readonly Fault[]): string | null {
  const text = faults
    .map(({ words }) => words)
    .join('; ')
    .slice(0, LONGEST_DETAIL);
  return text === '' ? null : text;
}

const UNFINISHED = rowCodec({
  merchantId: CHARGE.fields.merchantId,
  transactionId: CHARGE.fields.transactionId,
  charge: CHARGE.fields.charge,
  fence: column.whole(),
  tries: column.whole(),
});

export type UnfinishedCharge = RowOf<typeof UNFINISHED>;

const CLAIM_UNFINISHED = statement(
  'restored_charges.claim_unfinished',
  `with due as (
     select merchant_id, transaction_id from restored_charges where decision = 'unfinished' and due_at <= now()
     order by due_at limit $1 for no key update skip locked
   )
   update restored_charges r set fence = r.fence + 1, tries = least(r.tries + 1, 32000),
     due_at = now() + $2 * interval '1 millisecond'
   from due d where r.merchant_id = d.merchant_id and r.transaction_id = d.transaction_id
   returning ${UNFINISHED.columnsOf('r')}`,
);

export async function claimUnfinished(
  database: Database,
  limit: number,
  leaseMilliseconds: number,
): Promise<UnfinishedCharge[]> {
  return (await database.query(CLAIM_UNFINISHED, [limit, leaseMilliseconds])).map(UNFINISHED.parse);
}

const POSTPONE = statement(
  'restored_charges.postpone_unfinished',
  `update restored_charges set due_at = now() + $4 * interval '1 second', tries = least(tries, $5)
   where merchant_id = $1 and transaction_id = $2 and decision = 'unfinished' and fence = $3`,
);

/** `mostTries`: no more are kept, so that many waits leave tries for a fault behind them. */
export async function postponeUnfinished(
  database: Database,
  { merchantId, transactionId, fence }: UnfinishedCharge,
  seconds: number,
  mostTries: number,
): Promise<void> {
  await database.query(POSTPONE, [merchantId, transactionId, fence, seconds, mostTries]);
}

export const EARLIEST_UNFINISHED = statement(
  'restored_charges.next_unfinished',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds
   from restored_charges where decision = 'unfinished'`,
);

const CLAIMED = rowCodec({
  fence: column.whole('r.fence'),
  formerAs: column.nullable(column.oneOf(PERSONS_DECISIONS, 'w.claimed_as')),
  formerBy: column.nullable(column.text('w.claimed_by')),
});

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
   returning ${CLAIMED.columns}`,
);

const FOUND_CLAIM = rowCodec({
  as: column.oneOf(PERSONS_DECISIONS, 'claimed_as'),
  by: column.text('claimed_by'),
  /** False if the claim ran out, so that another process may continue. */
  isUnderWay: column.boolean('claimed_until > now()'),
  fence: column.whole(),
});

export type ClaimedBy = RowOf<typeof FOUND_CLAIM>;

type Begun = { readonly as: PersonsDecision; readonly by: string };

/** `former`: a decision that was begun before and not ended. */
export type DecisionClaim = ChargeKey & {
  readonly fence: number;
  readonly own: Begun;
  readonly former: Begun | null;
};

/**
 * Once a claim to void has begun, only a void ends it, unless that claim did nothing (fence `notVoided`).
 * null: the charge waits for no decision.
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
    const { fence, formerAs, formerBy } = CLAIMED.parse(row);
    const former = formerAs === null || formerBy === null ? null : { as: formerAs, by: formerBy };
    return { merchantId, transactionId, fence, own, former };
  }
  return firstOf(await database.query(FIND_CLAIM, [merchantId, transactionId]), FOUND_CLAIM.parse);
}

const FIND_CLAIM = statement(
  'restored_charges.find_claim',
  `select ${FOUND_CLAIM.columns} from restored_charges
   where merchant_id = $1 and transaction_id = $2 and decision = 'undecided' and claimed_as is not null`,
);

const HOLD_CLAIM = statement(
  'restored_charges.hold_claim',
  `select fence from restored_charges
   where merchant_id = $1 and transaction_id = $2 and decision = 'undecided' and fence = $3 for no key update`,
);

/** False if another process took over. Others wait for the end of the transaction. */
export async function holdClaim(
  tx: Tx,
  { merchantId, transactionId, fence }: DecisionClaim,
): Promise<boolean> {
  return (await tx.query(HOLD_CLAIM, [merchantId, transactionId, fence])).length === 1;
}

const LEAVE_CLAIM = statement(
  'restored_charges.leave_claim',
  `update restored_charges set claimed_until = now(), claimed_as = $4, claimed_by = $5, detail = coalesce($6, detail)
   where merchant_id = $1 and transaction_id = $2 and decision = 'undecided' and fence = $3`,
);

/** `wasActed`: only the same decision can end it. `isNotVoided`: no earlier try took anything back. */
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

/** False if the claim was lost. */
export async function recordDecision(
  tx: Tx,
  { merchantId, transactionId, fence }: DecisionClaim,
  decision: Exclude<RestoredDecision, 'undecided'>,
  by: string,
): Promise<boolean> {
  return (await tx.query(DECIDE, [merchantId, transactionId, fence, decision, by])).length === 1;
}

const LIST = statement(
  'restored_charges.list_waiting',
  `select ${CHARGE.columns} from restored_charges
   where decision = $1 and ($2::text is null or merchant_id = $2)
     and ($3::uuid[] is null or transaction_id = any($3::uuid[]))
   order by found_at, merchant_id, transaction_id limit $4`,
);

export type WaitingFilter = {
  readonly decision: 'undecided' | 'unfinished';
  readonly merchantId: string | null;
  readonly transactionIds: readonly string[] | null;
};

export async function listWaiting(
  database: Database,
  { decision, merchantId, transactionIds }: WaitingFilter,
  limit: number,
): Promise<RestoredCharge[]> {
  return (await database.query(LIST, [decision, merchantId, transactionIds, limit])).map(CHARGE.parse);
}

const WAITING = rowCodec({
  undecided: column.whole('u.undecided'),
  ofBillings: column.whole('u.of_billings'),
  unfinished: column.whole('n.unfinished'),
});

export type WaitingCounts = RowOf<typeof WAITING>;

const COUNT_WAITING = statement(
  'restored_charges.count_waiting',
  `select ${WAITING.columns}
   from (select count(*)::int as undecided, (count(*) filter (where reason = 'billing'))::int as of_billings
     from restored_charges where decision = 'undecided') u
   cross join (select count(*)::int as unfinished from restored_charges where decision = 'unfinished') n`,
);

export async function countWaiting(reader: Reader): Promise<WaitingCounts> {
  return onlyOf(await reader.query(COUNT_WAITING, []), WAITING.parse);
}
