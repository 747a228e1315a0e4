import { digits, line } from './written-lines.ts';

/** An Adiq EDI 3.1, typed from the published layout. */

export type AdiqSale = {
  readonly nsu: number;
  readonly entryType?: '0' | '1' | '2';
  readonly gross: number;
  readonly fee: number;
  readonly installment?: readonly [number, number];
  readonly anticipation?: readonly [fee: number, paid: number];
  readonly order?: string;
  readonly card?: string;
};

export function adiqHeader(processing = 'N'): string {
  return line(78, {
    1: 'A0',
    3: '0003.1',
    9: '20261120063000',
    23: '001234',
    29: 'ADIQ',
    59: '0011',
    63: '001111111',
    72: processing,
  });
}

export const adiqLot = (day: string) => line(18, { 1: 'L0', 3: day, 11: 'RE' });

export function adiqSale(sale: AdiqSale): string {
  const { nsu, gross, fee, entryType = '1', installment: [number, count] = [1, 1] } = sale;
  const [anticipationFee, anticipated] = sale.anticipation ?? [0, 0];
  return line(506, {
    1: 'CV',
    3: digits('1111111', 15),
    18: digits(nsu, 12),
    30: '20261119143025',
    44: entryType,
    45: '20261120',
    53: 'C',
    54: '5',
    55: digits(gross * count, 11),
    66: digits(fee * count, 11),
    77: digits((gross - fee) * count, 11),
    88: digits(sale.card ?? '544828******0007', 19),
    107: digits(number, 2),
    109: digits(count, 2),
    111: digits(nsu, 12),
    123: digits(gross, 11),
    134: digits(fee, 11),
    145: digits(gross - fee, 11),
    156: '341',
    159: '001234',
    165: '00000567890',
    176: 'A1B2C3',
    188: '002',
    191: '001',
    194: digits(0, 55),
    249: digits(anticipationFee, 11),
    260: digits(anticipated, 11),
    271: '04',
    273: sale.order ?? '',
    303: 'BRA',
    306: '00000001',
    448: '5999',
  });
}

function adiqAdjustment(direction: '1' | '2', gross: number, description: string, nsu = 0): string {
  return line(424, {
    1: 'AJ',
    3: digits('1111111', 15),
    18: digits(nsu, 12),
    30: nsu === 0 ? '00000000' : '20261119',
    38: '00',
    40: digits(77, 12),
    52: '20261120013000',
    66: '1',
    67: '20261120',
    75: '5',
    76: direction,
    77: '042',
    80: description,
    110: digits(gross, 11),
    121: digits(0, 11),
    132: digits(gross, 11),
    163: digits(0, 19),
  });
}

function adiqCancel(nsu: number, installment: number, gross: number, fee: number): string {
  return line(361, {
    1: 'CC',
    3: digits('1111111', 15),
    18: digits(nsu, 12),
    30: '20261119',
    38: digits(installment, 2),
    40: digits(78, 12),
    52: '20261120021530',
    66: '5',
    91: 'cancel-order',
    224: digits(gross * 2, 12),
    236: digits(gross, 12),
    248: digits(fee, 12),
    260: digits(gross - fee, 12),
    272: digits(gross * 2, 12),
    284: digits(0, 24),
    308: '0002',
    312: 'A1B2C3',
  });
}

export const adiqLotTrailer = (count: number, credit: number) =>
  line(28, { 1: 'L9', 3: digits(count, 6), 9: digits(credit, 14) });

export const adiqTrailer = (count: number) => line(14, { 1: 'A9', 3: digits(count, 6) });

/** Where the number of the line stands in each record. */
const NUMBER_AT: Readonly<Record<string, number>> = {
  A0: 73,
  L0: 13,
  CV: 501,
  AJ: 419,
  CC: 356,
  L9: 23,
  A9: 9,
};

export function numbered(lines: readonly string[]): string[] {
  return lines.map((text, index) => {
    const from = NUMBER_AT[text.slice(0, 2)] ?? 1;
    return text.slice(0, from - 1) + digits((index + 1) % 1_000_000, 6) + text.slice(from + 5);
  });
}

/** Two lots: sales of all three kinds, an adjustment each way, a chargeback and cancellations. */
export function adiqFileLines(): string[] {
  return numbered([
    adiqHeader(),
    adiqLot('20261119'),
    adiqSale({ nsu: 41, gross: 10_000, fee: 250, order: '0123456789abcdef0123456789abcd' }),
    adiqSale({ nsu: 42, gross: 5_000, fee: 125, entryType: '0', installment: [2, 3] }),
    adiqSale({
      nsu: 43,
      gross: 3_333,
      fee: 83,
      entryType: '2',
      installment: [3, 12],
      anticipation: [100, 3_150],
    }),
    adiqLotTrailer(3, 9_750 + 4_875 + 3_250),
    adiqLot('20261120'),
    adiqAdjustment('1', 700, 'BONUS'),
    adiqAdjustment('2', 300, 'TARIFA'),
    adiqAdjustment('2', 5_000, 'CHARGEBACK', 42),
    adiqCancel(41, 2, 1_000, 25),
    adiqCancel(41, 0, 1_000, 25),
    adiqLotTrailer(5, 700),
    adiqTrailer(14),
  ]);
}
