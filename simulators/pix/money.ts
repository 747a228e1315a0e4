/** As the standard writes reais. */
export const AMOUNT = /^\d{1,10}\.\d{2}$/;

/** Of a text that `AMOUNT` takes. */
export function centsOf(text: string): number {
  return Number(text.replace('.', ''));
}

export function reaisOf(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}
