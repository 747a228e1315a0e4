/** Ways in which the simulated acquirer spoils its answer to a charge. All but `silent` book it first. */
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

/** What the simulator is to do with one of the merchant's next charges. */
export type ScriptStep = {
  readonly outcome: 'approved' | 'declined' | null;
  /** Of a decline, as the card's brand writes it; null: the brand's generic one. */
  readonly responseCode: string | null;
  readonly adviceCode: string | null;
  readonly fault: (typeof ANSWER_FAULTS)[number] | null;
  /** How long the charge is worked on before it is booked. */
  readonly delayMilliseconds: number;
  /** How many voids of it are refused, and how many questions about it not found. */
  readonly undoRefusals: number;
  readonly notFoundTimes: number;
  /** Kept of each installment when it is paid, in hundredths of a percent. */
  readonly feePortion: number;
};

/** One of the merchant's next cancels: accepted, and decided so many days later by its clock. */
export type ScriptedCancel = { readonly afterDays: number; readonly fails: boolean };

export type AcquirerScript = {
  readonly steps: readonly ScriptStep[];
  readonly cancels: readonly ScriptedCancel[];
};

/** `noSimulator`: the acquirer is none that takes scripts. `tooMany`: of other merchants it has too many. */
export type ScriptRefusal = 'noSimulator' | 'tooMany';

export const MOST_SCRIPTED = 20;
