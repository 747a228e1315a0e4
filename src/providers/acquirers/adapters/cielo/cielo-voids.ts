import { behindAnswer, isHeard, unusable } from '../../../../platform/channels/unclear.ts';
import type { Acquirer, CancelAnswer, CancelRequest, NotSent, Unknown, VoidAnswer } from '../../acquirer.ts';
import { type CancelRead, notVoided } from '../../direct-acquirer.ts';
import { stepOfCancel, unseenCancel, unsentCancel } from '../../sum-cancel.ts';
import { sendingTime } from '../sending-time.ts';
import { type CieloPayment, readCieloVoid } from './cielo-answers.ts';
import { CIELO_VOID_LATE } from './cielo-codes.ts';
import type { AskCielo, LookUpCielo } from './cielo-payments.ts';
import { declineOfAll, givenBackOf, isHeld, isLive, isUndecided, paymentOf } from './cielo-payments.ts';
import type { VoidPauses } from './void-pauses.ts';

type Tools = {
  readonly ask: AskCielo;
  readonly lookUp: LookUpCielo;
  readonly pauses: Pick<VoidPauses, 'take'>;
  readonly silence: number;
};

const TOO_SOON = { kind: 'notSent', reason: 'another void of the payment was sent a moment ago' } as const;

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
  if ('kind' in payments) return payments;
  if (payments.length === 0) return { kind: 'notFound', reason: 'Cielo does not know it' };
  if (kept !== null && !payments.some(({ tid }) => tid === kept))
    return unusable('Cielo does not show the charge to keep');
  const others = payments.filter(({ tid }) => kept === null || tid !== kept);
  // All at once, so that one that cannot be voided keeps none of the others live.
  const answers = await Promise.all(
    others.filter(isLive).map((payment) => endOne(tools, merchantId, payment, endsAt)),
  );
  const unvoided = answers.filter((answer) => answer !== 'voided');
  if (others.some(isUndecided)) {
    const undecided = unusable('Cielo has not decided it yet');
    // All were requested alike, so an undecided payment beside a hold is a hold too.
    unvoided.push(others.some(isHeld) ? { ...undecided, ofHold: 'unclear' } : undecided);
  }
  const first = leastSure(unvoided);
  const isSent = answers.some((answer) => answer === 'voided' || answer.kind !== 'notSent');
  const wasLive = answers.length > 0;
  if (first?.kind === 'notSent' && isSent)
    return { kind: 'unknown', cause: 'notAsked', reason: first.reason, wasLive };
  if (first !== undefined) return { ...first, wasLive };
  if (kept === null && declineOfAll(payments) !== null) return { kind: 'declined' };
  return { kind: 'voided', charges: answers.length };
}

type Unvoided = Extract<VoidAnswer, Unknown | NotSent>;

/** In the order of certainty: from the answer that says least to a void that is all but done. */
const RANKS = ['notSent', 'heard', 'silent', 'unclear', 'refused', 'late', 'ofEarlier', 'made'] as const;

function rankOf(answer: Unvoided): number {
  const { ofHold, promise } = answer.kind === 'notSent' ? {} : answer;
  const plain = answer.kind === 'notSent' ? 'notSent' : isHeard(answer) ? 'heard' : 'silent';
  return RANKS.indexOf(ofHold ?? promise ?? plain);
}

/** The holds among them are over only where all are, and all is promised only where each is. */
function leastSure(unvoided: readonly Unvoided[]): Unvoided | undefined {
  const [first, ...others] = unvoided.toSorted((one, other) => rankOf(one) - rankOf(other));
  const isMixed = others.some((one) => one.kind === 'unknown' && one.promise !== undefined);
  if (first?.kind !== 'unknown' || first.ofHold === undefined || !isMixed) return first;
  return { ...first, ofHold: 'unclear' };
}

async function endOne(
  tools: Tools,
  merchantId: string,
  payment: CieloPayment,
  endsAt: number,
): Promise<'voided' | Unvoided> {
  const left = () => endsAt - performance.now();
  // Sent however little time is left: a void is harmless to repeat, and the next look-up shows it.
  const notNow = await turnOf(tools, payment)(left());
  const answer = notNow ?? (await sendVoid(tools, merchantId, payment, null, left()));
  return answer.kind === 'canceled' ? 'voided' : notVoided(answer, isHeld(payment), CIELO_VOID_LATE);
}

const turnOf =
  ({ pauses }: Tools, { paymentId }: CieloPayment) =>
  async (most: number) =>
    (await pauses.take(paymentId, most)) ? null : TOO_SOON;

/** `amount` null: all of it. */
async function sendVoid(
  { ask }: Tools,
  merchantId: string,
  { paymentId }: CieloPayment,
  amount: number | null,
  timeout: number,
): Promise<CancelRead> {
  const path = `/sales/${paymentId}/void${amount === null ? '' : `?amount=${amount}`}`;
  const question = { method: 'PUT', path, template: '/sales/{paymentId}/void', body: null } as const;
  const line = amount === null ? 'resolving' : 'charging';
  const wanted = { merchantId, kind: 'cancellations' };
  return readCieloVoid(await ask(line, wanted, question, timeout));
}

async function cancel(tools: Tools, request: CancelRequest, timeout: number): Promise<CancelAnswer> {
  const { merchantId, reference, amount, history } = request;
  const time = sendingTime(timeout);
  const payments = await tools.lookUp(merchantId, reference, timeout);
  if ('kind' in payments) return unsentCancel(history, payments);
  const payment = paymentOf(payments, history);
  if (payment === null) return unseenCancel(history, 'Cielo does not know the charge');
  const step = stepOfCancel(request, givenBackOf(payment), tools.silence);
  if (step.kind !== 'send') return step;
  const send = (left: number) => sendVoid(tools, merchantId, payment, amount, left);
  return behindAnswer(await time.send(request, send, turnOf(tools, payment)));
}
