import { bradescoDigit } from '#settlement-files';

/** A line of blanks with texts written over it, each from its position. */
export function line(...texts: readonly (readonly [from: number, text: string])[]): string {
  let written = ' '.repeat(240);
  for (const [from, text] of texts) {
    written = written.slice(0, from - 1) + text + written.slice(from - 1 + text.length);
  }
  return written;
}

export const zeros = (value: number, width: number) => String(value).padStart(width, '0');

export const HEADER = line([1, '23700000'], [103, 'BRADESCO'], [143, '22311202609300500021708301600']);
export const lotHeader = (lot = 1) => line([1, `237${zeros(lot, 4)}1T01`], [14, '060']);

export type Pair = {
  readonly movement?: string;
  readonly companyUse?: string;
  readonly bankNumber?: string;
  readonly value?: number;
  readonly dueOn?: string;
  readonly paid?: number;
  readonly fee?: number;
  readonly happenedOn?: string;
  readonly creditedOn?: string;
  readonly reasons?: string;
};

export function pair(number: number, values: Pair = {}, lot = 1): string[] {
  const { movement = '06', companyUse = '00000012345', bankNumber = '', reasons = '03' } = values;
  const { paid = 123_456, fee = 150, happenedOn = '23112026', creditedOn = '24112026' } = values;
  const head = (index: number, segment: string) =>
    `237${zeros(lot, 4)}3${zeros(index, 5)}${segment} ${movement}`;
  const { value = 123_456, dueOn = '23112026' } = values;
  return [
    line(
      [1, head(number, 'T')],
      [18, '01234500000000543210'],
      [38, bankNumber],
      [58, '1PEDIDO-1001'],
      [74, `${dueOn}${zeros(value, 15)}00100001 `],
      [106, companyUse],
      [131, '091000011144477735JOAO DA SILVA'],
      [199, `${zeros(fee, 15)}${reasons}`],
    ),
    line(
      [1, head(number + 1, 'U')],
      [18, zeros(0, 60)],
      [78, zeros(paid, 15) + zeros(Math.max(paid - fee, 0), 15)],
      [108, zeros(0, 30)],
      [138, happenedOn + creditedOn],
    ),
  ];
}

export const lotTrailer = (records: number, lot = 1) =>
  line([1, `237${zeros(lot, 4)}5`], [18, zeros(records, 6)]);
export const trailer = (lots: number, records: number) =>
  line([1, '23799999'], [18, zeros(lots, 6) + zeros(records, 6)]);

/** Portfolio 09, our number, and Bradesco's digit of both. */
export const numberAtBank = (ourNumber: string) => `00900000${ourNumber}${bradescoDigit(`09${ourNumber}`)}`;

/** A file of one lot with these pairs. */
export function fileOf(...pairs: readonly Pair[]): string[] {
  const details = pairs.flatMap((values, index) => pair(1 + index * 2, values));
  const records = details.length + 2;
  return [HEADER, lotHeader(), ...details, lotTrailer(records), trailer(1, records + 2)];
}
