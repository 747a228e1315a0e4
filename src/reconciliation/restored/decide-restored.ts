import type { Acquirer } from '../../acquirers/acquirer.ts';
import type { Actor, Audit, AuditEvent } from '../../audit/audit-event.ts';
import { holdInDoubtStep } from '../../transactions/card/charges-in-doubt.sql.ts';
import { bookKey, findBooks } from './books.sql.ts';
import { type FillTools, fillCharge } from './fill-charge.ts';
import {
  type Books,
  DECISIONS_OF_REASON,
  isDue,
  type PersonsDecision,
  type RestoredCharge,
  type UndecidedReason,
} from './restored-charge.ts';
import { decideStep } from './restored-charges.sql.ts';

export type DecideRestoredTools = FillTools & {
  readonly audit: Audit;
  readonly operator: Actor;
  readonly acquirer: Pick<Acquirer, 'voidCharge'>;
  readonly acquirerTimeoutMilliseconds: number;
};

export type AskedDecision = {
  readonly decision: PersonsDecision;
  readonly reason: string;
  /** Of a merchant that has several; null: it has one. */
  readonly account: string | null;
};

/** A text: why nothing was decided. */
export type DecidedRestored = 'decided' | string;

/**
 * Carries out what a person decided on a charge, with its entry in the audit log: first what is
 * done, then that it was. Killed in between, the same again ends it.
 */
export async function decideRestored(
  tools: DecideRestoredTools,
  waiting: RestoredCharge,
  asked: AskedDecision,
): Promise<DecidedRestored> {
  const allowed: readonly PersonsDecision[] = DECISIONS_OF_REASON[waiting.reason as UndecidedReason];
  if (!allowed.includes(asked.decision)) return `can only be decided as ${allowed.join(' or ')}`;
  const { charge } = waiting;
  const found = (await findBooks(tools.database, [charge])).get(bookKey(charge));
  if (found === undefined) return 'was not found in the books';
  const refusal =
    asked.decision === 'voided'
      ? await takeBack(tools, waiting, found)
      : await keep(tools, waiting, found, asked);
  if (refusal !== null) return refusal;
  const event: AuditEvent = {
    ...tools.operator,
    action: 'restore.decide',
    outcome: 'success',
    resource: `merchants/${waiting.merchantId}/charges/${waiting.transactionId}`,
    detail: { decision: asked.decision, was: waiting.reason, amount: charge.amount, reason: asked.reason },
  };
  const step = decideStep(waiting, asked.decision === 'kept' ? 'filled' : 'voided', tools.operator.actor);
  const rows = await tools.audit.commit([step], ([decided = []]) => (decided.length === 1 ? [event] : []));
  return rows.at(-1)?.length === 1 ? 'decided' : 'was decided by somebody else at this moment';
}

/** Null: it is taken back. What waits in the books for an answer is then resolved by the services. */
async function takeBack(
  { database, acquirer, acquirerTimeoutMilliseconds }: DecideRestoredTools,
  { merchantId, transactionId, charge }: RestoredCharge,
  books: Books,
): Promise<string | null> {
  const state = books.transaction?.state;
  if (state === 'approved' || state === 'preauthorized' || state === 'capturing')
    return `is ${state} in the books: cancel it there`;
  const answer = await acquirer.voidCharge(merchantId, charge.reference, acquirerTimeoutMilliseconds);
  if (answer.kind !== 'voided' && answer.kind !== 'declined') return `was not voided: ${answer.reason}`;
  if (state === 'charging') await database.commit([holdInDoubtStep(merchantId, transactionId, 0)]);
  return null;
}

/** Null: it is in the books. */
async function keep(
  tools: DecideRestoredTools,
  { reason, charge }: RestoredCharge,
  books: Books,
  { account }: AskedDecision,
): Promise<string | null> {
  if (reason === 'endedThere') return null;
  if (books.transaction !== null) {
    const { state } = books.transaction;
    // A try before this one may have ended between the charge and its cancels.
    if (state === 'approved' || state === 'preauthorized' || state === 'capturing') {
      await fillCharge(tools, charge, books, 'requests', []);
      return null;
    }
    if (state !== 'charging') return `is ${state} in the books`;
    return (await fillCharge(tools, charge, books, 'underWay', []))
      ? null
      : 'could not be put into the books';
  }
  if (books.billing !== null && isDue(books.billing))
    return 'is of a billing that would be charged again: cancel the billing first';
  const accounts = books.accounts ?? [];
  if (accounts.length === 0) return 'belongs to a merchant that is not here: create it first';
  if (account === null && accounts.length > 1) return 'belongs to a merchant of several accounts: name one';
  const chosen = account ?? accounts[0] ?? '';
  if (!accounts.includes(chosen)) return 'belongs to a merchant that has no such account';
  const isFilled = await fillCharge(tools, charge, { ...books, accounts: [chosen] }, 'payment', []);
  return isFilled ? null : 'could not be put into the books';
}
