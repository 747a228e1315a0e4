import { remainder11 } from './check-digits.ts';
import type { Dialect240 } from './cnab240-family.ts';
import type { Agreement, AgreementField } from './remittance.ts';
import { digits } from './write-record.ts';

/** Every field that a bank asks for is there: `agreementFault` has seen to it. */
export const field = (agreement: Agreement, name: string): string => agreement[name] ?? '';

export const COMPANY: Readonly<Record<string, AgreementField>> = {
  companyName: { pattern: /^\S.{0,59}$/, meaning: 'a name of up to 60 characters' },
  companyDocument: { pattern: /^(?:\d{11}|[0-9A-Z]{12}\d{2})$/, meaning: 'a CPF or CNPJ' },
};

export const ACCOUNT: Readonly<Record<string, AgreementField>> = {
  branch: { pattern: /^\d{4}$/, meaning: 'four digits, without the check digit' },
  branchDigit: { pattern: /^[\dX]$/, meaning: 'one digit, or X' },
  account: { pattern: /^\d{1,8}$/, meaning: 'up to eight digits, without the check digit' },
  accountDigit: { pattern: /^[\dX]$/, meaning: 'one digit, or X' },
};

export const portfolio = (pattern: RegExp, meaning: string) => ({ portfolio: { pattern, meaning } });

/** Weights 2 to 9; 10 and 11 are written 0. */
export function digit9(number: string): string {
  const rest = remainder11(number, 9);
  return rest < 2 ? '0' : String(11 - rest);
}

/** Up to 999 days; 0 is the due day itself. */
const writtenOff = (days: number) => `1${digits(days, 3)}`;

/** What most of these banks have. */
export const COMMON = {
  documentLength: 15,
  writeOff: writtenOff,
  currency: '090000000000',
  noInterest: '3',
  noProtest: '3',
  service: '',
  lotFiller: '  ',
  totals: 4,
  accounts: '000000',
} satisfies Partial<Dialect240>;
