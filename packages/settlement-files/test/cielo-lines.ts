import { digits, line } from './written-lines.ts';

/** A Cielo 04 of v15, typed from the published layout. */

const signed = (cents: number, length: number) =>
  `${cents < 0 ? '-' : '+'}${digits(Math.abs(cents), length)}`;
const UNIT_KEY = 'UR-001-002-20261120-1234567890';

export function cieloHeader(texts: { statement?: string; version?: string; sequence?: string } = {}): string {
  return line(250, {
    1: '0',
    2: '1234567890',
    12: '20261120',
    20: '20261119',
    28: '20261120',
    36: texts.sequence ?? '0000321',
    43: 'CIELO',
    48: texts.statement ?? '04',
    50: 'E',
    71: texts.version ?? '015',
  });
}

export type CieloUnit = {
  readonly status?: string;
  readonly type: string;
  readonly key?: string;
  readonly count: number;
  readonly gross: number;
  readonly net: number;
};

export function cieloUnit({ status = '04', type, key = UNIT_KEY, count, gross, net }: CieloUnit): string {
  return line(400, {
    1: 'D',
    2: '1234567890',
    12: '11222333000181',
    26: '11222333000181',
    40: '11222333000181',
    54: '001',
    57: '002',
    60: '1234567890',
    70: status,
    72: signed(gross, 13),
    86: signed(net - gross, 13),
    100: signed(net, 13),
    114: '0341',
    118: '12345',
    123: digits('9876543', 20),
    143: '1',
    144: digits(count, 6),
    150: type,
    152: key,
    268: '20112026',
    276: '19112026',
    284: '18112026',
  });
}

export type CieloEntry = {
  readonly type: string;
  readonly key?: string;
  readonly gross: number;
  readonly net: number;
  readonly installment?: readonly [number, number];
  readonly nsu?: number;
  readonly reason?: string;
  /** Code of the reason. */
  readonly rejection?: string;
};

export function cieloEntry(entry: CieloEntry): string {
  const { type, key = UNIT_KEY, gross, net, installment: [number, count] = [0, 0] } = entry;
  return line(760, {
    1: 'E',
    2: '1234567890',
    12: '001',
    15: '002',
    18: digits(number, 2),
    20: digits(count, 2),
    22: 'A1B2C3',
    28: type,
    30: key,
    130: digits(0, 22),
    152: entry.reason ?? '    ',
    156: '040',
    159: `NNN3N${entry.rejection === undefined ? 'N' : 'S'}N`,
    166: '544828',
    172: '0007',
    176: digits(entry.nsu ?? 42, 6),
    192: '10069930690009F2122A',
    212: 'cdef0123456789abcdef',
    232: '02500',
    237: '00000',
    242: '00000',
    247: signed(gross * Math.max(count, 1), 13),
    261: signed(gross, 13),
    275: signed(net, 13),
    289: signed(net - gross, 13),
    471: '143025',
    477: '01',
    479: '11222333000181',
    493: '001',
    496: '000000000012345',
    541: '007',
    566: '19112026',
    574: '19112026',
    582: '20112026',
    590: '20112026',
    627: entry.rejection ?? '000',
    630: '20112026',
    638: '1234567890',
  });
}

const cieloPix = () => line(400, { 1: '8', 2: '1234567890', 12: '01261120143025' });

export function cieloTrailer(records: number, entries: number, gross: number, net: number): string {
  return line(250, {
    1: '9',
    2: digits(records, 11),
    13: signed(net, 17),
    31: digits(entries, 11),
    42: signed(gross, 17),
    60: signed(0, 17),
    78: signed(0, 17),
  });
}

/** Sales paid, waiting and negotiated, a cancellation, a dispute, a pledge, an adjustment and a Pix. */
export function cieloFileLines(): string[] {
  return [
    cieloHeader(),
    cieloUnit({ type: '02', count: 1, gross: 10_000, net: 9_750 }),
    cieloEntry({ type: '02', gross: 10_000, net: 9_750 }),
    cieloUnit({ type: '03', count: 2, gross: 6_666, net: 6_500 }),
    cieloEntry({ type: '03', gross: 3_333, net: 3_250, installment: [2, 3], nsu: 43 }),
    cieloEntry({ type: '03', gross: 3_333, net: 3_250, installment: [12, 12], nsu: 44 }),
    cieloUnit({ type: '02', key: 'UR-LATER', status: '00', count: 1, gross: 500, net: 490 }),
    cieloEntry({ type: '02', key: 'UR-LATER', gross: 500, net: 490 }),
    cieloUnit({ type: '02', key: 'UR-SOLD', status: '58', count: 1, gross: 700, net: 690 }),
    cieloEntry({ type: '02', key: 'UR-SOLD', gross: 700, net: 690 }),
    cieloUnit({ type: '06', count: 1, gross: -1_000, net: -975 }),
    cieloEntry({ type: '06', gross: -1_000, net: -975 }),
    cieloUnit({ type: '08', count: 1, gross: -3_333, net: -3_250 }),
    cieloEntry({ type: '08', gross: -3_333, net: -3_250, installment: [2, 3], nsu: 43 }),
    cieloUnit({ type: '13', count: 1, gross: -200, net: -200 }),
    cieloEntry({ type: '13', gross: -200, net: -200, reason: '0099' }),
    cieloUnit({ type: '05', count: 1, gross: 50, net: 50 }),
    cieloEntry({ type: '05', gross: 50, net: 50, reason: '0012' }),
    cieloPix(),
    cieloTrailer(18, 9, 13_383, 13_055),
  ];
}

/** Sales at once and in parts, one that was rejected, a cancellation that is announced, and a reserve. */
export function cielo03FileLines(): string[] {
  return [
    cieloHeader({ statement: '03' }),
    cieloEntry({ type: '02', gross: 10_000, net: 9_750 }),
    cieloEntry({ type: '03', gross: 3_333, net: 3_250, installment: [1, 2], nsu: 43 }),
    cieloEntry({ type: '03', gross: 3_334, net: 3_251, installment: [2, 2], nsu: 43 }),
    cieloEntry({ type: '02', gross: 500, net: 490, nsu: 44, rejection: '057' }),
    cieloEntry({ type: '06', gross: -1_000, net: -975, nsu: 45 }),
    line(400, { 1: 'R', 2: '1234567890' }),
    cieloTrailer(6, 5, 16_167, 15_766),
  ];
}

export type CieloPix = {
  readonly type?: string;
  readonly origin?: string;
  readonly status?: string;
  readonly gross: number;
  readonly fee: number;
};

export function cieloPixDetail({ type = '01', origin = '  ', status = '05', gross, fee }: CieloPix): string {
  return line(400, {
    1: '8',
    2: '1234567890',
    12: type,
    14: '261119',
    20: '101803',
    26: 'E00000000202611191318abcdefghijk',
    62: '656547',
    68: '261120',
    74: signed(gross, 13),
    88: signed(-fee, 13),
    102: signed(gross - fee, 13),
    116: '0341',
    120: '12345',
    125: digits('9876543', 20),
    145: '261119',
    151: '00000',
    156: '0010',
    160: '01',
    162: '01438790',
    170: '261119',
    176: '101803',
    220: origin,
    222: 'S',
    223: status,
    225: '261119',
    231: '00656547',
    239: 'S',
    240: 'CIELO202611190000000000000000656547',
  });
}

/** A Pix that was paid, one that is blocked, what the block took, and what was given back of another. */
export function cielo16FileLines(): string[] {
  return [
    cieloHeader({ statement: '16' }),
    cieloPixDetail({ gross: 20_000, fee: 10 }),
    cieloPixDetail({ gross: 5_000, fee: 10, status: '06' }),
    cieloPixDetail({ type: '03', origin: '23', status: '06', gross: -4_990, fee: 0 }),
    cieloPixDetail({ type: '03', origin: '17', status: '01', gross: -1_000, fee: 0 }),
    cieloTrailer(4, 0, 19_010, 18_990),
  ];
}

export function cieloNegotiation(gross: number, net: number): string {
  return line(250, {
    1: 'A',
    2: '261118',
    8: '261119',
    14: '11222333000181',
    28: '008',
    31: '03250',
    36: signed(gross, 13),
    50: signed(net, 13),
    64: '02026111801077952119',
    84: '003',
    87: '00871',
  });
}

export function cieloNegotiatedUnit(gross: number, net: number): string {
  return line(250, {
    1: 'B',
    2: '261118',
    8: '261220',
    14: '11222333000181',
    28: '001',
    31: '002',
    34: signed(gross, 13),
    48: signed(net, 13),
    62: '00216',
    112: 'Cielo',
    117: '1234567890',
    127: signed(net - gross, 13),
  });
}

export const cieloNegotiationAccount = (amount: number) =>
  line(250, { 1: 'C', 2: '0341', 6: '12345', 11: digits('9876543', 20), 31: signed(amount, 13) });

/** Two negotiations, one of two units. */
export function cielo15FileLines(): string[] {
  return [
    cieloHeader({ statement: '15' }),
    cieloNegotiation(30_000, 29_700),
    cieloNegotiatedUnit(10_000, 9_900),
    cieloNegotiatedUnit(20_000, 19_800),
    cieloNegotiationAccount(29_700),
    cieloNegotiation(5_000, 4_950),
    cieloNegotiatedUnit(5_000, 4_950),
    cieloNegotiationAccount(4_950),
    cieloTrailer(7, 0, 0, 0),
  ];
}

/** Two units that are open. */
export function cielo09FileLines(): string[] {
  return [
    cieloHeader({ statement: '09' }),
    cieloUnit({ type: '02', status: '00', count: 3, gross: 10_000, net: 9_750 }),
    cieloUnit({ type: '03', status: '00', key: 'UR-LATER', count: 2, gross: 5_000, net: 4_900 }),
    cieloTrailer(2, 0, 15_000, 14_650),
  ];
}
