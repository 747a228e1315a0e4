import codes from './decline-codes.json' with { type: 'json' };

export const BRANDS = ['visa', 'mastercard', 'amex', 'elo', 'hipercard'] as const;
export type Brand = (typeof BRANDS)[number];

export type Decline = { readonly responseCode: string; readonly adviceCode: string | null };

type Meaning = {
  readonly meaning: string;
  readonly visa?: string;
  readonly mastercard?: string;
  readonly amex?: string;
  /** Mastercard's merchant advice code that goes with the meaning. */
  readonly adviceCode?: string;
};

const MEANINGS: Readonly<Record<string, Meaning>> = codes.meanings;

/**
 * How a card of the brand says what ABECS (Elo's column) numbers with the two digits; null when
 * they are nobody's code. A brand without a code for the meaning answers its generic one.
 */
export function declineFor(abecsCode: string, brand: Brand): Decline | null {
  const meaning = Object.hasOwn(MEANINGS, abecsCode) ? MEANINGS[abecsCode] : undefined;
  if (meaning === undefined) return null;
  return {
    responseCode: brandCode(abecsCode, meaning, brand) ?? codes.generic[brand],
    adviceCode: brand === 'mastercard' ? (meaning.adviceCode ?? null) : null,
  };
}

/** A decline without a reason, in the brand's own code. */
export function genericDecline(brand: Brand): Decline {
  return { responseCode: codes.generic[brand], adviceCode: null };
}

/** Hipercard speaks Mastercard's codes; Elo's codes are those of ABECS. */
function brandCode(abecsCode: string, meaning: Meaning, brand: Brand): string | undefined {
  if (brand === 'elo') return abecsCode;
  return brand === 'hipercard' ? meaning.mastercard : meaning[brand];
}
