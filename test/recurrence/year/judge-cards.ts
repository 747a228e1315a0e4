import type { Account, Books, Charged, WholeBilling } from './books.ts';
import type { CardPlanType, CardSubscriber } from './cohorts.ts';
import { dayAfter } from './days.ts';
import type { Complain } from './judge.ts';
import type { AcquirerCharge } from './year-shop.ts';

const INTERVALS: Readonly<Record<Exclude<CardPlanType, 'Custom'>, number>> = {
  Monthly: 30,
  Bimonthly: 60,
  Quarterly: 90,
  Semesterly: 180,
  Yearly: 365,
};
/** Days from a failure to the retry behind it. */
const PAUSES = [2, 2, 4, 8];

/** What ends a billing that is not paid, by its state. */
const RULES: Readonly<Record<string, readonly string[]>> = {
  Denied: ['NoRetriesLeft', 'NetworkLimit', 'CardCanceled', 'NeverAgain', 'Denied', 'OutOfOrder'],
  PaymentInvalid: ['Invalid', 'CardExpired', 'CardUnusable'],
};

export function judgeCards(
  { today }: Books,
  { billings, charges, createdOn, subscription }: Account,
  subscriber: CardSubscriber,
  complain: Complain,
): void {
  const { planType, intervalDays, installments, trialDays, kind } = subscriber;
  const interval = planType === 'Custom' ? intervalDays : INTERVALS[planType];
  if (planType === 'Custom' && billings.length > installments)
    complain(`${billings.length} of ${installments}`);
  for (const billing of billings) {
    const of = (text: string) =>
      complain(`installment ${billing.installment} of ${billing.expireAt}: ${text}`);
    const dueOn = dayAfter(createdOn, trialDays + interval * (billing.installment - 1));
    if (billing.expireAt.slice(0, 10) !== dueOn) of(`it is due on ${dueOn}`);
    const booked = charges.get(billing.id) ?? [];
    judgeMoney(billing, booked, subscriber.amount, of);
    judgeTries(billing, dueOn, subscriber, of);
    if (dueOn > today && booked.length > 0) of(`it was charged before its day`);
    if (kind === 'good' && dueOn <= today && billing.status !== 'Paid')
      of(`${billing.status}, with a good card`);
  }
  if (kind === 'good' && !['Active', 'Canceled Completed'].includes(wordsOf(subscription)))
    complain(`it is ${wordsOf(subscription)}, with a good card`);
  if (kind === 'leaves' && !['Canceled ByMerchant', 'Canceled Completed'].includes(wordsOf(subscription)))
    complain(`its merchant canceled it, and it is ${wordsOf(subscription)}`);
}

const wordsOf = ({ status, statusReason }: Account['subscription']) =>
  statusReason === undefined ? status : `${status} ${statusReason}`;

/** Paid once, or not at all. */
function judgeMoney(
  { status, nsu }: WholeBilling,
  booked: readonly AcquirerCharge[],
  amount: number,
  complain: Complain,
): void {
  const approved = booked.filter((one) => one.status === 'approved');
  if (approved.length !== (status === 'Paid' ? 1 : 0))
    complain(`it is ${status}, and the acquirer approved ${approved.length} charges`);
  if (status === 'Paid' && approved[0]?.nsu !== nsu) complain(`it names ${nsu}, paid by ${approved[0]?.nsu}`);
  for (const charge of booked)
    if (charge.status !== 'undone' && charge.amount !== amount) complain(`${charge.amount} were charged`);
}

/** Each try on its day, as often as the plan has it, and why no other follows. */
function judgeTries(
  { status, timeline, nextChargeOn }: WholeBilling,
  dueOn: string,
  { attempts }: CardSubscriber,
  complain: Complain,
): void {
  if (timeline.length === 0) return;
  const tries = timeline.filter(({ type, outcome }) => type === 'Charged' && outcome !== 'Undone');
  const last = tries.at(-1);
  if (tries.length > 1 + attempts) complain(`${tries.length} tries, and ${attempts} retries are allowed`);
  let day = dueOn;
  for (const [at, one] of tries.entries()) {
    if (one.at.slice(0, 10) !== day) complain(`try ${at + 1} was made on ${one.at}, and not on ${day}`);
    day = nextDay(one, day, at);
  }
  if (status === 'Opened' && last !== undefined && nextChargeOn !== last.nextChargeOn)
    complain(`the retry is on ${nextChargeOn}, and was said to be on ${last.nextChargeOn}`);
  if (status === 'Canceled' && timeline.every(({ type }) => type !== 'Canceled'))
    complain('nobody canceled it');
  const rules = RULES[status];
  if (rules !== undefined && !rules.includes(last?.rule ?? ''))
    complain(`${status} by the rule ${last?.rule}`);
  if (last?.rule === 'NoRetriesLeft' && tries.length !== 1 + attempts)
    complain(`given up after ${tries.length} tries`);
}

/** The issuer may ask for a later one. */
function nextDay({ rule, nextChargeOn }: Charged, day: string, at: number): string {
  const own = dayAfter(day, PAUSES[at] ?? 0);
  return rule === 'RetryAsAdvised' && nextChargeOn !== null && nextChargeOn > own ? nextChargeOn : own;
}
