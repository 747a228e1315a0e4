import { bradescoDigit, digit9 } from '../remittances/check-digits.ts';

/**
 * Where a line has the number of a boleto, without agreement, portfolio and check digit. Without `of` the
 * digit is only left out; where `of` gives null, the line lacks what it is made of, and names no boleto.
 */
export type NumberPlace = {
  readonly from: number;
  readonly to: number;
  readonly digit: {
    readonly at: number;
    readonly of?: (number: string, line: string) => string | null;
  } | null;
};

/** `unsure`: its length differs by agreement, or it may end in a check digit, or no paper says. */
export type BoletoNumber = NumberPlace | 'unsure';

/** null: not sure, not only digits, or with another check digit. */
export function boletoNumber(line: string, place: BoletoNumber): string | null {
  if (place === 'unsure') return null;
  const number = line.slice(place.from - 1, place.to);
  if (!/^\d+$/.test(number)) return null;
  if (place.digit?.of === undefined) return number;
  return place.digit.of(number, line) === line[place.digit.at - 1] ? number : null;
}

/** Its digit, if it has one, is made of what no line has. */
export function numberAt(from: number, to: number, digitAt: number | null = null): NumberPlace {
  return { from, to, digit: digitAt === null ? null : { at: digitAt } };
}

/** Modulo 11 over the number alone. */
export function withDigit9(from: number, to: number): NumberPlace {
  return { from, to, digit: { at: to + 1, of: digit9 } };
}

/** Bradesco's digit, over portfolio and number. The first portfolio that is given counts. */
export function withBradescoDigit(
  from: number,
  to: number,
  ...portfolios: readonly (readonly [from: number, to: number])[]
): NumberPlace {
  const of = (number: string, line: string) => {
    const given = portfolios.map(([first, last]) => line.slice(first - 1, last));
    const portfolio = given.find((text) => /^\d+$/.test(text) && Number(text) > 0);
    return portfolio === undefined ? null : bradescoDigit(portfolio + number);
  };
  return { from, to, digit: { at: to + 1, of } };
}
