import type { Feed } from '../../src/platform/feeds/open-feed.ts';
import type { BANK_EVENTS } from '../../src/providers/banks/bank.ts';
import type { Boleto } from '../../src/transactions/methods/boleto/boleto.ts';
import type { Cents } from '../../src/values/cents.ts';
import type { Day } from '../../src/values/instant.ts';

export type BankTools = { readonly bankUrl: string; readonly feed: Feed };

export type WantedBoletoEvent = {
  readonly boletoId: string;
  readonly event: (typeof BANK_EVENTS)[number];
  /** The paid amount; null: what is due on that day. */
  readonly amount: Cents | null;
  /** Null means today, by the merchant's clock. */
  readonly paidOn: Day | null;
};

/** `forbidden`: by the bank. `notThatDay`: before the issue or after today. `noSimulator`: no bank. */
export type BoletoEventRefusal = 'notFound' | 'forbidden' | 'notThatDay' | 'noSimulator';

export type BoletoEventResult =
  | { readonly kind: 'happened'; readonly boleto: Boleto }
  | { readonly kind: 'refused'; readonly refusal: BoletoEventRefusal };
