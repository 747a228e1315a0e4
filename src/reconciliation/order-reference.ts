/** Short order numbers of acquirers hold at least so many digits of our reference. */
const LEAST_REFERENCE_DIGITS = 16;

/** The hexadecimal digits of our reference in an order number; null: it is none of ours. */
export function referenceDigits(orderReference: string | null): string | null {
  const digits = (orderReference ?? '').trim().replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{16,32}$/.test(digits) ? digits : null;
}

/** The last digits of a reference as the signed number that receivables are found by. */
export function referenceTail(orderReference: string | null): bigint | null {
  const digits = referenceDigits(orderReference);
  return digits === null ? null : BigInt.asIntN(64, BigInt(`0x${digits.slice(-LEAST_REFERENCE_DIGITS)}`));
}
