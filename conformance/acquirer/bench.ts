import type { HttpClient } from '../http-client.ts';
import { type Form, type Point, textForm } from '../point.ts';

export type Card = {
  readonly number: string;
  readonly brand: string;
  readonly expirationMonth: string;
  readonly expirationYear: string;
  readonly holderName: string;
  readonly securityCode: string | null;
};

/** What a point works with. */
export type Bench = {
  readonly bridge: HttpClient;
  readonly merchantId: string;
  readonly otherMerchantId: string;
  /** A card that the acquirer approves, and another one. */
  readonly card: Card;
  readonly otherCard: Card;
  /** What makes the acquirer decline; null: not known. */
  readonly decline: { readonly amount: number; readonly card: Card } | null;
  /** Cents of a cancellation that is accepted and decided later; null: none is known. */
  readonly pendingAmount: number | null;
  /** One that was never used before, also not in an earlier run. */
  readonly newReference: () => string;
};

export type AcquirerPoint = Point<Bench>;

export const CODE = textForm('1 to 40 of A-Z a-z 0-9 _ -', /^[A-Za-z0-9_-]{1,40}$/);
/** Mastercard's link of an approval. */
export const LINK = textForm('22 of A-Z a-z 0-9 _ -', /^[A-Za-z0-9_-]{22}$/);
export const NO_LINK: Form = {
  form: 'null, or absent',
  isFit: (value) => value === undefined || value === null,
};
export const NSU = textForm('decimal digits', /^\d{1,40}$/);
export const RESPONSE_CODE = textForm('1 to 4 letters and digits', /^[A-Za-z0-9]{1,4}$/);
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
export const MOMENT: Form = {
  form: 'an ISO 8601 instant with zone',
  isFit: (value) => typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value)),
};
export const ADVICE_CODE: Form = {
  form: '1 to 4 letters and digits, or null',
  isFit: (value) => value === null || RESPONSE_CODE.isFit(value),
};
