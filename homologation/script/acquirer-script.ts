/** How the simulator spoils its answer to a charge. All but `silent` book it first. */
export const ANSWER_FAULTS = [
  'silent',
  'booksButSilent',
  'late',
  'garbage',
  'reset',
  'wrongAmount',
  'wrongReference',
  'duplicate',
] as const;

/** For one of the merchant's next charges. */
export type ScriptStep = {
  readonly outcome: 'approved' | 'declined' | null;
  /** A decline's code in the form of the card's brand; null: its generic one. */
  readonly responseCode: string | null;
  readonly adviceCode: string | null;
  readonly fault: (typeof ANSWER_FAULTS)[number] | null;
  /** Before the charge is booked. */
  readonly delayMilliseconds: number;
  /** How many voids of it are refused, and how many questions about it answered "not found". */
  readonly undoRefusals: number;
  readonly notFoundTimes: number;
  /** Deducted from each installment when paid, in hundredths of a percent. */
  readonly feePortion: number;
};

/** For a next cancel: accepted, and decided so many days later by the merchant's clock. */
export type ScriptedCancel = { readonly afterDays: number; readonly fails: boolean };

export type AcquirerScript = {
  readonly steps: readonly ScriptStep[];
  readonly cancels: readonly ScriptedCancel[];
};

/** `noSimulator`: the acquirer takes no scripts. `tooMany`: too many scripts of other merchants. */
export type ScriptRefusal = 'noSimulator' | 'tooMany';

export const MOST_SCRIPTED = 20;
