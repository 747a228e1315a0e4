import type { Day } from '../../values/instant.ts';

/** What the bank's simulator has booked of a boleto. */
export type LedgerBoleto = {
  readonly ourNumber: string;
  readonly status: 'refused' | 'issued' | 'paid' | 'canceled' | 'expired';
  /** Cents. */
  readonly amount: number;
  readonly issuedOn: string;
  readonly dueOn: string;
  readonly payableUntil: string;
  /** Null: it was refused. */
  readonly barCode: string | null;
  readonly digitableLine: string | null;
  readonly payments: readonly { readonly amount: number; readonly paidOn: string }[];
};

/** What the simulator can be asked to write wrongly into a return file. */
export const RETURN_FILE_FAULTS = ['rowMissing', 'rowTwice', 'otherAmount', 'brokenTrailer'] as const;

export type WantedReturnFile = {
  readonly day: Day;
  readonly fault: (typeof RETURN_FILE_FAULTS)[number] | null;
};

/**
 * `noSimulator`: there is no bank here whose books could be read. `dayNotOver`: in the merchant's
 * time. `tooLarge`: for one answer of the service.
 */
export type BankPaperRefusal = 'noSimulator' | 'dayNotOver' | 'tooLarge';

export type BankPaper<P> =
  | { readonly kind: 'read'; readonly paper: P }
  | { readonly kind: 'refused'; readonly refusal: BankPaperRefusal };
