import type { KeyedRequest } from '../../../idempotency/idempotency-key.ts';
import type { WantedPage } from '../../../platform/pages.ts';
import type { BoletoPayer, BoletoRequest, RegisteredBoleto } from '../../../providers/banks/bank.ts';
import { businessDayFrom, daysBetween } from '../../../values/business-day.ts';
import { type Cents, cents } from '../../../values/cents.ts';
import { addDays, type Day, type Instant, startOfSaoPauloDay } from '../../../values/instant.ts';
import type { StatesOfStatus } from './bill-status.ts';
import type { ReceivedPayment } from './changes/bank-change.ts';

/**
 * `issuing`: the bank's answer is not known. `refused`: the bank registers no such boleto.
 * `canceling`: the bank was asked to cancel, and has not answered.
 */
export const BOLETO_STATES = [
  'issuing',
  'issued',
  'overdue',
  'canceling',
  'paid',
  'canceled',
  'expired',
  'refused',
] as const;
export type BoletoState = (typeof BOLETO_STATES)[number];

export const BOLETO_EVENTS = [
  'issue',
  'refuse',
  'withdraw',
  'lapse',
  'startCancel',
  'startExpiry',
  'keepIssued',
  'keepOverdue',
  'pay',
  'cancel',
  'expire',
] as const;
/**
 * `withdraw`: the bank was not asked. `lapse`: the due day is over. `keepIssued`, `keepOverdue`: the
 * bank does not cancel it, or was not asked to; it is again what it was.
 */
export type BoletoEvent = (typeof BOLETO_EVENTS)[number];

const NEVER = {
  issue: null,
  refuse: null,
  withdraw: null,
  lapse: null,
  startCancel: null,
  startExpiry: null,
  keepIssued: null,
  keepOverdue: null,
  pay: null,
  cancel: null,
  expire: null,
} as const;
const ENDS = { pay: 'paid', cancel: 'canceled', expire: 'expired' } as const;

/** Null means that the event cannot happen in that state. */
export const BOLETO_MOVES = {
  issuing: { ...NEVER, issue: 'issued', refuse: 'refused', withdraw: 'refused' },
  issued: { ...NEVER, ...ENDS, lapse: 'overdue', startCancel: 'canceling' },
  overdue: { ...NEVER, ...ENDS, startCancel: 'canceling', startExpiry: 'canceling' },
  canceling: { ...NEVER, ...ENDS, keepIssued: 'issued', keepOverdue: 'overdue' },
  paid: NEVER,
  canceled: NEVER,
  expired: NEVER,
  refused: NEVER,
} as const satisfies Record<BoletoState, Record<BoletoEvent, BoletoState | null>>;

/** What merchants are shown of one that was issued; a cancel under way is not seen. */
export const SHOWN_STATES = ['issued', 'overdue', 'paid', 'canceled', 'expired'] as const;
export type ShownState = (typeof SHOWN_STATES)[number];
/** In which a payer may pay. */
export const OPEN_STATES = ['issued', 'overdue'] as const satisfies ShownState[];
export type OpenState = (typeof OPEN_STATES)[number];

/** Why the bank did not register it; `writtenOff`: it was ended there before we knew of it. */
export const REGISTRATION_REFUSALS = ['payerRefused', 'termsRefused', 'amountRefused', 'writtenOff'] as const;
export type RegistrationRefusal = (typeof REGISTRATION_REFUSALS)[number];
/** In the place of such a reason: the bank was not asked. */
export const NOT_SENT = 'notSent';

export type BoletoPayment = { readonly amount: Cents; readonly paidOn: Day };

export type BoletoKey = { readonly merchantId: string; readonly boletoId: string };

export type Boleto = BoletoKey & {
  readonly accountNumber: string;
  readonly ourNumber: string;
  readonly pageKey: string;
  readonly state: BoletoState;
  /** Of `canceling` only. */
  readonly stateBefore: OpenState | null;
  /** Of `canceling`: its time is over. */
  readonly isExpiring: boolean;
  readonly amount: Cents;
  readonly issuedOn: Day;
  readonly dueOn: Day;
  readonly payableUntil: Day;
  /** Null: erased. */
  readonly payer: BoletoPayer | null;
  readonly referenceTransaction: string | null;
  readonly instructions: readonly string[];
  readonly finePortion: number | null;
  readonly interestPortion: number | null;
  readonly discount: BoletoRequest['discount'];
  readonly callbackUrl: string | null;
  readonly registered: RegisteredBoleto | null;
  /** The provider that has it, and is asked about it from then on. */
  readonly bank: string;
  /** The code of the bank that was asked to register it; null: none was yet. */
  readonly askedBank: string | null;
  readonly refusalReason: RegistrationRefusal | typeof NOT_SENT | null;
  /** The payment that paid it. */
  readonly payment: BoletoPayment | null;
  /** All that arrived, in that order. */
  readonly payments: readonly ReceivedPayment[];
  /** When the calendar changes it; null: not as it is. */
  readonly actsAt: Instant | null;
  /** Business time. */
  readonly requestedAt: Instant;
  readonly fence: number;
  readonly tries: number;
  /** The process that asked the bank has left it to the work that resolves. */
  readonly isUnresolved: boolean;
};

/** What a merchant asks for. */
export type BoletoTerms = Pick<
  Boleto,
  | 'amount'
  | 'dueOn'
  | 'referenceTransaction'
  | 'instructions'
  | 'finePortion'
  | 'interestPortion'
  | 'discount'
  | 'callbackUrl'
> & { readonly payer: BoletoPayer; readonly daysToExpire: number };

/** The row that is committed before the bank is asked; its number is given by the database. */
export type BoletoIntent = BoletoKey &
  BoletoTerms &
  Pick<Boleto, 'accountNumber' | 'pageKey' | 'issuedOn' | 'payableUntil' | 'requestedAt'> & {
    readonly bank: string;
    readonly askedBank: string;
    readonly createdBy: string;
    readonly request: KeyedRequest | null;
  };

export const MOST_DAYS_TO_EXPIRE = 60;
export const USUAL_DAYS_TO_EXPIRE = 30;
/** Bar codes tell due days within twelve years from one another. */
export const MOST_DAYS_AHEAD = 1_825;

/** The last day on which the bank takes a payment: a business day. */
export function payableUntil({ dueOn, daysToExpire }: Pick<BoletoTerms, 'dueOn' | 'daysToExpire'>): Day {
  return businessDayFrom(addDays(dueOn, daysToExpire));
}

/** One that falls due on a day without banks is paid in time on the next business day. */
function lastDayInTime(dueOn: Day): Day {
  return businessDayFrom(dueOn);
}

export type TermsFault =
  | 'dueInThePast'
  | 'dueTooFarAhead'
  | 'discountTooLarge'
  | 'discountAfterDueDay'
  | 'discountInThePast';

/**
 * What is wrong with the terms on the day on which they are sent; of a malformed request, as far as
 * they are known.
 */
export function termsFaults(
  { amount, dueOn, discount }: Partial<Pick<BoletoTerms, 'amount' | 'dueOn' | 'discount'>>,
  today: Day,
): TermsFault[] {
  const faults: TermsFault[] = [];
  if (dueOn !== undefined && dueOn < today) faults.push('dueInThePast');
  if (dueOn !== undefined && dueOn > addDays(today, MOST_DAYS_AHEAD)) faults.push('dueTooFarAhead');
  if (discount === null || discount === undefined) return faults;
  if (amount !== undefined && discount.amount >= amount) faults.push('discountTooLarge');
  if (discount.until < today) faults.push('discountInThePast');
  else if (dueOn !== undefined && discount.until > dueOn) faults.push('discountAfterDueDay');
  return faults;
}

/**
 * When the calendar changes a boleto that can be paid: it is overdue from the day after the last one
 * in time, and over when the last payment has been reported: banks do that on the next business day.
 */
export function actsAt(
  state: OpenState,
  { dueOn, payableUntil: last }: Pick<Boleto, 'dueOn' | 'payableUntil'>,
): Instant {
  const lastDay = state === 'issued' ? lastDayInTime(dueOn) : businessDayFrom(addDays(last, 1));
  return startOfSaoPauloDay(addDays(lastDay, 1));
}

/**
 * Whether this is the bank that has registered it or was asked to, which alone knows it; none was: any
 * may. An empty code: the bank has not said yet which one it is.
 */
export function isOfBank(
  { registered, askedBank }: Pick<Boleto, 'registered' | 'askedBank'>,
  bankCode: string,
): boolean {
  const its = registered === null ? askedBank : registered.barCode.slice(0, bankCode.length);
  return its === null || (bankCode !== '' && its === bankCode);
}

/** Null: it was never issued, or is not yet. */
export function shownState({ state, stateBefore }: Pick<Boleto, 'state' | 'stateBefore'>): ShownState | null {
  switch (state) {
    case 'issuing':
    case 'refused':
      return null;
    case 'canceling':
      return stateBefore;
    default:
      return state;
  }
}

const WHOLE = 10_000;
const DAYS_OF_MONTH = 30;

/**
 * What is to be paid on a day: less the discount up to its day; after the last day in time with the
 * fine once, and interest for each day since the due day, each rounded half up to cents.
 */
export function amountDue(
  boleto: Pick<Boleto, 'amount' | 'dueOn' | 'discount' | 'finePortion' | 'interestPortion'>,
  day: Day,
): Cents {
  const { amount, dueOn, discount, finePortion, interestPortion } = boleto;
  if (discount !== null && day <= discount.until) return cents(amount - discount.amount);
  if (day <= lastDayInTime(dueOn)) return amount;
  const fine = Math.round((amount * (finePortion ?? 0)) / WHOLE);
  const days = daysBetween(dueOn, day);
  const interest = Math.round((amount * (interestPortion ?? 0) * days) / (WHOLE * DAYS_OF_MONTH));
  return cents(amount + fine + interest);
}

/**
 * Whether this is what is to be paid on a day. Banks round the interest of each day before they add it
 * up: a cent of each is theirs.
 */
export function isAmountDue(boleto: Parameters<typeof amountDue>[0], day: Day, amount: number): boolean {
  const { dueOn, interestPortion } = boleto;
  const isBearing = (interestPortion ?? 0) > 0 && day > lastDayInTime(dueOn);
  const rounding = isBearing ? daysBetween(dueOn, day) : 0;
  return Math.abs(amount - amountDue(boleto, day)) <= rounding;
}

/** As the bank is asked for it. */
export function requestOf(boleto: BoletoRequest): BoletoRequest {
  const { merchantId, ourNumber, amount, issuedOn, dueOn, payer, instructions } = boleto;
  const { payableUntil, finePortion, interestPortion, discount } = boleto;
  const terms = { amount, issuedOn, dueOn, payableUntil, finePortion, interestPortion, discount };
  return { merchantId, ourNumber, payer, instructions, ...terms };
}

/** Of a list. */
export const MOST_DAYS = 93;
/** Of a list that is no page. */
export const MOST_IN_ARRAY = 1_000;

/** Boletos of an account by due day, both days included. */
export type WantedBoletos = WantedPage<'dueDate'> & {
  readonly accountNumber: string;
  readonly dueFrom: Day;
  readonly dueTo: Day;
  /** Null: of any status. */
  readonly states: StatesOfStatus | null;
  /** All of them at once, as far as they are few enough. */
  readonly isArray: boolean;
};
