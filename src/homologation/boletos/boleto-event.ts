import type { BANK_EVENTS } from '../../banks/bank.ts';
import type { Boleto } from '../../boletos/boleto.ts';
import type { Feed } from '../../platform/feeds/open-feed.ts';
import type { Cents } from '../../values/cents.ts';
import type { Day } from '../../values/instant.ts';

/** The simulator of the bank, and what brings its changes. */
export type BankTools = { readonly bankUrl: string; readonly feed: Feed };

/** A requested event of a boleto. */
export type WantedBoletoEvent = {
  readonly boletoId: string;
  readonly event: (typeof BANK_EVENTS)[number];
  /** Of a payment; null: what is to be paid on the day. */
  readonly amount: Cents | null;
  /** Null: today, by the merchant's clock. */
  readonly paidOn: Day | null;
};

/**
 * `notFound`: this merchant has no such boleto. `forbidden`: the bank's books do not allow it.
 * `notThatDay`: paid before it was issued, or after today.
 * `noSimulator`: there is no simulator of a bank here.
 */
export type BoletoEventRefusal = 'notFound' | 'forbidden' | 'notThatDay' | 'noSimulator';

export type BoletoEventResult =
  | { readonly kind: 'happened'; readonly boleto: Boleto }
  | { readonly kind: 'refused'; readonly refusal: BoletoEventRefusal };
