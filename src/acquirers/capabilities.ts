import { CARD_BRANDS, type CardBrand } from '../values/card-number.ts';
import { MOST_INSTALLMENTS } from '../values/cents.ts';

/** What the acquirer can do: what it cannot is refused before anything is written or sent. */
export type AcquirerCapabilities = {
  /** Installments of one charge, at most. */
  readonly largestInstallments: number;
  readonly brands: readonly CardBrand[];
  /** Authorizes now and captures later. */
  readonly captureLater: boolean;
  /** Gives back a part of a charge; without it only the whole. */
  readonly partialCancel: boolean;
  /** Verifies a card without charging it. */
  readonly zeroVerification: boolean;
  /** Characters of a reference of ours, at most. */
  readonly longestReference: number;
  /** For how many days it finds a charge by our reference; null: for ever. */
  readonly lookUpDays: number | null;
  /** Wants to know who buys. Personal data goes to no acquirer that does not ask for it. */
  readonly customer: boolean;
  /** Lists the charges of a time, which a restore needs. */
  readonly listCharges: boolean;
};

/** What an acquirer is taken for until it has said it. */
export const UNREAD_CAPABILITIES: AcquirerCapabilities = {
  largestInstallments: MOST_INSTALLMENTS,
  brands: CARD_BRANDS,
  captureLater: false,
  partialCancel: true,
  zeroVerification: true,
  longestReference: 64,
  lookUpDays: null,
  customer: false,
  listCharges: false,
};
