import type { VoidAnswer } from './acquirer.ts';

export type LateBooking = {
  /** Milliseconds from the end of the request's connection until which the acquirer may still book it. */
  readonly horizon: number;
  /** Milliseconds between two look-ups that must both find nothing live. */
  readonly apart: number;
  /** As `horizon`, of a cancel: from the moment that it was marked as sent for the last time. */
  readonly silence: number;
  /** Whether one reference may be booked twice, so that a charge that was found and voided proves little. */
  readonly booksTwice: boolean;
};

/** Whether a void came to its end by the look-up before it, which shows nothing live: none was sent. */
export function isOfLook(voided: VoidAnswer): boolean {
  return (
    voided.kind === 'notFound' ||
    voided.kind === 'declined' ||
    (voided.kind === 'voided' && voided.charges === 0)
  );
}
