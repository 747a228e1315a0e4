/** A field of a record: its first and last position, counted from 1, and what stands there. */
export type Field = readonly [from: number, to: number, content: string];

/**
 * A line of fixed positions, blank where no field is. Throws for a field that does not fill its
 * place, which is a mistake of the writer.
 */
export function lineOf(length: number, fields: readonly Field[]): string {
  let line = '';
  for (const [from, to, content] of fields) {
    if (content.length !== to - from + 1 || from <= line.length) {
      throw new Error(`"${content}" does not fit into ${from} to ${to}`);
    }
    line = line.padEnd(from - 1) + content;
  }
  if (line.length > length) throw new Error(`a record of ${length} positions has ${line.length}`);
  return line.padEnd(length);
}

/** Digits with zeros before them; of more than fit, the last. */
export function digits(value: number | string, width: number): string {
  return String(value).padStart(width, '0').slice(-width);
}

/** An amount that must fit. */
export function cents(value: number, width: number): string {
  const written = String(value).padStart(width, '0');
  if (value < 0 || written.length > width) throw new Error(`${value} cents do not fit into ${width} digits`);
  return written;
}

/** A sign, and digits. */
export function signedCents(value: number, width: number): string {
  return (value < 0 ? '-' : '+') + cents(Math.abs(value), width - 1);
}

/** From the left. */
export function text(value: string, width: number): string {
  return value.slice(0, width).padEnd(width);
}

/** `20261121` */
export function yearFirst(day: string): string {
  return day.replaceAll('-', '');
}

/** `21112026` */
export function dayFirst(day: string): string {
  return day.slice(8) + day.slice(5, 7) + day.slice(0, 4);
}

/** The last digits of the merchant's number; they name somebody, so they are not all zeros. */
export function establishmentOf(merchantId: string, width: number): string {
  const written = digits(merchantId.replaceAll(/\D/g, ''), width);
  return /[1-9]/.test(written) ? written : digits(1, width);
}

/** The last characters of a reference without its dashes, as papers carry an order number. */
export function orderNumberOf(reference: string, most: number): string {
  return reference.replaceAll('-', '').slice(-most);
}

/** With the digits in the middle hidden. */
export function maskedCard(card: { readonly firstSix: string; readonly lastFour: string }): string {
  return `${card.firstSix}******${card.lastFour}`;
}
