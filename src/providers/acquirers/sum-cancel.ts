import type { CancelAnswer, CancelHistory } from './acquirer.ts';

/** What the acquirer says that it gave back of a charge, in cents. */
export type GivenBack = {
  readonly done: number;
  /** Accepted, and not done yet. */
  readonly underWay: number;
};

export type AskedCancel = { readonly amount: number; readonly history: CancelHistory };

/** `send`: it is not booked, and no earlier request of it can be any more. */
type Step = CancelAnswer | { readonly kind: 'send' };

const unknown = (reason: string): Step => ({ kind: 'unknown', reason, isSilence: false });

/**
 * What became of a cancel at an acquirer that knows no reference of it. Such cancels of a charge come one
 * after the other, so the sum is what the others gave back, with this one or without it. `silence`: real
 * milliseconds from a request without an answer until it surely will not be booked any more.
 */
export function stepOfCancel({ amount, history }: AskedCancel, sums: GivenBack, silence: number): Step {
  const { givenBack, sinceFirstTry, isAccepted } = history;
  const { done, underWay } = sums;
  if (sinceFirstTry === null) return firstStep(givenBack, sums);
  if (underWay === 0 && done === givenBack + amount) return { kind: 'canceled' };
  if (underWay === amount && done === givenBack) return { kind: 'pending' };
  if (underWay !== 0 || done !== givenBack)
    return unknown('what the acquirer gave back fits no cancel on record');
  // An accepted one that the acquirer shows no more could not be done.
  if (isAccepted) return { kind: 'refused', reason: 'failed' };
  return sinceFirstTry < silence ? unknown('the acquirer may still book it') : { kind: 'send' };
}

function firstStep(givenBack: number, { done, underWay }: GivenBack): Step {
  if (underWay === 0 && done === givenBack) return { kind: 'send' };
  // A look-up may be some seconds behind. Nothing was sent, and another try will find it.
  if (done + underWay < givenBack)
    return { kind: 'notSent', reason: 'the acquirer shows less than it gave back' };
  // Somebody gave back at the acquirer's own desk: sums would tell nothing of this cancel.
  return { kind: 'refused', reason: 'failed' };
}
