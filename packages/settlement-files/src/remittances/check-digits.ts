/** Weights 2 and 1 from the right; two-digit products count as their digit sum. */
export function modulo10(digits: string): string {
  let sum = 0;
  for (let fromRight = 0; fromRight < digits.length; fromRight += 1) {
    const product = (2 - (fromRight % 2)) * Number(digits[digits.length - 1 - fromRight]);
    sum += product > 9 ? product - 9 : product;
  }
  return String((10 - (sum % 10)) % 10);
}

/** Weights from 2 to `last` from the right, repeated. Returns the sum's remainder, 0 to 10. */
function remainder11(digits: string, last: number): number {
  let sum = 0;
  for (let fromRight = 0; fromRight < digits.length; fromRight += 1) {
    sum += (2 + (fromRight % (last - 1))) * Number(digits[digits.length - 1 - fromRight]);
  }
  return sum % 11;
}

/** Weights 2 to 9; 10 and 11 are written 0. */
export function digit9(number: string): string {
  const rest = remainder11(number, 9);
  return rest < 2 ? '0' : String(11 - rest);
}

/** Over Bradesco's portfolio and number; P stands for 10. */
export function bradescoDigit(digits: string): string {
  const rest = remainder11(digits, 7);
  return rest === 0 ? '0' : rest === 1 ? 'P' : String(11 - rest);
}
