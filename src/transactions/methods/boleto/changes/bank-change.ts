import type { WaitingChange } from '../../../../platform/feeds/feed.ts';
import type { BankChange } from '../../../../providers/banks/bank.ts';
import type { Cents } from '../../../../values/cents.ts';
import type { Day } from '../../../../values/instant.ts';
import { type PaymentKind, paymentKind, type Surprise } from '../../../bill-payment.ts';
import { amountDue, isAmountDue } from '../../../bill-terms.ts';
import type { Boleto } from '../boleto.ts';
import { type BoletoChange, moveOf } from '../boleto-move.ts';

type ChangeState = 'waiting' | 'applied' | 'refused';
type ChangeEnd = 'apply' | 'refuse';

/** Null: the event cannot happen in that state. */
export const BANK_CHANGE_MOVES = {
  waiting: { apply: 'applied', refuse: 'refused' },
  applied: { apply: null, refuse: null },
  refused: { apply: null, refuse: null },
} as const satisfies Record<ChangeState, Record<ChangeEnd, ChangeState | null>>;

/** A file names no merchant; our number tells whose boleto it is. */
export type FiledBankChange = Omit<BankChange, 'merchantId'>;

export type WaitingBankChange = BankChange &
  WaitingChange & {
    /** The bank whose feed reported it; null for a file. */
    readonly bank: string | null;
  };

export type BankChangeRefusal = 'unknownBoleto' | 'forbiddenMove';
export type BankChangeDelay = 'behindEarlier' | 'beingIssued';

export type ReportedPayment = {
  readonly amount: Cents;
  readonly paidOn: Day;
  readonly creditedOn: string | null;
  readonly fee: number | null;
  readonly expectedAmount: number;
  /** Why nobody expected it; null if it pays the boleto. */
  readonly surprise: Surprise | null;
  readonly kind: PaymentKind;
};

export type ChangeGround = {
  /** An earlier change of the same boleto still waits. */
  readonly isBehindEarlier: boolean;
  /** Feed and files both report payments: the other source has reported this one before. */
  readonly isReportedTwice: boolean;
  readonly isFiledAgain: boolean;
  /** Days that the boleto had, or was to have: the bank may have had it with any. */
  readonly dueDays: readonly Day[];
};

export type BankChangeDecision =
  /** `change` null: the boleto stays as it is. */
  | { readonly kind: 'apply'; readonly change: BoletoChange | null; readonly payment: ReportedPayment | null }
  | { readonly kind: 'refuse'; readonly reason: BankChangeRefusal }
  | { readonly kind: 'wait'; readonly reason: BankChangeDelay };

/**
 * `boleto` null: none has this number. The bank's record counts, but no end is undone: a payment of a paid,
 * canceled or expired boleto is recorded beside it.
 */
export function decideBankChange(
  boleto: Boleto | null,
  change: BankChange,
  { isBehindEarlier, isReportedTwice, isFiledAgain, dueDays }: ChangeGround,
): BankChangeDecision {
  if (isBehindEarlier) return { kind: 'wait', reason: 'behindEarlier' };
  if (boleto === null) return { kind: 'refuse', reason: 'unknownBoleto' };
  if (boleto.state === 'issuing') return { kind: 'wait', reason: 'beingIssued' };
  if (isFiledAgain) return paymentOf(boleto, change, dueDays, 'filedAgain');
  if (isReportedTwice) return { kind: 'apply', change: null, payment: null };
  if (change.event === 'paid') return paymentOf(boleto, change, dueDays, surpriseOf(boleto));
  // Some banks report a boleto that they ended because its time was over as canceled.
  const isCanceled = change.event === 'canceled' && !(boleto.state === 'canceling' && boleto.isExpiring);
  const wanted = { event: isCanceled ? 'cancel' : 'expire' } as const;
  if (moveOf(boleto, wanted, change.happenedAt) !== null)
    return { kind: 'apply', change: wanted, payment: null };
  // The boleto ended before, by an earlier report of this bank or by the other source.
  const isOver = boleto.state === 'canceled' || boleto.state === 'expired';
  return isOver
    ? { kind: 'apply', change: null, payment: null }
    : { kind: 'refuse', reason: 'forbiddenMove' };
}

function paymentOf(
  boleto: Boleto,
  { amount, paidOn, creditedOn, fee }: BankChange,
  dueDays: readonly Day[],
  surprise: Surprise | null,
): BankChangeDecision {
  if (amount === null || paidOn === null) throw new Error('a payment without its amount and day was kept');
  // The bank may have taken the payment by another due day, before or after the one that we know.
  const fits = [boleto.dueOn, ...dueDays].find((dueOn) => isAmountDue({ ...boleto, dueOn }, paidOn, amount));
  const payment = {
    amount,
    paidOn,
    creditedOn,
    fee,
    expectedAmount: amountDue({ ...boleto, dueOn: fits ?? boleto.dueOn }, paidOn),
    surprise,
    kind: paymentKind(surprise, fits !== undefined),
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
    case 'changing':
      return null;
  }
}

/** `gone`: another process ended the change meanwhile. */
export type BankChangeResult = 'applied' | 'gone' | Surprise | BankChangeRefusal | BankChangeDelay;

/** The number of a return file as people read it; some banks number none. */
export function shownFileNumber(number: string | number | null): string {
  return String(number ?? '') || '–';
}
