const NO_AMOUNT = 'Write the amount in reais, such as 1.234,56.';

/** In English, of the field `amount` of a form: the endpoint would speak of cents, which nobody typed. */
export function amountFault({ amount }: { readonly amount?: string }): string | null {
  return amount !== undefined && typeof centsOf(amount) === 'string' ? NO_AMOUNT : null;
}

/** Reais as they are typed; what is none is left to the reader of the endpoint to refuse. */
export function centsOf(text: string): number | string {
  const match = /^(?:R\$)?\s*(\d{1,3}(?:\.\d{3})+|\d{1,8})(?:,(\d{1,2}))?$/.exec(text);
  const english = /^(\d{1,8})\.(\d{2})$/.exec(text);
  const [, whole, fraction = ''] = match ?? english ?? [];
  if (whole === undefined) return text;
  return Number(whole.replaceAll('.', '')) * 100 + Number(fraction.padEnd(2, '0'));
}
