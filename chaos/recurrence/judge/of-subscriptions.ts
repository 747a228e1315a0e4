import type { ShopCall } from '../chaos-merchant.ts';
import type { BookedBilling, BookedSubscription } from './ledger-view.ts';
import { callsAbout, finalTries, type ShopIndex, type ShopInvariant, verdictOf } from './merchant-index.ts';

/** What a subscription is, by what its merchant asked and what its charges came to. */
export const SUBSCRIPTION_INVARIANTS: readonly ShopInvariant[] = [
  {
    name: 'a subscription that nobody touched is what its charges make of it',
    check(index, complain) {
      for (const subscription of index.subscriptions) {
        const { subscriptionId, state, reason } = subscription;
        if (callsAbout(index, subscriptionId).length > 0) continue;
        const wanted = stateByCharges(index, subscription);
        if (wanted !== `${state} ${reason}`)
          complain(subscriptionId, `${state} ${reason}, and not ${wanted}`);
      }
    },
  },
  {
    name: 'a canceled card blocks its subscription and is not sent again',
    check(index, complain) {
      for (const { billingId, subscriptionId } of index.billings) {
        const last = index.triesOf.get(billingId)?.findLast(({ attemptNumber }) => attemptNumber !== null);
        if (last === undefined || verdictOf(index, last) !== 'blocked') continue;
        const isTouched = callsAbout(index, subscriptionId).length > 0;
        const subscription = index.subscriptionById.get(subscriptionId);
        if (!isTouched && subscription?.state !== 'blocked')
          complain(billingId, `the card is canceled, and the subscription ${subscription?.state}`);
      }
    },
  },
  {
    name: 'who was told that a subscription is canceled is not charged for it any more',
    check(index, complain) {
      for (const call of index.shop.calls) {
        if (call.what !== 'cancel' || call.status !== 200) continue;
        const later = chargedAfter(index, call, call.id);
        if (later !== null) complain(later.billingId, `charged ${later.milliseconds} ms after the answer`);
      }
    },
  },
  {
    name: 'who was told that a plan is canceled is charged for none of its subscriptions any more',
    check(index, complain) {
      for (const call of index.shop.calls) {
        if (call.what !== 'cancelPlan' || call.status !== 200) continue;
        for (const { subscriptionId, planId } of index.subscriptions) {
          const later = planId === call.id ? chargedAfter(index, call, subscriptionId) : null;
          if (later !== null) complain(later.billingId, `charged ${later.milliseconds} ms after the answer`);
        }
      }
    },
  },
  {
    name: 'a chargeback, of a part too, blocks the subscription',
    check(index, complain) {
      for (const call of index.shop.calls) {
        if (call.what !== 'chargeback' || call.status !== 200) continue;
        const { subscriptionId = '' } = index.billingById.get(call.id) ?? {};
        const isAsked = callsAbout(index, subscriptionId).some(({ what }) => what === 'activate');
        if (!isAsked && index.subscriptionById.get(subscriptionId)?.state === 'active')
          complain(call.id, 'its holder took money back, and the subscription is active');
      }
    },
  },
  {
    name: 'what was answered 200 is so',
    check(index, complain) {
      for (const { what, id, status } of index.shop.calls) {
        const state = index.billingById.get(id)?.state;
        if (status !== 200) continue;
        if (what === 'cancelBilling' && state !== 'canceled')
          complain(id, `canceled with a 200, and ${state}`);
        if (what === 'chargeManually' && state !== 'paid') complain(id, `charged with a 200, and ${state}`);
      }
    },
  },
];

/** The judge's own few rules: what is left of a subscription behind its last billing. */
function stateByCharges(index: ShopIndex, subscription: BookedSubscription): string {
  const { subscriptionId, installments } = subscription;
  const last = index.countedOf.get(subscriptionId)?.at(-1);
  if (last === undefined) return 'with a billing';
  if (last.state === 'opened') return 'active null';
  const verdict = lastVerdict(index, last);
  const isDeclined = verdict === 'funds' || (verdict === 'other' && isRefusedByIssuer(index, last));
  if (verdict === 'blocked') return 'blocked cardCanceled';
  if (installments > 0 && last.installment >= installments) return 'completed completed';
  return isDeclined && installments === 0 ? 'canceled declined' : 'active, with an open billing';
}

function lastVerdict(index: ShopIndex, { billingId }: BookedBilling) {
  const last = finalTries(index, billingId).at(-1);
  if (last === undefined) return 'notAsked';
  // The card said so before, to this merchant.
  return last.rule === 'neverAgain' ? 'blocked' : verdictOf(index, last);
}

/** Not permitted, or refused without a reason: the issuer's no, and not a machine's. */
const REFUSED_CODES = ['57', '05', '100'];

function isRefusedByIssuer(index: ShopIndex, { billingId }: BookedBilling): boolean {
  const { transactionId } = finalTries(index, billingId).at(-1) ?? {};
  return REFUSED_CODES.includes(index.transactionById.get(transactionId ?? '')?.responseCode ?? '');
}

type Late = { readonly billingId: string; readonly milliseconds: number };

/**
 * A charge on schedule that began after the answer, while nobody had asked for it to be active
 * again; null: there is none.
 */
function chargedAfter(index: ShopIndex, { answeredAt }: ShopCall, subscriptionId: string): Late | null {
  const asked = index.shop.calls.filter((call) => call.what === 'activate' && call.id === subscriptionId);
  for (const { billingId, attemptNumber, transactionId } of index.tries) {
    const { createdAt } = index.transactionById.get(transactionId ?? '') ?? { createdAt: 0 };
    const isOf =
      index.billingById.get(billingId)?.subscriptionId === subscriptionId && attemptNumber !== null;
    // One whose connection was lost may be carried out whenever.
    const isAsked = asked.some(
      ({ sentAt, status, answeredAt: end }) => sentAt < createdAt && (status === null || end >= answeredAt),
    );
    if (isOf && createdAt > answeredAt && !isAsked)
      return { billingId, milliseconds: Math.round(createdAt - answeredAt) };
  }
  return null;
}
