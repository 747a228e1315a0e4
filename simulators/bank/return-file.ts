import { daysBetween, saoPauloDayOf } from '../kit/days.ts';
import { creditedOn, feeOf } from './answers.ts';
import { AGENCY, accountOf, BANK_CODE, WALLET } from './bar-code.ts';
import type { Boleto, Boletos, Change } from './boletos.ts';

/** Ways to be wrong: a payment of the day is left out, stands twice or with another amount; a count. */
export const FILE_FAULTS = ['rowMissing', 'rowTwice', 'otherAmount', 'brokenTrailer'] as const;
export type FileFault = (typeof FILE_FAULTS)[number];

export type FileQuery = {
  readonly merchantId: string;
  readonly day: string;
  readonly fault: FileFault | null;
};

/** What became of a boleto on the day. */
type Row = {
  readonly boleto: Boleto;
  readonly dueOn: string;
  readonly movement: '02' | '03' | '06' | '09' | '14' | '17';
  readonly reason: string;
  readonly paid: number;
  readonly paidOn: string | null;
};

const LINE_LENGTH = 240;
const FIRST_DAY = '2020-01-01';
const LOT = '0001';
const NO_DAY = '00000000';
const HOME_BANKING = '33';
const BY_CUSTOMER_ONLINE = '11';
const TIME_WAS_OVER = '13';

/** The return file of a merchant's day, CNAB 240 of the FEBRABAN: lines of 240 characters and CR LF. */
export function returnFile(boletos: Boletos, { merchantId, day, fault }: FileQuery): string {
  const rows = withFault(rowsOf(boletos, merchantId, day), fault);
  const details = rows.flatMap((row, index) => [
    titleLine(row, 2 * index + 1),
    amountsLine(row, 2 * index + 2, day),
  ]);
  const records = details.length + 2 + (fault === 'brokenTrailer' ? 1 : 0);
  const lines = [
    fileHeader(merchantId, day),
    lotHeader(merchantId, day),
    ...details,
    lotTrailer(records, rows),
    lineOf({
      1: BANK_CODE,
      4: '9999',
      8: '9',
      18: number(1, 6),
      24: number(records + 2, 6),
      30: number(0, 6),
    }),
  ];
  return lines.map((line) => `${line}\r\n`).join('');
}

function rowsOf(boletos: Boletos, merchantId: string, day: string): Row[] {
  const registered = boletos.all
    .filter((boleto) => boleto.merchantId === merchantId && boleto.issuedOn === day)
    .map((boleto): Row => {
      const { dueOn } = boleto.registration;
      const movement = boleto.refusal === null ? '02' : '03';
      return { boleto, dueOn, movement, reason: '00', paid: 0, paidOn: null };
    });
  const seen = new Set<string>();
  const happened = boletos.changesOf(merchantId).filter(({ changeId, entry }) => {
    const isNew = !seen.has(changeId);
    seen.add(changeId);
    return isNew && saoPauloDayOf(entry.happenedAt) === day;
  });
  const moved = boletos.dueDays
    .filter(
      ({ boleto, entry }) => boleto.merchantId === merchantId && saoPauloDayOf(entry.happenedAt) === day,
    )
    .map(({ boleto, entry: { dueOn } }): Row => {
      return { boleto, dueOn, movement: '14', reason: '00', paid: 0, paidOn: null };
    });
  return [...registered, ...moved, ...happened.map(rowOfChange)];
}

function rowOfChange({ boleto, event, entry, before }: Change): Row {
  const { dueOn } = boleto;
  if (entry.type === 'payment') {
    const movement = before === 'canceled' || before === 'expired' ? '17' : '06';
    return { boleto, dueOn, movement, reason: HOME_BANKING, paid: entry.amount, paidOn: entry.paidOn };
  }
  const reason = event === 'expired' ? TIME_WAS_OVER : BY_CUSTOMER_ONLINE;
  return { boleto, dueOn, movement: '09', reason, paid: 0, paidOn: null };
}

/** Spoils the last payment of the day, or the last row where nothing was paid. */
function withFault(rows: readonly Row[], fault: FileFault | null): readonly Row[] {
  const payment = rows.findLastIndex(({ paid }) => paid > 0);
  const index = payment === -1 ? rows.length - 1 : payment;
  return rows.flatMap((row, at) => {
    if (at !== index) return [row];
    if (fault === 'rowMissing') return [];
    if (fault === 'rowTwice') return [row, row];
    return [fault === 'otherAmount' ? { ...row, paid: row.paid + 1 } : row];
  });
}

function fileHeader(merchantId: string, day: string): string {
  return lineOf({
    ...{ 1: BANK_CODE, 4: '0000', 8: '0', 18: '2', 19: number(0, 14), 53: accountField(merchantId) },
    ...{ 73: 'BENEFICIARIO', 103: 'BANCO SIMULADO', 143: '2', 144: dayField(day), 152: '235900' },
    ...{ 158: number(daysBetween(FIRST_DAY, day), 6), 164: '101', 167: number(0, 5) },
  });
}

function lotHeader(merchantId: string, day: string): string {
  return lineOf({
    ...{ 1: BANK_CODE, 4: LOT, 8: '1', 9: 'T', 10: '01', 14: '060', 18: '2', 19: number(0, 15) },
    ...{ 54: accountField(merchantId), 74: 'BENEFICIARIO', 192: dayField(day), 200: NO_DAY },
    184: number(daysBetween(FIRST_DAY, day), 8),
  });
}

function titleLine({ boleto, dueOn, movement, reason, paid }: Row, numberInLot: number): string {
  const { ourNumber, amount, payerName, payerDocument, merchantId } = boleto;
  return lineOf({
    ...{ 1: BANK_CODE, 4: LOT, 8: '3', 9: number(numberInLot, 5), 14: 'T', 16: movement },
    ...{ 18: accountField(merchantId), 38: `0${WALLET}00000${ourNumber}0`, 58: '1', 59: ourNumber },
    ...{ 74: dayField(dueOn), 82: number(amount, 15), 97: BANK_CODE, 100: number(0, 5), 106: ourNumber },
    ...{ 131: '09', 133: payerDocument.length === 11 ? '1' : '2', 134: payerDocument.padStart(15, '0') },
    ...{ 149: plain(payerName).slice(0, 40), 189: number(0, 10), 199: number(feeOf(paid), 15) },
    214: reason.padEnd(10),
  });
}

function amountsLine({ boleto, movement, paid, paidOn }: Row, numberInLot: number, day: string): string {
  const { amount } = boleto;
  const isPaid = paidOn !== null;
  return lineOf({
    ...{ 1: BANK_CODE, 4: LOT, 8: '3', 9: number(numberInLot, 5), 14: 'U', 16: movement },
    ...{ 18: number(isPaid ? Math.max(paid - amount, 0) : 0, 15), 33: number(0, 15), 48: number(0, 15) },
    ...{ 63: number(0, 15), 78: number(paid, 15), 93: number(paid - feeOf(paid), 15), 108: number(0, 15) },
    ...{ 123: number(0, 15), 138: dayField(paidOn ?? day), 154: '0000', 158: NO_DAY, 166: number(0, 15) },
    146: isPaid ? dayField(creditedOn(paidOn)) : NO_DAY,
  });
}

/** Totals of the simple portfolio, to which all boletos of this bank belong; of the others none. */
function lotTrailer(records: number, rows: readonly Row[]): string {
  const sum = rows.reduce((total, { boleto }) => total + boleto.amount, 0);
  const none = number(0, 6) + number(0, 17);
  return lineOf({
    ...{
      1: BANK_CODE,
      4: LOT,
      8: '5',
      18: number(records, 6),
      24: number(rows.length, 6),
      30: number(sum, 17),
    },
    ...{ 47: none, 70: none, 93: none },
  });
}

/** Branch of five digits and its check digit, account of twelve and its check digit, and a blank. */
function accountField(merchantId: string): string {
  return `${AGENCY.padStart(5, '0')}0${accountOf(merchantId).padStart(12, '0')}0 `;
}

/** A line of blanks with the given texts at their positions, counted from 1. */
function lineOf(fields: Readonly<Record<number, string>>): string {
  let line = ' '.repeat(LINE_LENGTH);
  for (const [position, text] of Object.entries(fields)) {
    const start = Number(position) - 1;
    line = line.slice(0, start) + text + line.slice(start + text.length);
  }
  if (line.length !== LINE_LENGTH) throw new Error('a field does not fit into its line');
  return line;
}

function number(value: number, length: number): string {
  return String(value).padStart(length, '0');
}

function dayField(day: string): string {
  return `${day.slice(8)}${day.slice(5, 7)}${day.slice(0, 4)}`;
}

/** Upper case without accents, as these files are in ASCII. */
function plain(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\x20-\x7e]/g, ' ')
    .toUpperCase();
}
