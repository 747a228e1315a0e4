/** Weights 2 and 1 from the right; two-digit products count as their digit sum. */
export function modulo10(digits: string): string {
  let sum = 0;
  for (let fromRight = 0; fromRight < digits.length; fromRight += 1) {
    const product = (2 - (fromRight % 2)) * Number(digits[digits.length - 1 - fromRight]);
    sum += product > 9 ? product - 9 : product;
  }
  return String((10 - (sum % 10)) % 10);
}

/** Weights from 2 to `last` from the right, repeated. What is left of the sum, 0 to 10. */
export function remainder11(digits: string, last: number): number {
  let sum = 0;
  for (let fromRight = 0; fromRight < digits.length; fromRight += 1) {
    sum += (2 + (fromRight % (last - 1))) * Number(digits[digits.length - 1 - fromRight]);
  }
  return sum % 11;
}
