import { forPerson, unusable } from '../../../../platform/channels/unclear.ts';
import type {
  CancelHistory,
  DeclineAnswer,
  FoundCapture,
  FoundCharge,
  NotSent,
  Unknown,
} from '../../acquirer.ts';
import type { GivenBack } from '../../sum-cancel.ts';
import type { CieloPayment } from './cielo-answers.ts';
import { CIELO_STATUS } from './cielo-codes.ts';
import type { CieloWire } from './cielo-wire.ts';

export type AskCielo = CieloWire['ask'];

/** Gives the payments under a reference; empty: Cielo knows none. */
export type LookUpCielo = (
  merchantId: string,
  reference: string,
  timeout: number,
) => Promise<readonly CieloPayment[] | Unknown | NotSent>;

type Found = Exclude<FoundCharge, { kind: 'notSent' }>;

export function isLive(payment: CieloPayment): boolean {
  const { status, capturedAmount, voidedAmount } = payment;
  if (isHeld(payment)) return true;
  return status === CIELO_STATUS.confirmed && (capturedAmount === 0 || voidedAmount < capturedAmount);
}

export function isHeld({ status }: CieloPayment): boolean {
  return status === CIELO_STATUS.authorized;
}

/** Neither live nor over: Cielo asks the issuer itself within minutes. */
export function isUndecided({ status }: CieloPayment): boolean {
  const decided: readonly (number | null)[] = Object.values(CIELO_STATUS);
  return !decided.includes(status);
}

/** What all payments under one reference are together. The same one is chosen however often it is asked. */
export function foundOf(payments: readonly CieloPayment[]): Found {
  if (payments.length === 0) return { kind: 'notFound' };
  if (payments.some(isUndecided)) return unusable('Cielo has not decided it yet');
  const live = payments.filter(isLive).toSorted(byAge);
  const captured = live.find(({ status }) => status === CIELO_STATUS.confirmed);
  if (captured !== undefined) return liveCharge(captured, live.length > 1);
  if (live.length > 0) return { kind: 'preauthorized' };
  return declineOfAll(payments) ?? { kind: 'voided' };
}

function liveCharge({ approval, amount }: CieloPayment, hasTwins: boolean): Found {
  return approval.kind === 'approved' ? { ...approval, amount, hasTwins } : approval;
}

/** null: one of them was approved once, or aborted. */
export function declineOfAll(payments: readonly CieloPayment[]): DeclineAnswer | null {
  const [first] = payments.toSorted(byAge);
  const areDenied = payments.every(({ status }) => status === CIELO_STATUS.denied);
  return areDenied && first !== undefined ? first.decline : null;
}

function byAge(one: CieloPayment, other: CieloPayment): number {
  const order = (of: CieloPayment) => `${of.receivedAt} ${of.paymentId}`;
  return order(one) < order(other) ? -1 : 1;
}

/** The payment that a cancel or a capture is of; null if it is not there. */
export function paymentOf(
  payments: readonly CieloPayment[],
  { tid }: Pick<CancelHistory, 'tid'>,
): CieloPayment | null {
  if (tid !== null) return payments.find((payment) => payment.tid === tid) ?? null;
  const live = payments.filter(isLive);
  return live.length === 1 ? (live[0] as CieloPayment) : null;
}

/** Cielo shows no cancel that is under way. */
export function givenBackOf({ status, capturedAmount, voidedAmount, amount }: CieloPayment): GivenBack {
  const isOver = status === CIELO_STATUS.voided || status === CIELO_STATUS.refunded;
  const whole = capturedAmount === 0 ? (amount ?? 0) : capturedAmount;
  return {
    done: isOver ? Math.max(voidedAmount, whole) : voidedAmount,
    underWay: 0,
    underWayIds: [],
    failed: [],
  };
}

/** A payment is captured once, so it tells of the capture. */
export function captureFound(payment: CieloPayment, amount: number): FoundCapture {
  switch (payment.status) {
    case CIELO_STATUS.confirmed:
    case CIELO_STATUS.refunded:
      return payment.capturedAmount === amount
        ? { kind: 'captured' }
        : forPerson('Cielo has captured another amount of it');
    case CIELO_STATUS.authorized:
      return { kind: 'notFound' };
    case CIELO_STATUS.aborted:
      return { kind: 'refused', reason: 'expired' };
    case CIELO_STATUS.voided:
    case CIELO_STATUS.denied:
      return { kind: 'refused', reason: 'notPreauthorized' };
    default:
      return unusable('Cielo has not decided it yet');
  }
}
