import { readReturnEvents } from '../src/banks/read-return-events.ts';
import type { ReturnEntry } from '../src/banks/return-entry.ts';
import { digits, line, type Texts } from './written-lines.ts';

/** Files of banks, written from positions typed here. */

export type Boleto = {
  readonly movement: string;
  readonly companyUse?: string;
  readonly bankNumber?: string;
  readonly value?: number;
  readonly paid?: number;
  readonly fee?: number;
};

/** Where the texts of a pair stand; Santander's T has others. */
export type Shape240 = {
  readonly bank: string;
  readonly lotOfHeader?: string;
  readonly lot?: string;
  readonly lotOfTrailer?: string;
  readonly isSantander?: boolean;
  readonly countsDetails?: boolean;
};

export function cnab240(shape: Shape240, boletos: readonly Boleto[]): string[] {
  const { bank, lot = '0001', lotOfHeader = lot, lotOfTrailer = '9999', isSantander = false } = shape;
  const details = boletos.flatMap(({ movement, companyUse = '', bankNumber = '', ...money }, index) => {
    const { value = 10_000, paid = 0, fee = 0 } = money;
    const head = (number: number, segment: string) =>
      `${bank}${lot}3${digits(index * 2 + number, 5)}${segment} ${movement}`;
    const [document, due, own, costs, number] = isSantander ? [55, 70, 101, 194, 41] : [59, 74, 106, 199, 38];
    const title = {
      [number]: bankNumber,
      [document]: `PEDIDO-${index + 1}`,
      [due]: `10012027${digits(value, 15)}`,
      [own]: companyUse,
      [costs]: `${digits(fee, 15)}04`,
    };
    return [
      line(240, { 1: head(1, 'T'), ...title }),
      line(240, {
        1: head(2, 'U'),
        18: digits(0, 60),
        78: digits(paid, 15) + digits(Math.max(paid - fee, 0), 15) + digits(0, 30),
        138: `1101202712012027`,
      }),
    ];
  });
  const counted = details.length + (shape.countsDetails === true ? 0 : 2);
  return [
    line(240, { 1: `${bank}00000`, 143: '212012027093000000217' }),
    line(240, { 1: `${bank}${lotOfHeader}1T01` }),
    ...details,
    line(240, { 1: `${bank}${lot}5`, 18: digits(counted, 6) }),
    line(240, { 1: `${bank}${lotOfTrailer}9`, 18: digits(1, 6) + digits(details.length + 4, 6) }),
  ];
}

export type Shape400 = { readonly bank: string; readonly madeOn?: string; readonly type?: string };

export function cnab400(shape: Shape400, details: readonly Texts[]): string[] {
  const { bank, madeOn = '120127', type = '1' } = shape;
  const number = (index: number) => ({ 395: digits(index, 6) });
  return [
    line(400, { 1: '02RETORNO01COBRANCA', 77: bank, 95: madeOn, ...number(1) }),
    ...details.map((texts, index) => line(400, { 1: type, ...texts, ...number(index + 2) })),
    line(400, { 1: '9201', ...number(details.length + 2) }),
  ];
}

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

/** Throws `ReturnFileRefused`. */
export async function returned(bytes: Uint8Array, size = 64) {
  const events = await Array.fromAsync(readReturnEvents(chunksOf(bytes, size)));
  const [first] = events;
  const entries: ReturnEntry[] = events.flatMap((event) => (event.type === 'entry' ? [event.entry] : []));
  return { head: first?.type === 'head' ? first.head : null, entries, last: events.at(-1) };
}

export function returnedLines(lines: readonly string[], newLine = '\r\n') {
  return returned(Buffer.from(lines.map((one) => one + newLine).join(''), 'latin1'));
}
