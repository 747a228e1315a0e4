import { dayAfter, daysFrom, laterOf } from '../days.ts';
import type { BookedBilling, BookedSubscription, BookedTry } from './ledger-view.ts';
import { callsAbout, finalTries, type ShopIndex, type ShopInvariant, verdictOf } from './merchant-index.ts';

/** Days from a failure to the retry behind it. */
const PAUSES = [2, 2, 4, 8] as const;

/** What falls due when, and what is tried again. */
export const SCHEDULE_INVARIANTS: readonly ShopInvariant[] = [
  {
    name: 'no due installment is missing, and no other is open',
    check({ subscriptions, billings, today }, complain) {
      const opened = Map.groupBy(
        billings.filter(({ state }) => state === 'opened'),
        ({ subscriptionId }) => subscriptionId,
      );
      for (const { subscriptionId, state } of subscriptions) {
        const open = opened.get(subscriptionId) ?? [];
        const wanted = state === 'active' ? 1 : 0;
        if (open.length !== wanted)
          complain(subscriptionId, `${state}, and ${open.length} billings are open`);
        for (const { billingId, chargeOn } of open) {
          if (chargeOn === null || chargeOn <= today)
            complain(billingId, `to be charged on ${chargeOn}, and it is ${today}`);
        }
      }
    },
  },
  {
    name: 'installments follow each other, an interval apart',
    check(index, complain) {
      for (const [subscriptionId, billings] of index.countedOf) {
        const subscription = index.subscriptionById.get(subscriptionId);
        if (subscription === undefined) continue;
        for (const [position, billing] of billings.entries()) {
          const fault = placeFault(index, subscription, billing, billings[position - 1] ?? null);
          if (billing.installment !== position + 1)
            complain(billing.billingId, `installment ${billing.installment} is the ${position + 1}th`);
          if (fault !== null) complain(billing.billingId, fault);
        }
      }
    },
  },
  {
    name: 'attempts are counted: one outcome for each, no more than the terms allow',
    check(index, complain) {
      for (const billing of index.billings) {
        const finals = finalTries(index, billing.billingId).map(({ attemptNumber }) => attemptNumber);
        const all = (index.triesOf.get(billing.billingId) ?? []).map(
          ({ attemptNumber }) => attemptNumber ?? 0,
        );
        const most = mostAttempts(index, billing);
        const made = Math.max(0, ...all);
        // Its last charge was voided, and its merchant had canceled meanwhile.
        const isEndedByVoid =
          billing.state === 'canceled' && finals.length === made - 1 && isCanceledByMerchant(index, billing);
        const isInOrder = finals.every((attemptNumber, position) => attemptNumber === position + 1);
        if (made > most) complain(billing.billingId, `${made} attempts, and ${most} are allowed`);
        if (!isInOrder || (finals.length !== made && !isEndedByVoid))
          complain(billing.billingId, `its tries are attempts ${all.join()}`);
        // Given back when it is to be made again, and canceled before that: it was never made.
        const isGivenBack = isEndedByVoid && billing.chargesMade === finals.length;
        if (billing.chargesMade !== made && !isGivenBack)
          complain(billing.billingId, `says ${billing.chargesMade} attempts, and ${made} were made`);
      }
    },
  },
  {
    name: 'only a lack of funds is tried again, two, two, four and eight days later',
    check(index, complain) {
      for (const billing of index.billings) {
        const finals = finalTries(index, billing.billingId);
        for (const [position, one] of finals.entries()) {
          const next = finals[position + 1];
          const isOpen = billing.state === 'opened' && next === undefined;
          if (next === undefined && !isOpen) {
            const isGivenUp = billing.state === 'denied' && one.rule !== 'networkLimit';
            if (
              isGivenUp &&
              verdictOf(index, one) === 'funds' &&
              finals.length < mostAttempts(index, billing)
            )
              complain(billing.billingId, `given up after ${finals.length} attempts`);
            continue;
          }
          // What nothing stays of is sent again later, and a clock that jumps meanwhile goes on without it.
          const begunOn = next === undefined ? billing.chargeOn : firstStartOf(index, next);
          const fault = retryFault(index, billing, finals, position, begunOn);
          if (fault !== null) complain(billing.billingId, `attempt ${one.attemptNumber}: ${fault}`);
        }
      }
    },
  },
  {
    name: 'each billing is charged on its day',
    check(index, complain) {
      for (const billing of index.billings) {
        const first = index.triesOf.get(billing.billingId)?.find(({ attemptNumber }) => attemptNumber === 1);
        if (first === undefined) continue;
        const { dueOn, createdOn } = billing;
        const days = [laterOf(dueOn, createdOn), laterOf(dueOn, dayAfter(createdOn, 1))];
        // Opened while the clock was moved: it went on in between.
        const isMeanwhile =
          (isEnrolledMeanwhile(index, billing) || isActivatedMeanwhile(index, billing)) &&
          first.startedOn > dueOn;
        if (!days.includes(first.startedOn) && !isMeanwhile)
          complain(
            billing.billingId,
            `due on ${dueOn}, opened on ${createdOn}, charged on ${first.startedOn}`,
          );
      }
    },
  },
  {
    name: 'two installments of one subscription are never charged on one day',
    check(index, complain) {
      const days = new Map<string, string>();
      for (const { billingId, attemptNumber, transactionId, startedOn, outcome } of index.tries) {
        const billing = index.billingById.get(billingId);
        if (attemptNumber === null || transactionId === null || billing === undefined) continue;
        // Nothing of it stayed; its merchant canceled, and what was activated again owes the same day anew.
        const isNothing = outcome === 'voided' && billing.state === 'canceled';
        if (isNothing && isCanceledByMerchant(index, billing)) continue;
        const other = days.getOrInsert(`${billing.subscriptionId} ${startedOn}`, billingId);
        if (other !== billingId) complain(billingId, `charged on ${startedOn}, as was ${other}`);
      }
    },
  },
];

function isEnrolledMeanwhile(
  { shop, subscriptionById }: ShopIndex,
  { subscriptionId, installment }: BookedBilling,
): boolean {
  const { orderNumber } = subscriptionById.get(subscriptionId) ?? {};
  const isOrder = shop.calls.some(({ what, order }) => what === 'subscribe' && order === orderNumber);
  return isOrder && installment === 1 && shop.targets.length > 0;
}

function isActivatedMeanwhile(index: ShopIndex, { subscriptionId }: BookedBilling): boolean {
  const jumps = index.shop.calls.filter(({ what }) => what === 'jump');
  const activations = callsAbout(index, subscriptionId).filter(({ what }) => what === 'activate');
  return activations.some(({ sentAt, answeredAt }) =>
    jumps.some((jump) => sentAt <= jump.answeredAt && answeredAt >= jump.sentAt),
  );
}

/** The billing, its subscription, or the plan, which ends the subscription with the reason `plan`. */
function isCanceledByMerchant(index: ShopIndex, { subscriptionId }: BookedBilling): boolean {
  const endedWithPlan = index.subscriptionById.get(subscriptionId)?.reason === 'plan';
  return callsAbout(index, subscriptionId).some(
    ({ what }) => what === 'cancel' || (what === 'cancelPlan' && endedWithPlan),
  );
}

function mostAttempts(index: ShopIndex, { subscriptionId }: BookedBilling): number {
  return 1 + (index.subscriptionById.get(subscriptionId)?.maxRetries ?? 0);
}

/** Where a billing stands that is not where its series has it; null: it does. */
function placeFault(
  index: ShopIndex,
  { subscriptionId, firstDueOn, intervalDays }: BookedSubscription,
  { dueOn, createdOn }: BookedBilling,
  before: BookedBilling | null,
): string | null {
  const isActivated = callsAbout(index, subscriptionId).some(({ what }) => what === 'activate');
  const wasCharged = (index.countedOf.get(subscriptionId) ?? []).some(
    (one) => one.dueOn < dueOn && one.chargesMade > 0,
  );
  // Activated again before anything was charged, the series begins on that day.
  if (isActivated && !wasCharged && dueOn === createdOn && dueOn > (before?.dueOn ?? firstDueOn)) return null;
  const from = before?.dueOn ?? firstDueOn;
  const days = daysFrom(from, dueOn);
  if (days % intervalDays !== 0 || days < (before === null ? 0 : 1))
    return `due on ${dueOn}: not of the series from ${from} every ${intervalDays} days`;
  // Activated again, it owes nothing of what went by meanwhile.
  if (isActivated) return null;
  const wanted = before === null ? firstDueOn : dayAfter(before.dueOn, intervalDays);
  return dueOn === wanted ? null : `due on ${dueOn}, and not on ${wanted}`;
}

/** The day on which an attempt was sent for the first time. */
function firstStartOf({ triesOf }: ShopIndex, { billingId, attemptNumber, startedOn }: BookedTry): string {
  const first = triesOf.get(billingId)?.find((one) => one.attemptNumber === attemptNumber);
  return first?.startedOn ?? startedOn;
}

/** What is wrong with a retry, made or still to come; null: nothing. */
function retryFault(
  index: ShopIndex,
  billing: BookedBilling,
  finals: readonly BookedTry[],
  position: number,
  retriedOn: string | null,
): string | null {
  const failed = finals[position] as BookedTry;
  const verdict = verdictOf(index, failed);
  if (verdict !== 'funds') return `${verdict}, and it is tried again on ${retriedOn}`;
  const scheduledOn = finals[position - 1]?.nextChargeOn ?? billing.dueOn;
  const wanted = dayAfter(laterOf(scheduledOn, failed.startedOn), PAUSES[position] ?? 0);
  if (failed.nextChargeOn !== wanted)
    return `failed on ${failed.startedOn}, is to be tried again on ${failed.nextChargeOn}, and not on ${wanted}`;
  return retriedOn === wanted ? null : `was to be tried again on ${wanted}, and is on ${retriedOn}`;
}
