import { branchHeader, ORDER, PV } from './eevc-lines.ts';
import { digits, line } from './written-lines.ts';

/** A Rede EEFI, typed from the published layout. */

export function eefiHeader(version = 'V3.01 - 09/06 - EEFI'): string {
  return line(125, {
    1: '030',
    4: '20112026',
    12: 'Redecard',
    20: 'Extrato de Movimentacao Financeira',
    54: 'LOJA',
    76: '000634',
    82: PV,
    91: 'DIARIO',
    106: version,
  });
}

export type Credit = {
  readonly batch: number;
  readonly net: number;
  readonly gross: number;
  readonly fee: number;
  readonly installment?: string;
  readonly status?: string;
};

export function eefiCredit({ batch, net, gross, fee, installment = '', status = '00' }: Credit): string {
  return line(140, {
    1: '034',
    4: PV,
    13: digits(900 + batch, 11),
    24: '20112026',
    32: digits(net, 15),
    47: 'C',
    48: '341',
    51: '001234',
    57: digits('98765', 11),
    68: '19112026',
    76: digits(batch, 9),
    85: '19112026',
    93: '1',
    94: '2',
    95: digits(gross, 15),
    110: digits(fee, 15),
    125: installment,
    130: status,
    132: PV,
  });
}

function eefiAnticipation(net: number, originalNet: number): string {
  return line(152, {
    1: '036',
    4: PV,
    13: digits('990', 11),
    24: '20112026',
    32: digits(net, 15),
    47: 'C',
    48: '341',
    51: '001234',
    57: digits('98765', 11),
    68: digits(701, 9),
    77: '19112026',
    85: digits(originalNet, 15),
    100: '19122026',
    108: '02/02',
    113: digits(10_000, 15),
    128: digits(250, 15),
    143: PV,
    152: '1',
  });
}

function eefiNetAdjustment(way: 'D' | 'N', batch: number, amount: number, reason = '18'): string {
  return line(300, {
    1: '035',
    4: PV,
    13: digits(batch, 9),
    22: '20112026',
    30: digits(amount, 15),
    45: 'D',
    46: reason,
    48: 'CANCEL.DE VENDAS',
    76: '544828XXXXXX0007',
    92: '19112026',
    100: digits(699, 9),
    124: '00000000',
    138: PV,
    147: '18112026',
    155: digits(5_000, 15),
    170: way,
    171: '20112026',
    179: digits(0, 45),
    224: digits(1_000, 15),
    239: digits(40, 12),
    251: 'T12345',
    257: 'T',
    258: digits(555, 11),
    269: digits(amount, 15),
    284: digits(0, 15),
    299: '11',
  });
}

const eefiNetTwin = (nsu = 40) =>
  line(128, {
    1: '053',
    4: '544828XXXXXX0007',
    20: '19112026',
    28: digits(699, 9),
    37: PV,
    46: digits(5_000, 15),
    61: digits(nsu, 12),
    73: 'T12345',
    79: digits(nsu, 20),
    99: ORDER,
  });

const eefiCreditAdjustment = (amount: number, reason: string) =>
  line(115, {
    1: '043',
    4: PV,
    13: digits(888, 9),
    22: digits(991, 11),
    33: '19112026',
    41: '20112026',
    49: digits(amount, 15),
    64: 'C',
    65: '341',
    68: '001234',
    74: digits('98765', 11),
    85: reason,
    87: 'REVERSAO DEBITO CBK',
    115: '1',
  });

export function eefiBankDebit(amount: number, reason: string): string {
  return line(303, {
    1: '038',
    4: PV,
    13: digits(556, 11),
    24: '19112026',
    32: digits(amount, 15),
    47: 'D',
    48: '341',
    51: '001234',
    57: digits('98765', 11),
    68: digits(700, 9),
    77: '19112026',
    85: digits(9_750, 15),
    100: reason,
    102: 'CONTESTACAO DE VENDA',
    130: '544828XXXXXX0007',
    167: '00000000',
    175: digits(10_000, 15),
    205: PV,
    214: '19112026',
    222: digits(51, 12),
    243: '20112026',
    251: digits(10_000, 15),
    266: 'T12345',
    272: 'T',
    273: digits(amount, 15),
    288: digits(0, 15),
    303: '1',
  });
}

const eefiBankTwin = () =>
  line(128, {
    1: '054',
    4: digits(700, 9),
    13: '544828XXXXXX0007',
    29: PV,
    38: '19112026',
    46: digits(51, 12),
    58: digits(10_000, 15),
    73: 'T12345',
    79: digits(51, 20),
    99: ORDER,
  });

function eefiOrder(record: '044' | '045', amount: number, paid: number): string {
  return line(record === '044' ? 287 : 272, {
    1: record,
    4: PV,
    13: digits(557, 11),
    24: '19112026',
    32: digits(amount, 15),
    47: '18',
    49: 'CANCEL.DE VENDAS',
    77: '544828XXXXXX0007',
    93: digits(52, 12),
    105: '19112026',
    113: 'T12345',
    119: digits(6_000, 15),
    134: digits(700, 9),
    143: '19112026',
    151: PV,
    175: '00000000',
    204: digits(paid, 15),
    219: '20112026',
    ...(record === '044' ? { 227: digits(amount - paid, 15), 287: '1' } : { 272: '1' }),
  });
}

const eefiOrderTwin = (record: '055' | '056') =>
  line(128, {
    1: record,
    4: '544828XXXXXX0007',
    20: digits(52, 12),
    32: '19112026',
    40: 'T12345',
    46: digits(6_000, 15),
    61: digits(700, 9),
    70: PV,
    79: digits(52, 20),
    99: ORDER,
  });

export const eefiUnscheduled = (
  amount: number,
  debitType: '1' | '2',
  { batch = 701, nsu = 53, installmentNumber = 2 } = {},
) =>
  line(167, {
    1: '049',
    4: PV,
    13: digits(batch, 9),
    37: '19122026',
    45: digits(9_750 - amount, 15),
    60: digits(9_750, 15),
    75: digits(amount, 15),
    90: '20112026',
    98: digits(20_000, 15),
    113: digits(amount, 15),
    128: '544828XXXXXX0007',
    144: '19112026',
    152: digits(nsu, 12),
    164: debitType,
    165: digits(installmentNumber, 2),
    167: '1',
  });

const eefiUnscheduledTwin = () =>
  line(214, {
    1: '057',
    4: PV,
    13: digits(701, 9),
    98: digits(20_000, 15),
    128: '544828XXXXXX0007',
    144: '19112026',
    152: digits(53, 12),
    165: digits(53, 20),
    185: ORDER,
  });

type EefiTotals = readonly (readonly [count: number, amount: number])[];

/**
 * Credits, anticipations, adjustments to credit, adjustments to debit: positions as a matrix's total
 * has them.
 */
export function eefiBranchTotal(totals: EefiTotals): string {
  const [credits, anticipated, credited, debited] = totals.map(([count, amount]) => [
    count,
    digits(amount, 15),
  ]);
  return line(94, {
    1: '050',
    4: PV,
    13: digits(credits?.[0] ?? 0, 6) + credits?.[1],
    34: digits(anticipated?.[0] ?? 0, 6) + anticipated?.[1],
    55: digits(credited?.[0] ?? 0, 4) + credited?.[1],
    74: digits(debited?.[0] ?? 0, 6) + debited?.[1],
  });
}

export function eefiTrailer(branches: number, records: number, totals: EefiTotals): string {
  const [credits, anticipated, credited, debited] = totals.map(([count, amount]) => [
    count,
    digits(amount, 15),
  ]);
  return line(100, {
    1: '052',
    4: digits(branches, 4),
    8: digits(records, 6),
    14: PV,
    23: digits(credits?.[0] ?? 0, 4) + credits?.[1],
    42: digits(anticipated?.[0] ?? 0, 6) + anticipated?.[1],
    63: digits(credited?.[0] ?? 0, 4) + credited?.[1],
    82: digits(debited?.[0] ?? 0, 4) + debited?.[1],
  });
}

const EEFI_TOTALS: EefiTotals = [
  [2, 14_625],
  [1, 9_500],
  [1, 3_250],
  [1, 9_750],
];

/** Credits with what is kept from them, an anticipation, debits of each kind with what e-commerce adds. */
export function eefiFileLines(): string[] {
  return [
    eefiHeader(),
    branchHeader('032'),
    eefiCredit({ batch: 700, net: 15_600 - 975, gross: 16_000, fee: 400 }),
    eefiNetAdjustment('N', 700, 975),
    eefiNetTwin(),
    eefiNetAdjustment('D', 700, 111),
    eefiNetTwin(),
    eefiCredit({ batch: 701, net: 0, gross: 0, fee: 0, installment: '01/02', status: '12' }),
    eefiAnticipation(9_500, 9_750),
    line(94, { 1: '037', 4: PV, 28: digits(0, 15), 80: digits(0, 15) }),
    eefiBankDebit(9_750, '23'),
    eefiBankTwin(),
    eefiCreditAdjustment(3_250, '52'),
    eefiOrder('044', 1_000, 400),
    eefiOrderTwin('055'),
    eefiOrder('045', 1_000, 600),
    eefiOrderTwin('056'),
    eefiUnscheduled(500, '1'),
    eefiUnscheduledTwin(),
    eefiUnscheduled(9_250, '2'),
    line(63, { 1: '040', 4: 'queries' }),
    eefiBranchTotal(EEFI_TOTALS),
    eefiTrailer(1, 23, EEFI_TOTALS),
  ];
}
