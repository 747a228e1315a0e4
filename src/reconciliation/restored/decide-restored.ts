import type { Actor, Audit, AuditEvent } from '../../audit/audit-event.ts';
import type { Acquirers } from '../../providers/open-acquirers.ts';
import { DEFAULT_PROVIDER } from '../../providers/provider.ts';
import { advancePastCharge } from '../../recurrence/collection/advance-past-charge.ts';
import { holdInDoubt } from '../../transactions/methods/card/resolutions.sql.ts';
import { isUuid } from '../../values/ids.ts';
import { findBooksOf } from './books.sql.ts';
import { type FillTools, fillCharge, type NotWritten } from './fill-charge.ts';
import { GuardLost, guardedDatabase } from './guarded-database.ts';
import {
  type Books,
  decisionsOn,
  endsBilling,
  type FillReason,
  isDue,
  isOtherAmount,
  type PersonsDecision,
  paysBilling,
  type RestoredCharge,
  refusalToVoid,
  type Standing,
  standingOf,
} from './restored-charge.ts';
import {
  type ClaimedBy,
  claimDecision,
  type DecisionClaim,
  holdClaim,
  type LeftUndone,
  leaveClaim,
  recordDecision,
} from './restored-charges.sql.ts';

export type DecideRestoredTools = FillTools & {
  readonly audit: Audit;
  readonly operator: Actor;
  readonly acquirers: Pick<Acquirers, 'of'>;
  readonly acquirerTimeoutMilliseconds: number;
};

export type AskedDecision = {
  readonly decision: PersonsDecision;
  readonly reason: string;
  readonly account: string | null;
};

/** A text is the reason why nothing was decided. */
export type DecidedRestored = 'decided' | string;

type Acted =
  | { readonly done: 'filled' | 'voided' | 'unfinished' }
  | ({ readonly refusal: string } & LeftUndone);

/** Time to write into the books after the acquirer's answer. */
const LEASE_MARGIN_MILLISECONDS = 60_000;
const DECIDED_ELSEWHERE = 'was decided by somebody else at this moment';

/**
 * Claims, acts, then records with the audit entry. After a crash the same call completes it, once the claim
 * has run out.
 */
export async function decideRestored(
  tools: DecideRestoredTools,
  waiting: RestoredCharge,
  asked: AskedDecision,
): Promise<DecidedRestored> {
  const allowed = decisionsOn(waiting);
  if (!allowed.includes(asked.decision)) return `can only be decided as ${allowed.join(' or ')}`;
  const books = await findBooksOf(tools.database, waiting.charge);
  const notToVoid = refusalToVoid(waiting.charge, books);
  // Before the claim: after a crash, a claim to void can only end as voided.
  if (asked.decision === 'voided' && notToVoid !== null) return notToVoid;
  const claim = await claimFor(tools, waiting, asked, notToVoid !== null);
  if (claim === null) return DECIDED_ELSEWHERE;
  if (!('own' in claim)) return claimedText(claim);
  const acted = await actOn(tools, waiting, claim, asked);
  if ('refusal' in acted) {
    await leaveClaim(tools.database, claim, acted);
    return acted.refusal;
  }
  return (await record(tools, waiting, claim, asked, acted.done)) ? 'decided' : DECIDED_ELSEWHERE;
}

/** `isNeverVoided`: nothing was taken back, so the charge can still be kept. */
async function claimFor(
  { database, operator, acquirerTimeoutMilliseconds }: DecideRestoredTools,
  waiting: RestoredCharge,
  { decision }: AskedDecision,
  isNeverVoided: boolean,
): Promise<DecisionClaim | ClaimedBy | null> {
  const lease = acquirerTimeoutMilliseconds + LEASE_MARGIN_MILLISECONDS;
  const own = { as: decision, by: operator.actor };
  const claim = await claimDecision(database, waiting, own, lease);
  if (claim === null || 'own' in claim || claim.isUnderWay || !isNeverVoided) return claim;
  return claimDecision(database, waiting, own, lease, claim.fence);
}

function claimedText({ as, by, isUnderWay }: ClaimedBy): string {
  return isUnderWay
    ? `is being decided as ${as} by ${by}`
    : `was begun to be decided as ${as} by ${by}, and can only be ended so`;
}

async function actOn(
  tools: DecideRestoredTools,
  waiting: RestoredCharge,
  claim: DecisionClaim,
  asked: AskedDecision,
): Promise<Acted> {
  if (asked.decision === 'voided') return takeBack(tools, waiting);
  const books = await findBooksOf(tools.database, waiting.charge);
  const database = guardedDatabase(tools.database, (tx) => holdClaim(tx, claim));
  try {
    return await keep({ ...tools, database }, waiting, { books, account: asked.account });
  } catch (error) {
    if (error instanceof GuardLost) return refused(DECIDED_ELSEWHERE);
    throw error;
  }
}

const refused = (refusal: string): Acted => ({ refusal, wasActed: false });

async function record(
  { audit, operator }: DecideRestoredTools,
  { merchantId, transactionId, reason: was, charge }: RestoredCharge,
  claim: DecisionClaim,
  { decision, reason }: AskedDecision,
  done: 'filled' | 'voided' | 'unfinished',
): Promise<boolean> {
  const event: AuditEvent = {
    ...operator,
    action: 'restore.decide',
    outcome: 'success',
    resource: `merchants/${merchantId}/charges/${transactionId}`,
    detail: { decision, was, amount: charge.amount, reason },
  };
  return audit.transaction(async (tx) => {
    const isDecided = await recordDecision(tx, claim, done, operator.actor);
    if (isDecided) tx.record(event);
    return isDecided;
  });
}

/**
 * The services then resolve what waits for an answer. From here on none charges the billing under the voided
 * id; a charge that has begun is seen in the books.
 */
async function takeBack(
  { database, acquirers, acquirerTimeoutMilliseconds }: DecideRestoredTools,
  { merchantId, transactionId, charge }: RestoredCharge,
): Promise<Acted> {
  const billingId = charge.merchantReference ?? '';
  if (isUuid(billingId))
    await database.transaction((tx) => advancePastCharge(tx, { merchantId, billingId, transactionId }));
  const books = await findBooksOf(database, charge);
  const refusal = refusalToVoid(charge, books);
  if (refusal !== null) return refused(refusal);
  const acquirer = acquirers.of(charge.acquirer ?? DEFAULT_PROVIDER);
  const answer = await acquirer.voidCharge(merchantId, charge.reference, acquirerTimeoutMilliseconds);
  if (answer.kind !== 'voided' && answer.kind !== 'declined') {
    const isNotVoided = answer.kind === 'canceled';
    const wasActed = answer.kind === 'unknown';
    return { refusal: `was not voided: ${answer.reason}`, wasActed, isNotVoided };
  }
  if (books.transaction?.state === 'charging') {
    await database.transaction((tx) => holdInDoubt(tx, merchantId, transactionId, 0));
  }
  return { done: 'voided' };
}

type Keeping = { readonly books: Books; readonly account: string | null };

async function keep(
  tools: DecideRestoredTools,
  { reason, charge }: RestoredCharge,
  { books, account }: Keeping,
): Promise<Acted> {
  if (reason === 'endedThere') return { done: 'filled' };
  const fillReason = reasonToKeep(charge, books);
  if (typeof fillReason !== 'object') return refused(fillReason);
  const chosen =
    fillReason.reason === 'payment' ? accountToKeep(books, account) : { accounts: books.accounts };
  if (typeof chosen === 'string') return refused(chosen);
  const faults = await fillCharge(tools, charge, { ...books, ...chosen }, fillReason.reason);
  const isToBeKept = fillReason.reason === 'payment' || fillReason.reason === 'underWay';
  const { transaction } = await findBooksOf(tools.database, charge);
  return actedOf(standingOf(charge, transaction, isToBeKept), faults ?? []);
}

function actedOf(standing: Standing, faults: NotWritten): Acted {
  if (standing.kind === 'filled' || standing.kind === 'unfinished') return { done: standing.kind };
  const words = faults.length === 0 ? '' : `: ${faults.map((fault) => fault.words).join('; ')}`;
  return { refusal: `could not be put into the books${words}`, wasActed: true, faults };
}

/** A text is the reason why it cannot be kept. */
function reasonToKeep(
  charge: RestoredCharge['charge'],
  books: Books,
): { readonly reason: FillReason } | string {
  const { transaction, billing } = books;
  if (isOtherAmount(charge, transaction?.state === 'charging' ? transaction : null))
    return 'is of another amount than the books could have it';
  if (endsBilling(charge, books)) return { reason: 'billing' };
  switch (transaction?.state) {
    case undefined:
      if (billing === null || charge.initiator !== 'merchant' || !isDue(billing))
        return { reason: 'payment' };
      // The billing may have been opened since the charge was judged: then the charge can pay it.
      return paysBilling(charge, billing)
        ? { reason: 'billing' }
        : 'is of a billing that would be charged again: cancel the billing first';
    // An earlier try may have ended between the charge and its cancels.
    case 'approved':
    case 'preauthorized':
    case 'capturing': {
      const standing = standingOf(charge, transaction, true);
      return { reason: standing.kind === 'missing' ? standing.reason : 'requests' };
    }
    case 'charging':
      return { reason: 'underWay' };
    case 'unresolved':
    case 'declined':
    case 'voided':
      return `is ${transaction.state} in the books`;
  }
}

function accountToKeep(
  { accounts }: Books,
  account: string | null,
): { readonly accounts: readonly string[] } | string {
  const known = accounts ?? [];
  if (known.length === 0) return 'belongs to a merchant that is not here: create it first';
  if (account === null && known.length > 1) return 'belongs to a merchant of several accounts: name one';
  const chosen = account ?? known[0] ?? '';
  return known.includes(chosen) ? { accounts: [chosen] } : 'belongs to a merchant that has no such account';
}
