import { createHash } from 'node:crypto';
import { daysBetween } from '../kit/days.ts';

export const BANK_CODE = '237';
const CURRENCY = '9';
export const AGENCY = '0001';
export const WALLET = '09';
/** The day of factor 0, and the last factor; on the day after it the count began again at 1000. */
const BASE_DAY = '1997-10-07';
const LAST_FACTOR = 9_999;
const FACTORS_OF_A_ROUND = 9_000;

type Printed = {
  readonly merchantId: string;
  readonly ourNumber: string;
  readonly amount: number;
  readonly dueOn: string;
};

/** 44 digits: bank, currency, check digit, due factor, amount, and the free field of this bank. */
export function barCodeOf(printed: Printed, bankCode = BANK_CODE): string {
  const { merchantId, ourNumber, amount, dueOn } = printed;
  const freeField = `${AGENCY}${WALLET}${ourNumber}${accountOf(merchantId)}0`;
  const tail = `${factorOf(dueOn)}${String(amount).padStart(10, '0')}${freeField}`;
  return `${bankCode}${CURRENCY}${mod11(`${bankCode}${CURRENCY}${tail}`)}${tail}`;
}

/** The 47 digits that are typed: three fields, each with a digit by mod 10, and what remains. */
export function digitableLineOf(barCode: string): string {
  const first = `${barCode.slice(0, 4)}${barCode.slice(19, 24)}`;
  const fields = [first, barCode.slice(24, 34), barCode.slice(34)];
  return `${fields.map((field) => field + mod10(field)).join('')}${barCode.slice(4, 19)}`;
}

/** The same bar code with a check digit that it cannot have. */
export function withWrongCheckDigit(barCode: string): string {
  return `${barCode.slice(0, 4)}${(Number(barCode[4]) % 9) + 1}${barCode.slice(5)}`;
}

/** Each merchant has an account of seven digits at this bank. */
export function accountOf(merchantId: string): string {
  const number = createHash('sha256').update(merchantId).digest().readUInt32BE();
  return String(number % 10_000_000).padStart(7, '0');
}

function factorOf(day: string): string {
  let factor = daysBetween(BASE_DAY, day);
  while (factor > LAST_FACTOR) factor -= FACTORS_OF_A_ROUND;
  return String(factor).padStart(4, '0');
}

function mod11(digits: string): string {
  const reversed = [...digits].reverse();
  const weights = [2, 3, 4, 5, 6, 7, 8, 9];
  const sum = reversed.reduce(
    (total, digit, index) => total + Number(digit) * (weights[index % weights.length] as number),
    0,
  );
  const rest = (sum * 10) % 11;
  return rest === 0 || rest === 1 || rest === 10 ? '1' : String(rest);
}

function mod10(digits: string): string {
  let sum = 0;
  [...digits].reverse().forEach((digit, index) => {
    const product = String(Number(digit) * (index % 2 === 0 ? 2 : 1));
    for (const part of product) sum += Number(part);
  });
  return String((10 - (sum % 10)) % 10);
}
