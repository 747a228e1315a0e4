import { digits, writeRecord } from '../../remittances/write-record.ts';
import {
  STATEMENT_DEBIT,
  STATEMENT_DEPOSIT,
  STATEMENT_HEADER,
  STATEMENT_INSTALLMENT,
  STATEMENT_TRAILER,
} from './rede-statement-layout.ts';

/** Amounts in cents, days as `YYYY-MM-DD`. */
export type RedePaidInstallment = {
  readonly nsu: string;
  readonly soldOn: string;
  readonly installmentNumber: number;
  readonly installmentCount: number;
  readonly gross: number;
  readonly fee: number;
  readonly net: number;
  readonly batch: string;
  readonly tid: string;
  readonly orderReference: string;
};

export type RedeDebit = { readonly reason: string; readonly amount: number; readonly description: string };

export type RedeDeposit = {
  readonly deposit: string;
  readonly status: string;
  readonly type: string;
  readonly brand: string;
  readonly net: number;
  readonly installments: readonly RedePaidInstallment[];
  readonly debits: readonly RedeDebit[];
};

/** Writes lines of a day's deposits that this package reads. Throws RangeError for what fits no field. */
export class RedeStatementWriter {
  readonly #establishment: string;
  readonly #day: string;
  #deposits = 0;
  #records = 1;
  #net = 0;

  constructor(establishment: string, day: string) {
    this.#establishment = establishment;
    this.#day = day;
  }

  header(): string {
    return writeRecord(STATEMENT_HEADER.length, [
      [1, 6, 'RS0001'],
      [7, 15, digits(this.#establishment, 9)],
      [16, 23, packed(this.#day)],
    ]);
  }

  deposit({ deposit, status, type, brand, net, installments, debits }: RedeDeposit): string[] {
    const lines = [
      writeRecord(STATEMENT_DEPOSIT.length, [
        [1, 3, 'RS1'],
        [4, 12, digits(this.#establishment, 9)],
        [13, 52, name(deposit, 40)],
        [53, 64, name(status, 12)],
        [65, 76, name(type, 12)],
        [77, 79, digits(brand, 3)],
        [80, 94, signed(net)],
        [95, 103, digits(installments.length, 9)],
        [104, 112, digits(debits.length, 9)],
      ]),
      ...installments.map(installmentLine),
      ...debits.map(debitLine),
    ];
    this.#deposits += 1;
    this.#records += lines.length;
    this.#net += net;
    return lines;
  }

  trailer(): string {
    return writeRecord(STATEMENT_TRAILER.length, [
      [1, 3, 'RS9'],
      [4, 12, digits(this.#deposits, 9)],
      [13, 21, digits(this.#records + 1, 9)],
      [22, 36, signed(this.#net)],
    ]);
  }
}

function installmentLine(one: RedePaidInstallment): string {
  return writeRecord(STATEMENT_INSTALLMENT.length, [
    [1, 3, 'RS2'],
    [4, 15, digits(one.nsu, 12)],
    [16, 23, packed(one.soldOn)],
    [24, 26, digits(one.installmentNumber, 3)],
    [27, 29, digits(one.installmentCount, 3)],
    [30, 44, digits(one.gross, 15)],
    [45, 59, digits(one.fee, 15)],
    [60, 74, digits(one.net, 15)],
    [75, 83, digits(one.batch, 9)],
    [84, 103, name(one.tid, 20)],
    [104, 133, words(one.orderReference, 30)],
  ]);
}

function debitLine({ reason, amount, description }: RedeDebit): string {
  return writeRecord(STATEMENT_DEBIT.length, [
    [1, 3, 'RS3'],
    [4, 8, digits(reason, 5)],
    [9, 23, digits(amount, 15)],
    [24, 63, words(description, 40)],
  ]);
}

const packed = (day: string) => day.replaceAll('-', '');

function signed(amount: number): string {
  return (amount < 0 ? '-' : '+') + digits(Math.abs(amount), 14);
}

/** Names are not cut: a part of one would name something else. */
function name(text: string, length: number): string {
  if (text.length > length || !/^[\x21-\x7e]*$/.test(text))
    throw new RangeError(`a name has not ${length} plain characters`);
  return text.padEnd(length);
}

function words(text: string, length: number): string {
  const plain = text
    .normalize('NFD')
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^\x20-\x7e]/g, ' ');
  return plain.trim().slice(0, length).padEnd(length);
}
