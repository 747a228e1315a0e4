/** Ways to spoil an answer. All but `silent` book the charge first. */
export const FAULTS = [
  'silent',
  'booksButSilent',
  'late',
  'garbage',
  'reset',
  'wrongAmount',
  'wrongReference',
  'duplicate',
] as const;
export type Fault = (typeof FAULTS)[number];

/** What a test asks of one charge. */
export type Step = {
  readonly outcome: 'approved' | 'declined' | null;
  readonly responseCode: string | null;
  readonly adviceCode: string | null;
  /** How long the charge is worked on before it is booked. */
  readonly delayMilliseconds: number;
  readonly fault: Fault | null;
  /** How many voids of the charge are refused before one is accepted. */
  readonly undoRefusals: number;
  /** How many questions about the charge are answered with "not found". */
  readonly notFoundTimes: number;
  /** What is kept of each installment when it is settled, in hundredths of a percent. */
  readonly feePortion: number;
};

/** What a test asks of one cancellation: that it is accepted, and decided later. */
export type CancellationStep = {
  /** Counted from the request, in the merchant's time. */
  readonly decidedAfterMilliseconds: number;
  readonly fails: boolean;
};
