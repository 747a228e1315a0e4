export type Fields = Readonly<Record<string, unknown>>;

const REFERENCE = /^[\w.:-]{1,64}$/;
const BRANDS = ['visa', 'mastercard', 'amex', 'elo', 'hipercard'];
const LARGEST_AMOUNT = 9_999_999_999;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown, shape: RegExp) => typeof value === 'string' && shape.test(value);
const isWhole = (value: unknown, least: number, most: number) =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;

/** The name of the first wrong field; null: none is. */
export function faultOfNames({ reference, merchantId }: Fields): string | null {
  if (!isText(reference, REFERENCE)) return 'reference';
  return isText(merchantId, /^[^\p{Cc}]{1,64}$/u) ? null : 'merchantId';
}

export function faultOfCharge(fields: Fields): string | null {
  const fault = faultOfNames(fields);
  if (fault !== null) return fault;
  if (!isWhole(fields.amount, 1, LARGEST_AMOUNT)) return 'amount';
  if (!isWhole(fields.installments, 1, 99)) return 'installments';
  if (fields.initiator !== 'cardholder' && fields.initiator !== 'merchant') return 'initiator';
  return faultOfCard(fields.card);
}

export function faultOfVerification(fields: Fields): string | null {
  return faultOfNames(fields) ?? faultOfCard(fields.card);
}

export function faultOfCancellation(fields: Fields): string | null {
  if (!isText(fields.cancellationReference, REFERENCE)) return 'cancellationReference';
  return faultOfNames(fields) ?? (isWhole(fields.amount, 1, LARGEST_AMOUNT) ? null : 'amount');
}

function faultOfCard(card: unknown): string | null {
  if (!isFields(card)) return 'card';
  if (!isText(card.number, /^\d{13,19}$/) || !isChecked(String(card.number))) return 'card.number';
  if (!isText(card.expirationMonth, /^(0[1-9]|1[0-2])$/)) return 'card.expirationMonth';
  if (!isText(card.expirationYear, /^\d\d$/)) return 'card.expirationYear';
  return BRANDS.includes(String(card.brand)) ? null : 'card.brand';
}

/** Its last digit checks the others. */
function isChecked(number: string): boolean {
  const digits = [...number].reverse().map(Number);
  const sum = digits.reduce(
    (total, digit, at) => total + (at % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0)),
    0,
  );
  return sum % 10 === 0;
}
