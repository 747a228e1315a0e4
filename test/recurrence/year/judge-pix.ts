import type { Account, BankCobR, BankPix, Books, WholeBilling } from './books.ts';
import type { PixKind, PixPlanType, PixSubscriber } from './cohorts.ts';
import { bankDayFrom, dayAfter, dayAfterMonths } from './days.ts';
import type { Complain } from './judge.ts';

const MONTHS: Readonly<Partial<Record<PixPlanType, number>>> = {
  Monthly: 1,
  Quarterly: 3,
  Semesterly: 6,
  Yearly: 12,
};
/** Of further tries, from the day that the bank was asked for. */
const RETRY_DAYS = [2, 4, 7];
const LAST_RETRY_DAY = 7;
const DAYS_TO_AGREE = 3;
/** As the bank of this shop wants it. */
const LEAD_DAYS = 3;
const SAO_PAULO_MILLISECONDS = -10_800_000;

/** What becomes of a subscription, by what its payer does. */
const ENDS: Readonly<Partial<Record<PixKind, readonly string[]>>> = {
  paysByCode: ['Active'],
  agrees: ['Active'],
  ignores: ['Expired NotAuthorized'],
  refuses: ['Rejected RejectedByPayer'],
  lacksThenHas: ['Active'],
  ends: ['Canceled ByPayer'],
  leaves: ['Canceled ByMerchant'],
};

export function judgePix(
  books: Books,
  account: Account,
  subscriber: PixSubscriber,
  complain: Complain,
): void {
  const { billings, subscription, recStatus, createdOn, cobrs } = account;
  const { kind, planType } = subscriber;
  const words = [subscription.status, subscription.statusReason ?? []].flat().join(' ');
  const ends = ENDS[kind];
  if (ends !== undefined && !ends.includes(words)) complain(`it is ${words}`);
  if ((subscription.status === 'Active') !== (recStatus === 'APROVADA'))
    complain(`it is ${words}, and its authorization ${recStatus}`);
  let dueOn = firstDueOn(subscriber, createdOn);
  let before: BankCobR | null = null;
  for (const billing of billings) {
    const of = (text: string) =>
      complain(`installment ${billing.installment} of ${billing.expireAt}: ${text}`);
    if (billing.expireAt.slice(0, 10) !== dueOn) of(`it is due on ${dueOn}`);
    const nextOn = nextDueOn(dueOn, planType);
    const own = cobrs.filter(({ calendario: { dataDeVencimento: on } }) => on >= dueOn && on < nextOn);
    const [cobr = null] = own;
    if (own.length > 1) of(`the bank has ${own.length} charges for it`);
    if (cobr !== null) judgeAskedDay(dueOn, cobr, before, of);
    judgeMoney(books, billing, cobr, subscriber, of);
    judgeTries(billing, cobr, subscriber, of);
    [dueOn, before] = [nextOn, cobr ?? before];
  }
}

/** A billing opens when the one before is over, and the bank always has its lead time. */
function judgeAskedDay(dueOn: string, cobr: BankCobR, before: BankCobR | null, complain: Complain): void {
  const paidOn = before?.tentativas?.find(({ status }) => status === 'PAGA')?.dataLiquidacao;
  // When the end of an unpaid one was known is written nowhere.
  if (before !== null && paidOn === undefined) return;
  const wanted = paidOn === undefined ? dueOn : laterOf(dueOn, dayAfter(paidOn, LEAD_DAYS));
  const asked = cobr.calendario.dataDeVencimento;
  if (asked !== wanted) complain(`the bank was asked for ${asked}, and not for ${wanted}`);
}

function nextDueOn(dueOn: string, planType: PixPlanType): string {
  const months = MONTHS[planType];
  return months === undefined ? dayAfter(dueOn, 7) : dayAfterMonths(dueOn, months);
}

/** The first code pays at once; otherwise the payer has time to agree, and the bank its lead time. */
function firstDueOn({ journey, trialDays }: PixSubscriber, createdOn: string): string {
  if (journey === 3) return createdOn;
  let day = dayAfter(createdOn, Math.max(trialDays, DAYS_TO_AGREE + LEAD_DAYS + 1));
  while (Number(day.slice(-2)) > 28) day = dayAfter(day, 1);
  return day;
}

function judgeMoney(
  { arrived, arrivedFor }: Books,
  { status, nsu, installment }: WholeBilling,
  cobr: BankCobR | null,
  { amount, journey }: PixSubscriber,
  complain: Complain,
): void {
  const came = cobr === null ? [] : (arrivedFor.get(cobr.txid) ?? []);
  const paid = arrived.get(nsu ?? '');
  const isByCode = journey === 3 && installment === 1;
  if (status !== 'Paid') {
    if (came.length > 0) complain(`it is ${status}, and ${came[0]?.endToEndId} came`);
    if (nsu !== null) complain(`it is ${status}, and names ${nsu}`);
    return;
  }
  if (paid === undefined) complain(`it names ${nsu}, which never came`);
  if (paid !== undefined && paid.amount !== amount) complain(`${paid.amount} came`);
  if (isByCode || paid === undefined) return;
  if (came.length !== 1 || came[0] !== paid) complain(`${came.length} came for its charge at the bank`);
  judgeDay(paid, cobr, complain);
}

/** On a day on which banks work, of a try that was asked for. */
function judgeDay(paid: BankPix, cobr: BankCobR | null, complain: Complain): void {
  const day = new Date(Date.parse(paid.horario) + SAO_PAULO_MILLISECONDS).toISOString().slice(0, 10);
  const days = (cobr?.tentativas ?? []).map(({ dataLiquidacao }) => dataLiquidacao);
  if (!days.includes(day)) complain(`it was paid on ${day}, and tried on ${days}`);
}

function judgeTries(
  { status, timeline, expireAt }: WholeBilling,
  cobr: BankCobR | null,
  { attempts }: PixSubscriber,
  complain: Complain,
): void {
  const billedOn = expireAt.slice(0, 10);
  const tries = cobr?.tentativas ?? [];
  const asked = cobr?.calendario.dataDeVencimento ?? billedOn;
  if (tries.length > 1 + attempts) complain(`${tries.length} tries, and ${attempts} retries are allowed`);
  let day = bankDayFrom(asked);
  for (const [at, { dataLiquidacao }] of tries.entries()) {
    if (dataLiquidacao !== day) complain(`try ${at + 1} is on ${dataLiquidacao}, and not on ${day}`);
    day = laterOf(dayAfter(asked, RETRY_DAYS[at] ?? 0), dayAfter(dataLiquidacao, 1));
  }
  const last = timeline.filter(({ type }) => type === 'Charged').at(-1);
  if (status === 'Denied') {
    const isOver = tries.length === 1 + attempts || day > dayAfter(asked, LAST_RETRY_DAY);
    if (cobr?.status !== 'REJEITADA' && !isOver)
      complain(`denied after ${tries.length} tries by the rule ${last?.rule}`);
  }
  // Its retries may leave no day of the cycle behind it.
  if (status === 'PaymentInvalid' && last?.rule !== 'CycleOver')
    complain(`it is PaymentInvalid by the rule ${last?.rule}`);
  if (status === 'Canceled' && timeline.every(({ type }) => type !== 'Canceled'))
    complain('nobody canceled it');
}

const laterOf = (one: string, other: string) => (one > other ? one : other);
