import {
  type ChargeOutcome,
  chargedAmount,
  endBilling,
  endSubscription,
  goOnAfter,
  type ModelBilling,
  type ModelCard,
  type ModelShop,
  type ModelSubscription,
  stampBy,
} from './shop-model.ts';

/** Days from a lack of funds to the next try. */
const PAUSES = [2, 2, 4, 8];
const MOST_CENTS = 9_999_999_999;

/** What the simulator answers to amounts by their last four digits, whatever the card. */
const OUTCOMES_OF_DIGITS: Readonly<Record<number, ChargeOutcome>> = {
  1005: 'Denied',
  1051: 'InsufficientFunds',
  1058: 'Invalid',
  1059: 'Denied',
  1091: 'OutOfOrder',
};

/** Lets the days go by, one after the other: on each, whatever is due is charged. */
export function passDays(shop: ModelShop, until: number): void {
  while (shop.today < until) {
    shop.today += 1;
    chargeDue(shop);
  }
}

/** Charges everything whose day has come. */
export function chargeDue(shop: ModelShop): void {
  for (const subscription of shop.subscriptions) {
    for (const billing of [...subscription.billings]) {
      if (billing.chargeOn !== null && billing.chargeOn <= shop.today) {
        chargeOnSchedule(shop, subscription, billing);
      }
    }
  }
}

function chargeOnSchedule(shop: ModelShop, subscription: ModelSubscription, billing: ModelBilling): void {
  const { outcome, isSent } = answerOf(shop, subscription);
  const retries = billing.charges.filter(({ attempt }) => attempt !== null).length;
  const { attempts, installments, planType } = subscription.terms;
  const isRetried = outcome === 'InsufficientFunds' && retries < attempts;
  const nextChargeOn = isRetried ? shop.today + (PAUSES[retries] ?? 0) : null;
  billing.charges.push({ attempt: retries + 1, on: shop.today, outcome, nextChargeOn, isSent });
  shop.charged.add(billing);
  if (isRetried) {
    billing.chargeOn = nextChargeOn;
    billing.modified = stampBy(shop, 'system');
    return;
  }
  endBilling(shop, billing, STATUS_AFTER[outcome], 'system');
  const isDeclined = outcome === 'InsufficientFunds' || outcome === 'Denied';
  if (outcome === 'CardCanceled') endSubscription(shop, subscription, 'CardCanceled', billing, 'system');
  // A final no of the issuer ends all but a custom one.
  else if ((planType === 'Monthly' || installments === 0) && isDeclined) {
    endSubscription(shop, subscription, 'Declined', billing, 'system');
  } else goOnAfter(shop, subscription, billing, 'system');
}

const STATUS_AFTER: Readonly<Record<ChargeOutcome, ModelBilling['status']>> = {
  Approved: 'Paid',
  InsufficientFunds: 'Denied',
  CardCanceled: 'Denied',
  Denied: 'Denied',
  OutOfOrder: 'Denied',
  Invalid: 'PaymentInvalid',
};

/**
 * Null: it cannot be charged by hand, and nothing is sent. A no changes nothing, save that a
 * canceled card blocks.
 */
export function chargeManually(
  shop: ModelShop,
  subscription: ModelSubscription,
  billing: ModelBilling,
): Answer | null {
  if (billing.status !== 'Denied' && billing.status !== 'PaymentInvalid') return null;
  const answer = answerOf(shop, subscription);
  const { outcome, isSent } = answer;
  billing.charges.push({ attempt: null, on: shop.today, outcome, nextChargeOn: null, isSent });
  shop.charged.add(billing);
  billing.modified = stampBy(shop, shop.userName);
  if (outcome === 'Approved') billing.status = 'Paid';
  if (outcome === 'CardCanceled' && subscription.status === 'Active') {
    endSubscription(shop, subscription, 'CardCanceled', billing, shop.userName, 'system');
  }
  return answer;
}

type Answer = { readonly outcome: ChargeOutcome; readonly isSent: boolean };

function answerOf(shop: ModelShop, { vaultId, terms }: ModelSubscription): Answer {
  const card = shop.cards.find((one) => one.vaultId === vaultId) as ModelCard;
  const cents = Math.round(Number(chargedAmount(terms.amount)) * 100);
  if (cents < 1 || cents > MOST_CENTS || shop.today > card.goodUntil) {
    return { outcome: 'Invalid', isSent: false };
  }
  // It said "never again" to this merchant.
  if (card.isCanceled) return { outcome: 'CardCanceled', isSent: false };
  const outcome = issuerAnswer(card, cents);
  if (outcome === 'Approved') card.approved += 1;
  else card.declined += 1;
  card.isCanceled = outcome === 'CardCanceled';
  return { outcome, isSent: true };
}

function issuerAnswer(card: ModelCard, cents: number): ChargeOutcome {
  const ofAmount = OUTCOMES_OF_DIGITS[cents % 10_000];
  if (ofAmount !== undefined) return ofAmount;
  if (card.approvals !== null && card.approved >= card.approvals) return 'CardCanceled';
  return card.declined < card.lacksFunds ? 'InsufficientFunds' : 'Approved';
}
