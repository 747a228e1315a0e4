const CPF = /^\d{11}$/;
const CNPJ = /^[0-9A-Z]{12}\d{2}$/;
const ONE_DIGIT_ONLY = /^(\d)\1*$/;

/**
 * A person's number (CPF): 11 digits without mask, the last two of them check digits. Eleven equal digits
 * pass the arithmetic and are refused.
 */
export function isCpf(text: string): boolean {
  return text.length === 11 && CPF.test(text) && hasCheckDigits(text, 11) && !ONE_DIGIT_ONLY.test(text);
}

/**
 * A company's number (CNPJ) without mask, with digits only or with letters in the first 12 characters (since
 * July 2026, IN RFB 2.229/2024). Letters are upper case, as issued. All zeros are refused.
 */
export function isCnpj(text: string): boolean {
  return text.length === 14 && CNPJ.test(text) && hasCheckDigits(text, 9) && !ONE_DIGIT_ONLY.test(text);
}

/** A CPF or CNPJ for comparison: without its mask, in capital letters. Any other text is treated likewise. */
export function bareDocument(text: string): string {
  return text.replaceAll(/[^0-9A-Za-z]/g, '').toUpperCase();
}

export function documentKind(text: string): 'cpf' | 'cnpj' | null {
  if (isCpf(text)) return 'cpf';
  return isCnpj(text) ? 'cnpj' : null;
}

/** A CPF or CNPJ with its mask. Other texts stay as they are. */
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
 * Modulo 11, weights from 2 up, right to left, repeated after the greatest (9 for CNPJ, never for CPF). A
 * character counts as its ASCII code minus 48: A is 17, Z is 42.
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
