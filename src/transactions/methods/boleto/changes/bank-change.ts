import type { WaitingChange } from '../../../../platform/feeds/feed.ts';
import type { BankChange } from '../../../../providers/banks/bank.ts';
import type { Cents } from '../../../../values/cents.ts';
import type { Day } from '../../../../values/instant.ts';
import { amountDue, type Boleto, isAmountDue } from '../boleto.ts';
import { type BoletoChange, moveOf } from '../boleto-move.ts';

type ChangeState = 'waiting' | 'applied' | 'refused';
type ChangeEnd = 'apply' | 'refuse';

/** Null means that the event cannot happen in that state. */
export const BANK_CHANGE_MOVES = {
  waiting: { apply: 'applied', refuse: 'refused' },
  applied: { apply: null, refuse: null },
  refused: { apply: null, refuse: null },
} as const satisfies Record<ChangeState, Record<ChangeEnd, ChangeState | null>>;

/** As a file of the bank has it: our number says whose it is. */
export type FiledBankChange = Omit<BankChange, 'merchantId'>;

/** A change as the bank brought it, kept until it is applied or refused. */
export type WaitingBankChange = BankChange &
  WaitingChange & {
    /** Whose feed brought it; null: a file's. */
    readonly bank: string | null;
  };

/** Why a change is refused for good. */
export type BankChangeRefusal = 'unknownBoleto' | 'forbiddenMove';
export type BankChangeDelay = 'behindEarlier' | 'beingIssued';

/** A payment as it is recorded. */
export type ReportedPayment = {
  readonly amount: Cents;
  readonly paidOn: Day;
  readonly creditedOn: string | null;
  readonly fee: number | null;
  readonly expectedAmount: number;
  /** Null: it pays the boleto. */
  readonly surprise: Surprise | null;
  readonly kind: PaymentKind;
};

export type ChangeGround = {
  /** Another change of the boleto came before it, and waits. */
  readonly isBehindEarlier: boolean;
  /** Feed and files report one payment each in their own way: the other has reported this one before. */
  readonly isReportedTwice: boolean;
  /** Another file of the bank has reported the same payment. */
  readonly isFiledAgain: boolean;
};

export type BankChangeDecision =
  /** `change` null: the boleto stays as it is. */
  | { readonly kind: 'apply'; readonly change: BoletoChange | null; readonly payment: ReportedPayment | null }
  | { readonly kind: 'refuse'; readonly reason: BankChangeRefusal }
  | { readonly kind: 'wait'; readonly reason: BankChangeDelay };

/**
 * What a change does to its boleto (null: there is none under its number). The bank's record counts,
 * but no end is undone: a payment of what is paid, canceled or expired is recorded beside it.
 */
export function decideBankChange(
  boleto: Boleto | null,
  change: BankChange,
  { isBehindEarlier, isReportedTwice, isFiledAgain }: ChangeGround,
): BankChangeDecision {
  if (isBehindEarlier) return { kind: 'wait', reason: 'behindEarlier' };
  if (boleto === null) return { kind: 'refuse', reason: 'unknownBoleto' };
  if (boleto.state === 'issuing') return { kind: 'wait', reason: 'beingIssued' };
  if (isFiledAgain) return paymentOf(boleto, change, 'filedAgain');
  if (isReportedTwice) return { kind: 'apply', change: null, payment: null };
  if (change.event === 'paid') return paymentOf(boleto, change, surpriseOf(boleto));
  // What ends at its bank because its time is over is reported as canceled by some.
  const isCanceled = change.event === 'canceled' && !(boleto.state === 'canceling' && boleto.isExpiring);
  const wanted = { event: isCanceled ? 'cancel' : 'expire' } as const;
  if (moveOf(boleto, wanted, change.happenedAt) !== null)
    return { kind: 'apply', change: wanted, payment: null };
  // Ended already, as the bank says now or in the other way.
  const isOver = boleto.state === 'canceled' || boleto.state === 'expired';
  return isOver
    ? { kind: 'apply', change: null, payment: null }
    : { kind: 'refuse', reason: 'forbiddenMove' };
}

function paymentOf(
  boleto: Boleto,
  { amount, paidOn, creditedOn, fee }: BankChange,
  surprise: Surprise | null,
): BankChangeDecision {
  if (amount === null || paidOn === null) throw new Error('a payment without its amount and day was kept');
  const payment = {
    amount,
    paidOn,
    creditedOn,
    fee,
    expectedAmount: amountDue(boleto, paidOn),
    surprise,
    kind: paymentKind(surprise, isAmountDue(boleto, paidOn, amount)),
  };
  const change = surprise === null ? ({ event: 'pay', payment: { amount, paidOn } } as const) : null;
  return { kind: 'apply', change, payment };
}

function surpriseOf({ state }: Pick<Boleto, 'state'>): Surprise | null {
  switch (state) {
    case 'paid':
      return 'paidAgain';
    case 'canceled':
      return 'paidAfterCancel';
    case 'expired':
      return 'paidAfterExpiry';
    case 'refused':
      return 'paidAfterRefusal';
    case 'issuing':
    case 'issued':
    case 'overdue':
    case 'canceling':
      return null;
  }
}

/** `gone`: another process has ended it meanwhile. */
export type BankChangeResult = 'applied' | 'gone' | Surprise | BankChangeRefusal | BankChangeDelay;

/**
 * Why nobody expected a payment. `filedAgain`: a second file of the bank has the same one, and a person
 * must find out whether that is another one.
 */
type Surprise = 'paidAgain' | 'paidAfterCancel' | 'paidAfterExpiry' | 'paidAfterRefusal' | 'filedAgain';

/** `otherAmount`: it pays the boleto, and is not what was to be paid on its day. */
export const PAYMENT_KINDS = ['expected', 'second', 'afterEnd', 'otherAmount'] as const;
type PaymentKind = (typeof PAYMENT_KINDS)[number];

/** What arrived for a boleto, as its merchant sees it. */
export type ReceivedPayment = {
  readonly amount: Cents;
  readonly paidOn: Day;
  readonly kind: PaymentKind;
  /** Nobody has said yet what became of it. */
  readonly isOpen: boolean;
  /** By which a person says it; null: it was expected. */
  readonly exceptionId: string | null;
};

function paymentKind(surprise: Surprise | null, isAmountDue: boolean): PaymentKind {
  switch (surprise) {
    case null:
      return isAmountDue ? 'expected' : 'otherAmount';
    case 'paidAgain':
    case 'filedAgain':
      return 'second';
    case 'paidAfterCancel':
    case 'paidAfterExpiry':
    case 'paidAfterRefusal':
      return 'afterEnd';
  }
}
