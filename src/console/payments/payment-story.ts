import { type Receivable, receiptOf } from '../../reconciliation/receivables/receivable.ts';
import type { MovementType } from '../../transactions/transaction.ts';
import type { Wording } from '../parts/wording.ts';
import type { PaymentFound, WholePayment } from './shown-payment.ts';

type Payment = Pick<
  WholePayment,
  | 'statusDescription'
  | 'value'
  | 'canceledAmount'
  | 'cancelingAmount'
  | 'description'
  | 'returnCode'
  | 'retryable'
  | 'captureUntil'
  | 'capturingAmount'
  | 'installments'
>;

/** The state of a payment in a few sentences: what is to come of it, and what went back. */
export function paymentBecame(
  payment: Payment,
  receivables: readonly Receivable[],
  chargebacks: PaymentFound['chargebacks'],
  wording: Wording,
): string {
  const { say, money } = wording;
  const { value, canceledAmount, cancelingAmount } = payment;
  const isPart = canceledAmount > 0 && canceledAmount < value;
  return [
    stateSentence(payment, receivables, wording),
    ...(isPart ? [say('{amount} of it went back to the card.', { amount: money(canceledAmount) })] : []),
    ...(cancelingAmount > 0
      ? [say('{amount} are on the way back.', { amount: money(cancelingAmount) })]
      : []),
    ...(chargebacks.length > 0 ? [say('Its holder has taken money back from it (chargeback).')] : []),
  ].join(' ');
}

function stateSentence(payment: Payment, receivables: readonly Receivable[], wording: Wording): string {
  const { say, money, moment } = wording;
  const { statusDescription, value, captureUntil, capturingAmount } = payment;
  switch (statusDescription) {
    case 'Processando':
      return capturingAmount === undefined
        ? say('The acquirer was asked, and its answer is being found: nothing has to be done.')
        : say('Its capture of {amount} was asked for; the answer is awaited.', {
            amount: money(capturingAmount),
          });
    case 'Pré-autorizada':
      return captureUntil === undefined
        ? say('It holds the amount on the card, and waits for its capture.')
        : say('It holds the amount on the card until {at}: what is not captured by then is released.', {
            at: moment(captureUntil),
          });
    case 'Negada':
      return declinedSentence(payment, wording);
    case 'Desfeita':
      return say('It was undone: nothing of it stays on the card.');
    case 'Cancelada':
      return say('All of it went back, {amount}: nothing is to come.', { amount: money(value) });
    case 'Bloqueada':
      return say('The acquirer holds money of it back. {rest}', {
        rest: moneySentence(receivables, wording),
      });
    default:
      return say('The issuer approved it. {rest}', { rest: moneySentence(receivables, wording) });
  }
}

function declinedSentence({ returnCode, description, retryable }: Payment, { say }: Wording): string {
  const why = `${returnCode ?? ''} ${description ?? ''}`.trim();
  return retryable === true
    ? say('The issuer declined it ({why}). Another try may succeed.', { why })
    : say('The issuer declined it ({why}). Another try of this card is of no use, and may cost a fee.', {
        why,
      });
}

function moneySentence(receivables: readonly Receivable[], { say, money, day, count }: Wording): string {
  if (receivables.length === 0) return say('What it is to bring is being worked out.');
  const came = receivables.flatMap((one) => receiptOf(one) ?? []);
  const due = receivables
    .filter((one) => receiptOf(one) === null && one.state !== 'canceled')
    .toSorted((one, other) => (one.expected.on < other.expected.on ? -1 : 1));
  const net = came.reduce((sum, one) => sum + (one.net ?? 0), 0);
  const [next] = due;
  const parts = [
    ...(came.length > 0
      ? [
          say('{count} of {all} installments came, {amount} after fees.', {
            count: count(came.length),
            all: count(receivables.length),
            amount: money(net),
          }),
        ]
      : []),
    ...(next === undefined
      ? [say('No more is to come.')]
      : [
          say('{amount} are to come, the next on {day}.', {
            amount: money(due.reduce((sum, one) => sum + one.expected.net, 0)),
            day: day(next.expected.on),
          }),
        ]),
  ];
  return parts.join(' ');
}

export const MOVEMENT_WORDS = {
  Autorizacao: 'Installment {number} authorized',
  Pagamento: 'Installment {number} paid',
  Cancelamento: 'Installment {number} canceled',
  Bloqueio: 'Installment {number} blocked',
  Desbloqueio: 'Installment {number} unblocked',
} as const satisfies Record<MovementType, string>;

export const MOST_FOUND = 20;
export const MOST_MOVEMENTS = 500;
export const MOST_DELIVERIES = 100;
