/** Both ends included. */
export type NumberRange = { readonly from: number; readonly to: number };

/** Ends at the last number given. */
export function missingNumbers(head: number, numbers: readonly number[]): NumberRange[] {
  const missing: NumberRange[] = [];
  let last = head;
  for (const number of numbers.toSorted((a, b) => a - b)) {
    if (number > last + 1) missing.push({ from: last + 1, to: number - 1 });
    last = Math.max(last, number);
  }
  return missing;
}

/** `12, 15-17` */
export function rangesText(ranges: readonly NumberRange[]): string {
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}
