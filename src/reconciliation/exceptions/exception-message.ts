import type { ExceptionNotice, ExceptionState, Finding } from './exception.ts';

/** An exception as its merchant is notified of it. */
export type NotifiedException = Finding & {
  readonly exceptionId: string;
  readonly accountNumber: string;
  readonly state: ExceptionState;
  readonly transactionId: string;
  readonly installmentNumber: number;
};

/** The very text that is sent: these fields in this order. Amounts are cents. */
export function exceptionMessage(event: ExceptionNotice, exception: NotifiedException): string {
  return JSON.stringify({
    type: 'ReconciliationException',
    event,
    accountNumber: exception.accountNumber,
    exceptionId: exception.exceptionId,
    class: exception.class,
    state: exception.state,
    transactionId: exception.transactionId,
    installmentNumber: exception.installmentNumber,
    amount: exception.amount,
    expected: exception.expected,
    found: exception.found,
    day: exception.day,
    explanation: exception.explanation,
  });
}
