/** Reais as they are typed; what is none is left to the reader of the endpoint to refuse. */
export function centsOf(text: string): number | string {
  const match = /^(?:R\$)?\s*(\d{1,3}(?:\.\d{3})+|\d{1,8})(?:,(\d{1,2}))?$/.exec(text);
  const english = /^(\d{1,8})\.(\d{2})$/.exec(text);
  const [, whole, fraction = ''] = match ?? english ?? [];
  if (whole === undefined) return text;
  return Number(whole.replaceAll('.', '')) * 100 + Number(fraction.padEnd(2, '0'));
}
