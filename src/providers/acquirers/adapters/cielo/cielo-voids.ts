import { unusable } from '../../../../platform/channels/unclear.ts';
import type { Acquirer, CancelAnswer, CancelRequest, Unknown, VoidAnswer } from '../../acquirer.ts';
import { type CancelRead, unknown } from '../../direct-acquirer.ts';
import { refusedUnlessBooked, stepOfCancel, TAKEN_OVER } from '../../sum-cancel.ts';
import { type CieloPayment, readCieloVoid } from './cielo-answers.ts';
import type { AskCielo, LookUpCielo } from './cielo-payments.ts';
import { declineOfAll, givenBackOf, isHoldOver, isLive, isUndecided, paymentOf } from './cielo-payments.ts';
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
    others.filter(isLive).map((payment) => endOne(tools, merchantId, payment, endsAt - performance.now())),
  );
  const unvoided = answers.find((answer) => typeof answer !== 'boolean');
  if (unvoided !== undefined) return unvoided;
  if (others.some(isUndecided)) return unknown('Cielo has not decided it yet');
  if (kept === null && declineOfAll(payments) !== null) return { kind: 'declined' };
  return { kind: 'voided', charges: answers.filter((wasVoided) => wasVoided === true).length };
}

/** Whether it was voided; false: it was held, and is no longer. */
async function endOne(
  tools: Tools,
  merchantId: string,
  payment: CieloPayment,
  timeout: number,
): Promise<boolean | Unknown> {
  const answer = await sendVoid(tools, merchantId, payment, null, timeout);
  switch (answer.kind) {
    case 'canceled':
      return true;
    case 'pending':
      return unusable('Cielo accepted the void, and has not done it yet');
    case 'refused':
      return isHoldOver(payment, answer.code, Date.now())
        ? false
        : unusable(`Cielo refused the void by ${answer.code}`);
    case 'unknown':
      return answer;
    case 'notConnected':
    case 'notSent':
      return unknown(answer.reason);
  }
}

/** `amount` null: all of it. */
async function sendVoid(
  { ask, pauses }: Tools,
  merchantId: string,
  { paymentId }: CieloPayment,
  amount: number | null,
  timeout: number,
): Promise<CancelRead> {
  const endsAt = performance.now() + timeout;
  if (!(await pauses.take(paymentId, timeout))) return { kind: 'notSent', reason: TOO_LATE };
  const path = `/sales/${paymentId}/void${amount === null ? '' : `?amount=${amount}`}`;
  const question = { method: 'PUT', path, template: '/sales/{paymentId}/void', body: null } as const;
  const line = amount === null ? 'resolving' : 'charging';
  const wanted = { merchantId, kind: 'cancellations' };
  return readCieloVoid(await ask(line, wanted, question, endsAt - performance.now()));
}

/** Real milliseconds. It does an accepted one the day after. */
const LONGEST_ACCEPTED = 5 * 86_400_000;

/** An accepted one is never sent again: Cielo may do both. What it does not show in days is for a person. */
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
  const step = stepOfCancel(request, sums, tools.silence);
  if (step.kind !== 'send') {
    const isWaiting = history.isAccepted && sums.done === history.givenBack;
    return isWaiting && (history.sinceLastSend ?? 0) < LONGEST_ACCEPTED ? { kind: 'pending' } : step;
  }
  if (!(await request.markSent())) return unsent(TAKEN_OVER);
  const answer = await sendVoid(tools, merchantId, payment, amount, left());
  return refusedUnlessBooked(answer, isFirst ? null : sums, async () => {
    const after = await find();
    return typeof after === 'string' ? after : givenBackOf(after);
  });
}
