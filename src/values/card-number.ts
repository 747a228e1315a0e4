import brandList from './card-brands.json' with { type: 'json' };

export const CARD_BRANDS = ['visa', 'mastercard', 'amex', 'elo', 'hipercard'] as const;
export type CardBrand = (typeof CARD_BRANDS)[number];

export const BRAND_NAMES: Readonly<Record<CardBrand, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  elo: 'Elo',
  hipercard: 'Hipercard',
};

type BrandFacts = {
  readonly lengths: readonly number[];
  readonly securityCodeLength: number;
  /** First digits in every list, old or new: any other number is certainly not of the brand. */
  readonly firstDigits: readonly string[];
  /** Prefixes, or `first-last` of equal length. Today's list, which ages. */
  readonly ranges: readonly string[];
};

const FACTS: Readonly<Record<CardBrand, BrandFacts>> = brandList.brands;

/** Lengths in use (ISO/IEC 7812). */
const CARD_NUMBER = /^\d{13,19}$/;

type PrefixRange = { readonly brand: CardBrand; readonly first: string; readonly last: string };

/**
 * Longest prefixes first; those of equal length in the order of card-brands.json, where Elo comes before Visa
 * and Mastercard.
 */
const PREFIX_RANGES: readonly PrefixRange[] = (Object.keys(FACTS) as CardBrand[])
  .flatMap((brand) => FACTS[brand].ranges.map((range) => prefixRange(brand, range)))
  .sort((one, other) => other.first.length - one.first.length);

/** 13 to 19 digits without blanks that pass Luhn. */
export function isCardNumber(text: string): boolean {
  return CARD_NUMBER.test(text) && luhnSum(text) % 10 === 0;
}

/**
 * The brand in today's list; the longest prefix wins, because Elo's numbers lie among Visa's and
 * Mastercard's. null: prefix or length fit none. Only a hint: the list ages.
 */
export function brandOf(number: string): CardBrand | null {
  if (!CARD_NUMBER.test(number)) return null;
  const range = PREFIX_RANGES.find(
    ({ brand, first, last }) => isWithin(number, first, last) && FACTS[brand].lengths.includes(number.length),
  );
  return range?.brand ?? null;
}

/**
 * Whether a number of 13 to 19 digits cannot be of the brand, by length or first digits (Visa 4, Mastercard 2
 * or 5, Amex 34 or 37, Elo 4, 5 or 6, Hipercard 3 or 6). The detailed list is not used: it ages, and refusing
 * a good card loses a sale.
 */
export function isBrandImpossible(brand: CardBrand, number: string): boolean {
  if (!CARD_NUMBER.test(number)) return true;
  const { lengths, firstDigits } = FACTS[brand];
  return !lengths.includes(number.length) || !firstDigits.some((digits) => number.startsWith(digits));
}

export function securityCodeLength(brand: CardBrand): number {
  return FACTS[brand].securityCodeLength;
}

/**
 * The digits that may be shown and stored. Throws RangeError, without the text in it, unless the text is 13
 * to 19 digits: of fewer too little would be hidden.
 */
export function maskedCard(number: string): { firstSix: string; lastFour: string } {
  if (!CARD_NUMBER.test(number)) throw new RangeError('not a card number');
  return { firstSix: number.slice(0, 6), lastFour: number.slice(-4) };
}

function prefixRange(brand: CardBrand, range: string): PrefixRange {
  const [first = '', last = first] = range.split('-');
  return { brand, first, last };
}

/** Digits of equal length compare as text. */
function isWithin(number: string, first: string, last: string): boolean {
  const prefix = number.slice(0, first.length);
  return prefix >= first && prefix <= last;
}

/** Every second digit from the right counts double, as its digit sum. */
function luhnSum(digits: string): number {
  let sum = 0;
  for (let fromRight = 0; fromRight < digits.length; fromRight += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - fromRight) - 48;
    const counted = fromRight % 2 === 1 ? digit * 2 : digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum;
}
