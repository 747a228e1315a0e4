import type { Acquirer, CancelAnswer, CancelRequest, VoidAnswer } from '../../acquirer.ts';
import { unknown } from '../../direct-acquirer.ts';
import { stepOfCancel, TAKEN_OVER } from '../../sum-cancel.ts';
import { type CieloPayment, readCieloVoid } from './cielo-answers.ts';
import type { AskCielo, LookUpCielo } from './cielo-payments.ts';
import { declineOfAll, givenBackOf, isLive, isUndecided, paymentOf } from './cielo-payments.ts';
import type { VoidPauses } from './void-pauses.ts';

type Tools = {
  readonly ask: AskCielo;
  readonly lookUp: LookUpCielo;
  readonly pauses: Pick<VoidPauses, 'take'>;
  readonly silence: number;
};

const TOO_LATE = 'another void of the payment was sent a moment ago';

/** Cielo knows no reference of a void: what was done is told by the sum that it shows. */
export function cieloVoids(tools: Tools): Pick<Acquirer, 'voidCharge' | 'voidTwins' | 'cancel'> {
  return {
    voidCharge: (merchantId, reference, timeout) => voidAll(tools, merchantId, reference, null, timeout),
    voidTwins: (...asked) => voidAll(tools, ...asked),
    cancel: (request, timeout) => cancel(tools, request, timeout),
  };
}

/** `kept`: the `tid` of the one that stays; null: none does. */
async function voidAll(
  tools: Tools,
  merchantId: string,
  reference: string,
  kept: string | null,
  timeout: number,
): Promise<VoidAnswer> {
  const endsAt = performance.now() + timeout;
  const payments = await tools.lookUp(merchantId, reference, timeout);
  if (typeof payments === 'string') return unknown(payments);
  if (payments.length === 0) return { kind: 'notFound', reason: 'Cielo does not know it' };
  if (kept !== null && !payments.some(({ tid }) => tid === kept))
    return unknown('Cielo does not show the charge to keep');
  const others = payments.filter(({ tid }) => kept === null || tid !== kept);
  // At once: one that cannot be voided keeps none of the others live.
  const answers = await Promise.all(
    others
      .filter(isLive)
      .map((payment) => sendVoid(tools, merchantId, payment, null, endsAt - performance.now())),
  );
  const unvoided = answers.find(({ kind }) => kind !== 'canceled');
  if (unvoided !== undefined)
    return unknown(
      'reason' in unvoided ? unvoided.reason : 'Cielo accepted the void, and has not done it yet',
    );
  if (others.some(isUndecided)) return unknown('Cielo has not decided it yet');
  if (kept === null && declineOfAll(payments) !== null) return { kind: 'declined' };
  return { kind: 'voided', charges: answers.length };
}

/** `amount` null: all of it. */
async function sendVoid(
  { ask, pauses }: Tools,
  merchantId: string,
  { paymentId }: CieloPayment,
  amount: number | null,
  timeout: number,
): Promise<CancelAnswer> {
  const endsAt = performance.now() + timeout;
  if (!(await pauses.take(paymentId, timeout))) return { kind: 'notSent', reason: TOO_LATE };
  const path = `/sales/${paymentId}/void${amount === null ? '' : `?amount=${amount}`}`;
  const question = { method: 'PUT', path, template: '/sales/{paymentId}/void', body: null } as const;
  const line = amount === null ? 'resolving' : 'charging';
  const wanted = { merchantId, kind: 'cancellations' };
  return readCieloVoid(await ask(line, wanted, question, endsAt - performance.now()));
}

/** A refused repetition may have come behind one that was booked, so the sum is read again. */
async function cancel(tools: Tools, request: CancelRequest, timeout: number): Promise<CancelAnswer> {
  const { merchantId, reference, amount, history } = request;
  const endsAt = performance.now() + timeout;
  const left = () => endsAt - performance.now();
  const isFirst = history.sinceLastSend === null;
  const unsent = (reason: string): CancelAnswer => ({ kind: isFirst ? 'notSent' : 'unknown', reason });
  const find = async (): Promise<CieloPayment | string> => {
    const payments = await tools.lookUp(merchantId, reference, left());
    if (typeof payments === 'string') return payments;
    return paymentOf(payments, history) ?? 'Cielo does not know the charge';
  };
  const payment = await find();
  if (typeof payment === 'string') return unsent(payment);
  const sums = givenBackOf(payment);
  // Cielo does not say that an accepted one failed: it takes the same request again.
  const asked = { amount, history: { ...history, isAccepted: false } };
  const step = stepOfCancel(asked, sums, tools.silence);
  if (step.kind !== 'send') {
    const isWaiting = step.kind === 'unknown' && history.isAccepted && sums.done === history.givenBack;
    return isWaiting ? { kind: 'pending' } : step;
  }
  if (!(await request.markSent())) return unsent(TAKEN_OVER);
  const answer = await sendVoid(tools, merchantId, payment, amount, left());
  if (answer.kind !== 'refused' || isFirst) return answer;
  const after = await find();
  if (typeof after === 'string') return unknown(after);
  const isUnchanged = givenBackOf(after).done === sums.done;
  return isUnchanged ? answer : unknown('it was refused, and meanwhile something was given back');
}
