/** Short order numbers of acquirers keep at least this many digits of our reference. */
const LEAST_REFERENCE_DIGITS = 16;

/** Hexadecimal. Null if the reference is not ours. */
export function referenceDigits(orderReference: string | null): string | null {
  const digits = (orderReference ?? '').trim().replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{16,32}$/.test(digits) ? digits : null;
}

/** Receivables are found by this signed number. */
export function referenceTail(orderReference: string | null): bigint | null {
  const digits = referenceDigits(orderReference);
  return digits === null ? null : BigInt.asIntN(64, BigInt(`0x${digits.slice(-LEAST_REFERENCE_DIGITS)}`));
}
