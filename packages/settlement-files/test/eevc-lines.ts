import { digits, line } from './written-lines.ts';

/** A Rede EEVC, typed from the published layout. */

export const PV = '012345678';
export const ORDER = '0123456789abcdef0123456789abcd';

export function eevcHeader(version = 'V2.01 - 09/06 - EEVC', processing = 'DIARIO'): string {
  return line(121, {
    1: '002',
    4: '20112026',
    12: 'Rede',
    20: 'Extrato Eletronico de Vendas',
    50: 'LOJA',
    72: '000634',
    78: PV,
    87: processing,
    102: version,
  });
}

export const branchHeader = (record: string) => line(34, { 1: record, 4: PV, 13: 'LOJA' });

export type Batch = {
  readonly record?: string;
  readonly number: number;
  readonly count: number;
  readonly gross: number;
  readonly fee: number;
  readonly rejected?: number;
};

export function eevcBatch({ record = '006', number, count, gross, fee, rejected = 0 }: Batch): string {
  return line(137, {
    1: record,
    4: PV,
    13: digits(number, 9),
    22: '341',
    25: '01234',
    30: digits('98765', 11),
    41: '19112026',
    49: digits(count, 5),
    54: digits(gross, 15),
    69: digits(0, 15),
    84: digits(rejected, 15),
    99: digits(fee, 15),
    114: digits(gross - fee, 15),
    129: '19122026',
    137: '1',
  });
}

export type RedeSale = {
  readonly batch: number;
  readonly nsu: number;
  readonly gross: number;
  readonly fee: number;
  readonly status?: number;
  readonly card?: string;
};

export function eevcSale({ batch, nsu, gross, fee, status = 0, card }: RedeSale): string {
  return line(230, {
    1: '008',
    4: PV,
    13: digits(batch, 9),
    22: '19112026',
    30: digits(0, 8),
    38: digits(gross, 15),
    53: digits(0, 15),
    68: card ?? '544828XXXXXX0007',
    84: digits(status, 3),
    87: digits(nsu, 12),
    112: digits(fee, 15),
    127: 'T12345',
    133: '143025',
    203: '5',
    204: digits(gross - fee, 15),
    219: 'PV000001',
    227: 'BRA',
    230: '1',
  });
}

function eevcSaleInInstallments(sale: RedeSale & { readonly count: number }): string {
  const { batch, nsu, gross, fee, count } = sale;
  return line(262, {
    1: '012',
    4: PV,
    13: digits(batch, 9),
    22: '19112026',
    30: digits(0, 8),
    38: digits(gross, 15),
    53: digits(0, 15),
    68: '544828XXXXXX0007',
    84: digits(sale.status ?? 0, 3),
    87: digits(count, 2),
    89: digits(nsu, 12),
    114: digits(fee, 15),
    129: 'T12345',
    135: '143025',
    205: '5',
    206: digits(gross - fee, 15),
    221: digits(0, 30),
    251: 'PV000001',
    259: 'BRA',
    262: '1',
  });
}

export function eevcEcommerce(record: string, { batch, nsu, gross, card }: RedeSale): string {
  return line(128, {
    1: record,
    4: PV,
    13: digits(batch, 9),
    22: '19112026',
    30: digits(gross, 15),
    45: card ?? '544828XXXXXX0007',
    61: digits(nsu, 12),
    73: 'T12345',
    79: digits(nsu, 20),
    99: ORDER,
  });
}

function eevcInstallment(batch: number, number: number, gross: number, fee: number): string {
  return line(92, {
    1: '014',
    4: PV,
    13: digits(batch, 9),
    22: '19112026',
    38: digits(number, 2),
    40: digits(gross, 15),
    55: digits(fee, 15),
    70: digits(gross - fee, 15),
    85: `1912202${5 + number}`,
  });
}

type EevcTotals = { gross: number; rejectedCount: number; rejected: number; fee: number; accepted: number };

function eevcTotals(shift: number, { gross, rejectedCount, rejected, fee, accepted }: EevcTotals) {
  return {
    [13 + shift]: digits(gross, 15),
    [28 + shift]: digits(rejectedCount, 6),
    [34 + shift]: digits(rejected, 15),
    [49 + shift]: digits(0, 60),
    [109 + shift]: digits(fee, 15),
    [124 + shift]: digits(gross - fee, 15),
    [139 + shift]: digits(0, 30),
    [169 + shift]: digits(accepted, 6),
  };
}

export const eevcBranchTotal = (totals: EevcTotals) =>
  line(174, { 1: '026', 4: PV, ...eevcTotals(0, totals) });

export const eevcTrailer = (branches: number, records: number, totals: EevcTotals) =>
  line(184, {
    1: '028',
    4: digits(branches, 4),
    8: digits(records, 6),
    14: PV,
    ...eevcTotals(10, totals),
  });

/** A batch paid at once with a rejected sale, and one in two installments. */
export function eevcFileLines(): string[] {
  const totals = { gross: 36_000, rejectedCount: 1, rejected: 777, fee: 900, accepted: 3 };
  const first = { batch: 700, nsu: 51, gross: 10_000, fee: 250 };
  const second = { batch: 700, nsu: 52, gross: 6_000, fee: 150 };
  const third = { batch: 701, nsu: 53, gross: 20_000, fee: 500 };
  return [
    eevcHeader(),
    branchHeader('004'),
    eevcBatch({ number: 700, count: 2, gross: 16_000, fee: 400, rejected: 777 }),
    eevcSale(first),
    eevcEcommerce('034', first),
    eevcSale({ batch: 700, nsu: 60, gross: 777, fee: 0, status: 37 }),
    eevcSale(second),
    eevcEcommerce('034', second),
    eevcBatch({ record: '010', number: 701, count: 1, gross: 20_000, fee: 500 }),
    eevcSaleInInstallments({ ...third, count: 2 }),
    eevcEcommerce('035', third),
    eevcInstallment(701, 1, 10_000, 250),
    eevcInstallment(701, 2, 10_000, 250),
    line(40, { 1: '021', 4: 'whatever stands here' }),
    eevcBranchTotal(totals),
    eevcTrailer(1, 16, totals),
  ];
}
