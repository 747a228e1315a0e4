import { type Cents, cents } from './cents.ts';
import { addDays, type Day } from './instant.ts';

declare const brand: unique symbol;

/** The 44 digits of a boleto's bar code, check digit correct. */
export type BarCode = string & { readonly [brand]: 'BarCode' };

export type BarCodeParts = {
  /** Three digits. */
  readonly bankCode: string;
  readonly dueOn: Day | null;
  /** At most ten digits of cents; 0: the bar code has no amount. */
  readonly amount: Cents;
  /** 25 digits in the bank's own layout. */
  readonly freeField: string;
};

/** `fieldCheckDigit`: a field of the digitable line is mistyped. `currency`: not in reais. */
export type BarCodeFault =
  | 'notDigits'
  | 'wrongLength'
  | 'fieldCheckDigit'
  | 'checkDigit'
  | 'currency'
  | 'dueFactor';

export type BarCodeReading =
  | ({ readonly kind: 'barCode'; readonly barCode: BarCode } & BarCodeParts)
  | { readonly kind: 'fault'; readonly fault: BarCodeFault };

/** FEBRABAN's code for reais. */
const REAIS = '9';
/** The largest amount in a bar code: ten digits of cents. */
export const MOST_BAR_CODE_CENTS: Cents = cents(9_999_999_999);

/**
 * A bar code has its due day as a factor. Factors count days from 1997-10-07. They begin with 1000 on this
 * day, end with 9999 on 2025-02-21, and then begin again; the next era ends on 2049-10-13.
 */
export const FIRST_DUE_DAY = '2000-07-03' as Day;
const FIRST_FACTOR = 1_000;
const FACTORS_PER_ERA = 9_000;
const NO_DUE_DATE = '0000';

/** Throws RangeError for parts that no bar code can have. */
export function composeBarCode(parts: BarCodeParts): BarCode {
  const { bankCode, dueOn, amount, freeField } = parts;
  if (!/^\d{3}$/.test(bankCode)) throw new RangeError(`not a bank code: ${bankCode}`);
  if (!/^\d{25}$/.test(freeField)) throw new RangeError(`not a free field: ${freeField}`);
  if (amount > MOST_BAR_CODE_CENTS) throw new RangeError(`too much for a bar code: ${amount}`);
  const factor = dueOn === null ? NO_DUE_DATE : String(dueFactor(dueOn));
  const rest = `${factor}${String(amount).padStart(10, '0')}${freeField}`;
  const head = `${bankCode}${REAIS}`;
  return `${head}${checkDigit(head + rest)}${rest}` as BarCode;
}

/** The due factor of a day, four digits. Throws RangeError for a day before FIRST_DUE_DAY. */
export function dueFactor(day: Day): number {
  if (day < FIRST_DUE_DAY) throw new RangeError(`a day before due factors: ${day}`);
  return FIRST_FACTOR + (daysBetween(FIRST_DUE_DAY, day) % FACTORS_PER_ERA);
}

/**
 * The due day of a factor from 1000 to 9999. Of the days with this factor it is the nearest to `near`; of two
 * equally near, the later.
 */
export function dueDayOf(factor: number, near: Day): Day {
  if (!Number.isInteger(factor) || factor < FIRST_FACTOR || factor >= FIRST_FACTOR + FACTORS_PER_ERA) {
    throw new RangeError(`not a due factor: ${factor}`);
  }
  const ofFirstEra = factor - FIRST_FACTOR;
  const era = Math.round((daysBetween(FIRST_DUE_DAY, near) - ofFirstEra) / FACTORS_PER_ERA);
  return addDays(FIRST_DUE_DAY, ofFirstEra + Math.max(era, 0) * FACTORS_PER_ERA);
}

/** Reads 44 digits. The due day is the one nearest to `near`. */
export function parseBarCode(text: string, near: Day): BarCodeReading {
  const fault = digitsFault(text, 44);
  if (fault !== null) return { kind: 'fault', fault };
  if (text[4] !== checkDigit(text.slice(0, 4) + text.slice(5))) return { kind: 'fault', fault: 'checkDigit' };
  if (text[3] !== REAIS) return { kind: 'fault', fault: 'currency' };
  const factor = text.slice(5, 9);
  if (factor !== NO_DUE_DATE && factor.startsWith('0')) return { kind: 'fault', fault: 'dueFactor' };
  return {
    kind: 'barCode',
    barCode: text as BarCode,
    bankCode: text.slice(0, 3),
    dueOn: factor === NO_DUE_DATE ? null : dueDayOf(Number(factor), near),
    amount: cents(Number(text.slice(9, 19))),
    freeField: freeFieldOf(text),
  };
}

/** `barCode`: all 44 digits. */
export function freeFieldOf(barCode: string): string {
  return barCode.slice(19);
}

/** The 47 digits that a payer types: bank and free field in three parts, check digit, factor, amount. */
export function digitableLine(barCode: BarCode): string {
  const fields = [
    barCode.slice(0, 4) + barCode.slice(19, 24),
    barCode.slice(24, 34),
    barCode.slice(34, 44),
  ].map((field) => `${field}${fieldCheckDigit(field)}`);
  return `${fields.join('')}${barCode[4]}${barCode.slice(5, 19)}`;
}

/** As printed: `AAAAA.AAAAA BBBBB.BBBBBB CCCCC.CCCCCC D EEEEEEEEEEEEEE`. */
export function formatDigitableLine(line: string): string {
  return line.replace(/^(.{5})(.{5})(.{5})(.{6})(.{5})(.{6})(.)(.{14})$/, '$1.$2 $3.$4 $5.$6 $7 $8');
}

const LONGEST_LINE = 100;

/** Reads 47 digits, with dots and blanks anywhere. */
export function parseDigitableLine(text: string, near: Day): BarCodeReading {
  if (text.length > LONGEST_LINE) return { kind: 'fault', fault: 'wrongLength' };
  const line = text.replace(/[. ]/g, '');
  const fault = digitsFault(line, 47);
  if (fault !== null) return { kind: 'fault', fault };
  const fields = [line.slice(0, 10), line.slice(10, 21), line.slice(21, 32)];
  if (fields.some((field) => field.at(-1) !== fieldCheckDigit(field.slice(0, -1)))) {
    return { kind: 'fault', fault: 'fieldCheckDigit' };
  }
  const [first = '', second = '', third = ''] = fields.map((field) => field.slice(0, -1));
  return parseBarCode(`${first.slice(0, 4)}${line.slice(32)}${first.slice(4)}${second}${third}`, near);
}

function digitsFault(text: string, length: number): BarCodeFault | null {
  if (!/^\d*$/.test(text)) return 'notDigits';
  return text.length === length ? null : 'wrongLength';
}

/** Modulo 11 over the other 43 digits, weights 2 to 9 from the right, repeated. 0, 10 and 11 become 1. */
function checkDigit(digits: string): string {
  let sum = 0;
  for (let fromRight = 0; fromRight < digits.length; fromRight += 1) {
    sum += (2 + (fromRight % 8)) * Number(digits[digits.length - 1 - fromRight]);
  }
  const digit = 11 - (sum % 11);
  return digit > 9 ? '1' : String(digit);
}

/** Modulo 10, weights 2 and 1 from the right; two-digit products count as their digit sum. */
function fieldCheckDigit(digits: string): string {
  let sum = 0;
  for (let fromRight = 0; fromRight < digits.length; fromRight += 1) {
    const product = (2 - (fromRight % 2)) * Number(digits[digits.length - 1 - fromRight]);
    sum += product > 9 ? product - 9 : product;
  }
  return String((10 - (sum % 10)) % 10);
}

function daysBetween(from: Day, to: Day): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000;
}
