const CPF = /^\d{11}$/;
const CNPJ = /^[0-9A-Z]{12}\d{2}$/;
const ONE_DIGIT_ONLY = /^(\d)\1*$/;

/**
 * Whether the text is the number of a person (CPF): 11 digits without mask, of which the last two
 * check the others. Eleven equal digits pass the arithmetic and are refused all the same: no person
 * has such a number.
 */
export function isCpf(text: string): boolean {
  return text.length === 11 && CPF.test(text) && hasCheckDigits(text, 11) && !ONE_DIGIT_ONLY.test(text);
}

/**
 * Whether the text is the number of a company (CNPJ) without mask, in the form with digits only or
 * in the one of July 2026 whose first 12 characters may be letters (IN RFB 2.229/2024). Letters are
 * upper case, since that is how they are issued and stored: a lower-case letter is a mistake, not a
 * spelling. All zeros pass the arithmetic and are refused.
 */
export function isCnpj(text: string): boolean {
  return text.length === 14 && CNPJ.test(text) && hasCheckDigits(text, 9) && !ONE_DIGIT_ONLY.test(text);
}

/**
 * Which of the two numbers the text is; null when neither. Their lengths differ, so it is never
 * both.
 */
export function documentKind(text: string): 'cpf' | 'cnpj' | null {
  if (isCpf(text)) return 'cpf';
  return isCnpj(text) ? 'cnpj' : null;
}

/** A number with its mask, as people read it; what is neither of the two stays as it is. */
export function documentText(documentNumber: string): string {
  return documentNumber.length === 11
    ? documentNumber.replace(/^(.{3})(.{3})(.{3})(..)$/, '$1.$2.$3-$4')
    : documentNumber.replace(/^(..)(.{3})(.{3})(.{4})(..)$/, '$1.$2.$3/$4-$5');
}

function hasCheckDigits(text: string, greatestWeight: number): boolean {
  const body = text.slice(0, -2);
  const first = checkDigit(body, greatestWeight);
  const second = checkDigit(`${body}${first}`, greatestWeight);
  return text.endsWith(`${first}${second}`);
}

/**
 * Modulo 11 with weights that run from 2 upwards, right to left, and begin anew after the greatest
 * (9 for a CNPJ, never for a CPF). A character is worth its ASCII code less 48: digits their value,
 * A 17 up to Z 42.
 */
function checkDigit(body: string, greatestWeight: number): number {
  let sum = 0;
  for (let fromRight = 0; fromRight < body.length; fromRight += 1) {
    const weight = 2 + (fromRight % (greatestWeight - 1));
    sum += weight * (body.charCodeAt(body.length - 1 - fromRight) - 48);
  }
  const remainder = sum % 11;
  return remainder < 2 ? 0 : 11 - remainder;
}
