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
