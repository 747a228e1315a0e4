import type { Agreement, AgreementField } from './remittance.ts';

/** `agreementFault` has checked that every field is there. */
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
