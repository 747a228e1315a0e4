/**
 * Ways to spoil the answer to a registration, a cancel or a change of the due day. All but `silent` book it
 * first; `notFound` is silent, and hides the boleto from three questions.
 */
export const FAULTS = [
  'silent',
  'booksButSilent',
  'late',
  'garbage',
  'reset',
  'unavailable',
  'wrongCheckDigit',
  'wrongAmount',
  'wrongDueDay',
  'wrongBank',
  'wrongNumber',
  'notFound',
] as const;
export type Fault = (typeof FAULTS)[number];

export const REFUSALS = ['payerRefused', 'termsRefused', 'amountRefused'] as const;
export type Refusal = (typeof REFUSALS)[number];

/** What a test asks of one registration; it leaves the trigger of its amount aside. */
export type Step = {
  readonly fault: Fault | null;
  readonly refusal: Refusal | null;
  /** How long the registration is worked on before it is booked. */
  readonly delayMilliseconds: number;
  /** How many questions about the boleto are answered with "not found". */
  readonly notFoundTimes: number;
  readonly isReportedTwice: boolean;
  /** Days are counted from the due day; `amount` null: what is owed then. */
  readonly payments: readonly { readonly daysAfterDue: number; readonly amount: number | null }[];
};

export const CANCEL_REFUSALS = ['notAllowed', 'unknownBoleto'] as const;

/** What a test asks of one cancel or change of the due day. Refused, it leaves the boleto as it was. */
export type CancelStep = {
  readonly fault: Fault | null;
  readonly refusal: (typeof CANCEL_REFUSALS)[number] | null;
};
