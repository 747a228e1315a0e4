import type { Day } from '../../src/values/instant.ts';

export type LedgerBoleto = {
  readonly ourNumber: string;
  readonly status: 'refused' | 'issued' | 'paid' | 'canceled' | 'expired';
  /** Cents. */
  readonly amount: number;
  readonly issuedOn: string;
  readonly dueOn: string;
  readonly payableUntil: string;
  /** Null if the bank refused the boleto. */
  readonly barCode: string | null;
  readonly digitableLine: string | null;
  readonly payments: readonly { readonly amount: number; readonly paidOn: string }[];
};

/** Faults that the simulator can write into a return file. */
export const RETURN_FILE_FAULTS = ['rowMissing', 'rowTwice', 'otherAmount', 'brokenTrailer'] as const;

export type WantedReturnFile = {
  readonly day: Day;
  readonly fault: (typeof RETURN_FILE_FAULTS)[number] | null;
};

/** `noSimulator`: no simulated bank. `dayNotOver`: in the merchant's time. `tooLarge`: for one answer. */
export type BankPaperRefusal = 'noSimulator' | 'dayNotOver' | 'tooLarge';

export type BankPaper<P> =
  | { readonly kind: 'read'; readonly paper: P }
  | { readonly kind: 'refused'; readonly refusal: BankPaperRefusal };
