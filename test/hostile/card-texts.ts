import { isCardNumber } from '../../src/values/card-number.ts';
import type { ENDPOINTS } from '../published.ts';
import { seedFrom } from './attack.ts';
import { type Field, fieldsOf } from './cases/fields.ts';
import { chanceOf } from './mutations.ts';

/** Texts in which a caller may send a card number, in every form in which one is typed or pasted. */

const SHORTEST_NUMBER = 13;

/** The texts of a body that are long enough for a number. */
export const textsOf = (endpoint: (typeof ENDPOINTS)[number]): Field[] =>
  fieldsOf(endpoint).filter(
    ({ place, schema: { type, maxLength = 0 } }) =>
      place === 'body' && type === 'string' && maxLength >= SHORTEST_NUMBER,
  );

/** Texts where a card number has no business. */
export const textsWithoutCards = (endpoint: (typeof ENDPOINTS)[number]): Field[] =>
  textsOf(endpoint).filter(({ schema }) => schema.mayHoldCard !== true);

/** Of the digits that are drawn. */
export const CARD_SEED = seedFrom(process.env, 1);
const chance = chanceOf(CARD_SEED);

/** Another number in each call: 4 is the first digit of Visa's, of 13 digits as of 16. */
export function markedNumber(length: number): string {
  let start = '4';
  while (start.length < length - 1) start += chance(10);
  return start + [...'0123456789'].find((last) => isCardNumber(start + last));
}

/** Those of 13 digits where only few characters fit. */
export const numbersFor = ({ schema: { maxLength = 0 } }: Field): string[] =>
  [16, ...(maxLength < 30 ? [SHORTEST_NUMBER] : [])].map(markedNumber);

export const inFours = (number: string, between: string) =>
  number.replaceAll(/(\d{4})(?=\d)/g, `$1${between}`);
const inScript = (number: string, zero: number) =>
  number.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

/** Every form in which somebody may type or paste it. */
function formsOf(number: string): string[] {
  const apart = [' ', '_', '.', '-', '\u00a0', '\u2009', '\u2013', '\u200b'].map((between) =>
    inFours(number, between),
  );
  return [
    number,
    ...apart,
    [...number].join(' '),
    inScript(number, 0xff10),
    inScript(number, 0x0660),
    encodeURIComponent(inFours(number, ' ')),
    `ANA ${number}`,
    `ref${number}x`,
    `${inFours(number, ' ')} 123`,
    `Rua ${inFours(number, '_')}, casa`,
  ];
}

/** The forms as a field of this format may bring them; those that fit. */
export function formsFor({ schema: { format, maxLength = 0 } }: Field, numbers: readonly string[]): string[] {
  const dressed = numbers.flatMap(formsOf).map((form) => {
    if (format === 'webAddress') return `https://loja.example/r?c=${encodeURI(form)}`;
    if (format === 'emailAddress') return `${encodeURI(form)}@loja.example`;
    if (format === 'basicAuth') return Buffer.from(`loja:${form}`).toString('base64');
    return form;
  });
  return dressed.filter((form) => [...form].length <= maxLength);
}
