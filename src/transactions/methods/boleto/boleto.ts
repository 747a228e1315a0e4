import type { KeyedRequest } from '../../../idempotency/idempotency-key.ts';
import type { WantedPage } from '../../../platform/pages.ts';
import type {
  BoletoPayer,
  BoletoRequest,
  DueDayRequest,
  RegisteredBoleto,
} from '../../../providers/banks/bank.ts';
import { businessDayFrom } from '../../../values/business-day.ts';
import type { Cents } from '../../../values/cents.ts';
import { addDays, type Day, type Instant, startOfSaoPauloDay } from '../../../values/instant.ts';
import type { PaymentKind } from '../../bill-payment.ts';
import { lastDayInTime, payableUntil } from '../../bill-terms.ts';

/**
 * Which boletos a status shows: those in `state`, and those that are being canceled or changed and were
 * `canceledFrom` before; null: no others.
 */
export type StatesOfStatus = {
  readonly state: BoletoState;
  readonly canceledFrom: OpenState | null;
};

export type ReceivedPayment = {
  readonly amount: Cents;
  readonly paidOn: Day;
  readonly kind: PaymentKind;
  /** It was not expected, and nobody has resolved its exception yet. */
  readonly isOpen: boolean;
  /** The exception by which a person resolves it; null if it was expected. */
  readonly exceptionId: string | null;
};

/**
 * `issuing`: the bank's answer is not known. `refused`: the bank registers no such boleto. `canceling`,
 * `changing`: the bank was asked to cancel, or to change the due day, and has not answered.
 */
export const BOLETO_STATES = [
  'issuing',
  'issued',
  'overdue',
  'canceling',
  'changing',
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
  'startChange',
  'resumeChange',
  'change',
  'keepIssued',
  'keepOverdue',
  'pay',
  'cancel',
  'expire',
] as const;
/**
 * `withdraw`: the bank was not asked. `lapse`: the due day is over. `change`: the bank has another due day.
 * `resumeChange`: the bank's answer to an earlier change is waited for again, or has come after all.
 * `keepIssued`, `keepOverdue`: cancel or change failed or was not sent, so the earlier state returns.
 */
export type BoletoEvent = (typeof BOLETO_EVENTS)[number];

const NEVER = {
  issue: null,
  refuse: null,
  withdraw: null,
  lapse: null,
  startCancel: null,
  startExpiry: null,
  startChange: null,
  resumeChange: null,
  change: null,
  keepIssued: null,
  keepOverdue: null,
  pay: null,
  cancel: null,
  expire: null,
} as const;
const ENDS = { pay: 'paid', cancel: 'canceled', expire: 'expired' } as const;

/** Null: the event cannot happen in that state. */
export const BOLETO_MOVES = {
  issuing: { ...NEVER, issue: 'issued', refuse: 'refused', withdraw: 'refused' },
  issued: {
    ...NEVER,
    ...ENDS,
    lapse: 'overdue',
    startCancel: 'canceling',
    startChange: 'changing',
    resumeChange: 'changing',
  },
  overdue: {
    ...NEVER,
    ...ENDS,
    startCancel: 'canceling',
    startExpiry: 'canceling',
    startChange: 'changing',
    resumeChange: 'changing',
  },
  canceling: {
    ...NEVER,
    ...ENDS,
    resumeChange: 'changing',
    change: 'issued',
    keepIssued: 'issued',
    keepOverdue: 'overdue',
  },
  changing: {
    ...NEVER,
    ...ENDS,
    startCancel: 'canceling',
    resumeChange: 'changing',
    change: 'issued',
    keepIssued: 'issued',
    keepOverdue: 'overdue',
  },
  paid: NEVER,
  canceled: NEVER,
  expired: NEVER,
  refused: NEVER,
} as const satisfies Record<BoletoState, Record<BoletoEvent, BoletoState | null>>;

/** The states that merchants see. An unanswered cancel or change is not shown. */
export const SHOWN_STATES = ['issued', 'overdue', 'paid', 'canceled', 'expired'] as const;
export type ShownState = (typeof SHOWN_STATES)[number];
export const OPEN_STATES = ['issued', 'overdue'] as const satisfies ShownState[];
export type OpenState = (typeof OPEN_STATES)[number];

/** `writtenOff`: the boleto ended at the bank before we knew that it was registered. */
export const REGISTRATION_REFUSALS = ['payerRefused', 'termsRefused', 'amountRefused', 'writtenOff'] as const;
export type RegistrationRefusal = (typeof REGISTRATION_REFUSALS)[number];
/** A refusal reason of our own: the bank was not asked. */
export const NOT_SENT = 'notSent';

export type BoletoDays = { readonly dueOn: Day; readonly payableUntil: Day };

export type BoletoPayment = { readonly amount: Cents; readonly paidOn: Day };

export type BoletoKey = { readonly merchantId: string; readonly boletoId: string };

export type Boleto = BoletoKey & {
  readonly accountNumber: string;
  readonly ourNumber: string;
  readonly pageKey: string;
  readonly state: BoletoState;
  /** The state before a cancel or change; null unless `canceling` or `changing`. */
  readonly stateBefore: OpenState | null;
  /** It is `canceling` because its time is over. */
  readonly isExpiring: boolean;
  readonly amount: Cents;
  readonly issuedOn: Day;
  readonly dueOn: Day;
  readonly payableUntil: Day;
  /**
   * How many days after its due day it can be paid; if the last is no business day, until the next that is
   * one.
   */
  readonly daysToExpire: number;
  /** The days that a `changing` boleto is to have; otherwise null. */
  readonly wanted: BoletoDays | null;
  /** How often a change of the due day was asked for. */
  readonly dueDayChanges: number;
  /** The last change of the due day has had no answer, even if a cancel has stopped waiting for one. */
  readonly isDayOpen: boolean;
  /** Null: erased. */
  readonly payer: BoletoPayer | null;
  readonly referenceTransaction: string | null;
  readonly instructions: readonly string[];
  readonly finePortion: number | null;
  readonly interestPortion: number | null;
  readonly discount: BoletoRequest['discount'];
  readonly callbackUrl: string | null;
  readonly registered: RegisteredBoleto | null;
  /** The payment link at which it is a try to pay; null: none. */
  readonly linkId: string | null;
  readonly bank: string;
  /** The code of the bank that was asked to register it; null if none was. */
  readonly askedBank: string | null;
  readonly refusalReason: RegistrationRefusal | typeof NOT_SENT | null;
  readonly payment: BoletoPayment | null;
  /** All payments, in order of arrival. */
  readonly payments: readonly ReceivedPayment[];
  /** When the calendar changes it; null if it does not in this state. */
  readonly actsAt: Instant | null;
  /** Business time. */
  readonly requestedAt: Instant;
  readonly fence: number;
  readonly tries: number;
  /**
   * Why the last look had no clear answer; null unless the process that asked the bank has left the boleto to
   * the resolving work.
   */
  readonly unknownReason: string | null;
};

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

/** Committed before the bank is asked. The database gives `ourNumber`. */
export type BoletoIntent = BoletoKey &
  BoletoTerms &
  Pick<Boleto, 'accountNumber' | 'pageKey' | 'issuedOn' | 'payableUntil' | 'requestedAt'> & {
    readonly bank: string;
    readonly askedBank: string;
    /** The payment link at which it is a try to pay; absent: none. */
    readonly linkId?: string;
    readonly createdBy: string;
    readonly request: KeyedRequest | null;
  };

export const MOST_DAYS_TO_EXPIRE = 60;
export const USUAL_DAYS_TO_EXPIRE = 30;
/**
 * A boleto is overdue after its last day in time. It is over once its last payment was reported, which banks
 * do on the next business day.
 */
export function actsAt(
  state: OpenState,
  { dueOn, payableUntil: last }: Pick<Boleto, 'dueOn' | 'payableUntil'>,
): Instant {
  const lastDay = state === 'issued' ? lastDayInTime(dueOn) : businessDayFrom(addDays(last, 1));
  return startOfSaoPauloDay(addDays(lastDay, 1));
}

/**
 * Only the bank that registered the boleto, or was asked to, knows it; any bank may if none was asked. An
 * empty code: the bank has not said yet which one it is.
 */
export function isOfBank(
  { registered, askedBank }: Pick<Boleto, 'registered' | 'askedBank'>,
  bankCode: string,
): boolean {
  const its = registered === null ? askedBank : registered.barCode.slice(0, bankCode.length);
  return its === null || (bankCode !== '' && its === bankCode);
}

/** Null if it is not issued, or not yet. */
export function shownState({ state, stateBefore }: Pick<Boleto, 'state' | 'stateBefore'>): ShownState | null {
  switch (state) {
    case 'issuing':
    case 'refused':
      return null;
    case 'canceling':
    case 'changing':
      return stateBefore;
    default:
      return state;
  }
}

/** Drops the fields that the bank is not sent. */
export function requestOf(boleto: BoletoRequest): BoletoRequest {
  const { merchantId, ourNumber, amount, issuedOn, dueOn, payer, instructions } = boleto;
  const { payableUntil, finePortion, interestPortion, discount } = boleto;
  const terms = { amount, issuedOn, dueOn, payableUntil, finePortion, interestPortion, discount };
  return { merchantId, ourNumber, payer, instructions, ...terms };
}

export type ChangingBoleto = Boleto & { readonly wanted: BoletoDays };

export function isChanging(boleto: Boleto): boleto is ChangingBoleto {
  return boleto.state === 'changing' && boleto.wanted !== null;
}

/** The request to the bank for a boleto's new due day. */
export function dueDayRequest(boleto: ChangingBoleto, requestedAt: Instant): DueDayRequest {
  const { merchantId, ourNumber, amount, dueOn, payableUntil, wanted, dueDayChanges } = boleto;
  const before = { dueOn, payableUntil };
  return { merchantId, ourNumber, amount, number: dueDayChanges, before, wanted, requestedAt };
}

/** Whether a boleto's time is over both with the due day that it has and with the one that was asked for. */
export function isOverAnyway({ wanted, ...boleto }: ChangingBoleto, now: Instant): boolean {
  return [boleto, wanted].every((days) => actsAt('overdue', days) <= now);
}

/** A boleto can be paid as many days after a new due day as after the first one. */
export function daysFrom({ daysToExpire }: Pick<Boleto, 'daysToExpire'>, dueOn: Day): BoletoDays {
  return { dueOn, payableUntil: payableUntil({ dueOn, daysToExpire }) };
}

/** The longest period of a list. */
export const MOST_DAYS = 93;
/** The most boletos in a list that is not a page. */
export const MOST_IN_ARRAY = 1_000;

/** Filters by due day, both days included. */
export type WantedBoletos = WantedPage<'dueDate'> & {
  readonly accountNumber: string;
  readonly dueFrom: Day;
  readonly dueTo: Day;
  /** Null: of any status. */
  readonly states: StatesOfStatus | null;
  /** The answer is an array of all, which is refused if they are too many. */
  readonly isArray: boolean;
};
