import { PV } from './eevc-lines.ts';
import { digits } from './written-lines.ts';

/** A Rede EEVD, typed from the published layout: columns full, commas between them. */

export function eevdHeader(version = 'V2.00 - 05/2023 EEVD', processing = 'DIARIO'): string {
  return [
    ...['00', PV, '20112026', '19112026', 'Movimentacao diaria - Cartoes de Debito', 'Rede    '],
    ...['LOJA'.padEnd(26), '000427', processing.padEnd(15), version.padEnd(20)],
  ].join(',');
}

export type EevdBatch = {
  readonly number: number;
  readonly count: number;
  readonly gross: number;
  readonly fee: number;
  readonly type?: string;
};

export function eevdBatch({ number, count, gross, fee, type = 'D' }: EevdBatch): string {
  return [
    ...['01', PV, type === 'P' ? '00000000' : '20112026', '19112026', digits(number, 9), digits(count, 6)],
    ...[gross, fee, gross - fee].map((cents) => digits(cents, 15)),
    ...[type, '341', '001234', digits('98765', 11), '1'],
  ].join(',');
}

export type EevdSale = {
  readonly batch: number;
  readonly nsu: number;
  readonly gross: number;
  readonly fee: number;
  readonly status?: string;
  readonly card?: string;
};

export function eevdSale({ batch, nsu, gross, fee, status = '01', card }: EevdSale): string {
  return [
    ...['05', PV, digits(batch, 9), '19112026'],
    ...[gross, fee, gross - fee].map((cents) => digits(cents, 15)),
    ...[(card ?? '544828*********0007').padEnd(19), 'V', digits(nsu, 12), '20112026', status, '143025'],
    ...['PV000001', '5 ', '00000', digits(gross, 15), digits(0, 15), '1', 'T12345', '000'],
  ].join(',');
}

function eevdEcommerce({ batch, nsu, gross }: EevdSale, order: string): string {
  return [
    ...['13', PV, digits(batch, 9), '19112026', digits(gross, 15), '544828*********0007', digits(nsu, 12)],
    ...[digits(nsu, 20), order.padEnd(30)],
  ].join(',');
}

export type EevdTotal = {
  readonly batches: number;
  readonly sales: number;
  readonly gross: number;
  readonly fee: number;
  readonly later?: readonly [gross: number, fee: number];
};

function totalOf({ batches, sales, gross, fee, later = [0, 0] }: EevdTotal, width: number): string[] {
  const [laterGross, laterFee] = later;
  const amounts = [gross, fee, gross - fee, laterGross, laterFee, laterGross - laterFee];
  return [PV, digits(batches, width), digits(sales, 6), ...amounts.map((cents) => digits(cents, 15))];
}

const eevdTotal = (record: string, total: EevdTotal) => [record, ...totalOf(total, 3)].join(',');
export const eevdTrailer = (records: number, total: EevdTotal) =>
  ['04', ...totalOf(total, 6), digits(records, 6)].join(',');

const FIRST = { batch: 700, nsu: 51, gross: 10_000, fee: 150 };
const SECOND = { batch: 700, nsu: 52, gross: 6_000, fee: 90 };
const AHEAD = { batch: 701, nsu: 53, gross: 20_000, fee: 300 };
export const EEVD_TOTAL: EevdTotal = { batches: 2, sales: 3, gross: 36_000, fee: 540, later: [20_000, 300] };

/** Two batches, one of them dated ahead, a sale of e-commerce, a debit, and totals of two establishments. */
export function eevdFileLines(order = '0123456789abcdef0123456789abcd'): string[] {
  return [
    eevdHeader(),
    eevdBatch({ number: 700, count: 2, gross: 16_000, fee: 240 }),
    eevdSale(FIRST),
    eevdEcommerce(FIRST, order),
    eevdSale(SECOND),
    eevdBatch({ number: 701, count: 1, gross: 20_000, fee: 300, type: 'P' }),
    eevdSale(AHEAD),
    `011,${PV},000000700,19112026,000000000001000,D,000,AL.POS/PINPAD/TX CONECT`,
    eevdTotal('02', { batches: 1, sales: 2, gross: 16_000, fee: 240 }),
    eevdTotal('02', { batches: 1, sales: 1, gross: 20_000, fee: 300, later: [20_000, 300] }),
    eevdTotal('03', EEVD_TOTAL),
    eevdTrailer(12, EEVD_TOTAL),
  ];
}
