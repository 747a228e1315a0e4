import brandList from './card-brands.json' with { type: 'json' };

export const CARD_BRANDS = ['visa', 'mastercard', 'amex', 'elo', 'hipercard'] as const;
export type CardBrand = (typeof CARD_BRANDS)[number];

type BrandFacts = {
  /** How many digits its numbers may have. */
  readonly lengths: readonly number[];
  readonly securityCodeLength: number;
  /**
   * The first digits of its numbers in every list, old or new: a number that contradicts this is
   * certainly no card of the brand.
   */
  readonly firstDigits: readonly string[];
  /** Prefixes, or `first-last` of equal length: today's list, which ages. */
  readonly ranges: readonly string[];
};

const FACTS: Readonly<Record<CardBrand, BrandFacts>> = brandList.brands;

/** The shortest and longest numbers of ISO/IEC 7812 in use. */
const CARD_NUMBER = /^\d{13,19}$/;

type PrefixRange = { readonly brand: CardBrand; readonly first: string; readonly last: string };

/** Longest prefixes first; where two are of one length the order of the file holds, Elo first. */
const PREFIX_RANGES: readonly PrefixRange[] = (Object.keys(FACTS) as CardBrand[])
  .flatMap((brand) => FACTS[brand].ranges.map((range) => prefixRange(brand, range)))
  .sort((one, other) => other.first.length - one.first.length);

/**
 * Whether the text can be a card's number: 13 to 19 digits without blanks, of which the last checks
 * the others (Luhn).
 */
export function isCardNumber(text: string): boolean {
  return CARD_NUMBER.test(text) && luhnSum(text) % 10 === 0;
}

/**
 * The brand that today's list gives a number of 13 to 19 digits: the longest prefix wins, since
 * Elo's numbers lie among those of Visa and Mastercard. Null when no brand has both the prefix and
 * the length. A hint, not a verdict: the list ages.
 */
export function brandOf(number: string): CardBrand | null {
  if (!CARD_NUMBER.test(number)) return null;
  const range = PREFIX_RANGES.find(
    ({ brand, first, last }) => isWithin(number, first, last) && FACTS[brand].lengths.includes(number.length),
  );
  return range?.brand ?? null;
}

/**
 * Whether a number of 13 to 19 digits cannot be of the claimed brand: no card of the brand has that
 * length, or none ever began with those digits (4 for Visa, 2 or 5 for Mastercard, 34 or 37 for
 * Amex, 4, 5 or 6 for Elo, 3 or 6 for Hipercard). That the detailed list says otherwise is no
 * proof: a number that begins with 4 may have gone from Visa to Elo since the list was made, and
 * refusing it would lose a good sale.
 */
export function isBrandImpossible(brand: CardBrand, number: string): boolean {
  if (!CARD_NUMBER.test(number)) return true;
  const { lengths, firstDigits } = FACTS[brand];
  return !lengths.includes(number.length) || !firstDigits.some((digits) => number.startsWith(digits));
}

/** Digits of the security code printed on a card of the brand: 4 for Amex, else 3. */
export function securityCodeLength(brand: CardBrand): number {
  return FACTS[brand].securityCodeLength;
}

/**
 * What may be shown and stored of a card's number: the first six and the last four digits. A
 * RangeError, which does not repeat the text, unless it has 13 to 19 digits: of fewer too little
 * would stay hidden.
 */
export function maskedCard(number: string): { firstSix: string; lastFour: string } {
  if (!CARD_NUMBER.test(number)) throw new RangeError('not a card number');
  return { firstSix: number.slice(0, 6), lastFour: number.slice(-4) };
}

function prefixRange(brand: CardBrand, range: string): PrefixRange {
  const [first = '', last = first] = range.split('-');
  return { brand, first, last };
}

/** Digits of equal length compare as text in the order of their numbers. */
function isWithin(number: string, first: string, last: string): boolean {
  const prefix = number.slice(0, first.length);
  return prefix >= first && prefix <= last;
}

/** From the right every second digit counts double, and a double of two digits as their sum. */
function luhnSum(digits: string): number {
  let sum = 0;
  for (let fromRight = 0; fromRight < digits.length; fromRight += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - fromRight) - 48;
    const counted = fromRight % 2 === 1 ? digit * 2 : digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum;
}
