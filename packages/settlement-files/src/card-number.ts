export type CardBrand = 'visa' | 'mastercard' | 'amex' | 'elo' | 'hipercard';

const LEAST_DIGITS = 13;
/** Longer runs are no card: an invoice key has 44 digits, the line of a boleto 47 or 48. */
const LONGEST_RUN = 40;

/** Numbers of Visa, Mastercard, Amex, Elo and Hipercard by their first digits and length. */
const NETWORKS = [
  /^4(?:\d{12}|\d{15}|\d{17,18})$/,
  /^5[1-5]\d{14}$/,
  /^2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}$/,
  /^3[47]\d{13}$/,
  /^(?:5041|5066|5067|509\d|6277|6362|6363|650\d|6516|6550)\d{12}$/,
  /^(?:606282|3841[046]0)(?:\d{7}|\d{10}|\d{13})$/,
];

/** Digits that pass Luhn and begin like the number of a network's card. */
export function isCardNumber(digits: string): boolean {
  return NETWORKS.some((network) => network.test(digits)) && luhnSum(digits) % 10 === 0;
}

const RUN = /\d+(?:[ .\-_]{1,3}\d+)*/g;

/** A group of digits, or adjacent groups of one size. */
export function holdsCardNumber(text: string): boolean {
  return [...text.matchAll(RUN)].some(([run]) => {
    const groups = run.match(/\d+/g) ?? [];
    const length = groups.reduce((sum, group) => sum + group.length, 0);
    if (length < LEAST_DIGITS) return false;
    if (groups.some(isCard) || isCard(groups.join(''))) return true;
    return length <= LONGEST_RUN && groups.some((_, first) => beginsCard(groups.slice(first)));
  });
}

/** Groups of one size except perhaps the last, or as Amex prints them. */
function beginsCard(groups: readonly string[]): boolean {
  const sizes = groups.map(({ length }) => length);
  if (sizes.slice(0, 3).join() === '4,6,5') return isCard(groups.slice(0, 3).join(''));
  const ofOneSize = sizes.findIndex((size) => size !== sizes[0]);
  const mostGroups = ofOneSize === -1 ? groups.length : ofOneSize + 1;
  return groups.some((_, last) => last < mostGroups && isCard(groups.slice(0, last + 1).join('')));
}

/** In a text every number of 16 digits that begins with 5 or 6 counts: lists of networks age. */
function isCard(digits: string): boolean {
  return isCardNumber(digits) || (/^[56]\d{15}$/.test(digits) && luhnSum(digits) % 10 === 0);
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
