import { type RecordLayout, type RecordReader, recordReader } from '../records/fixed-width.ts';
import type { Bank } from './bank.ts';
import { boletoNumber } from './boleto-number.ts';
import {
  AMOUNTS,
  CNAB240_LENGTH,
  type Cnab240Dialect,
  FILE_HEADER,
  FILE_TRAILER,
  LEAST_LENGTHS,
  LOT_HEADER,
  LOT_TRAILER,
  type TITLE,
} from './cnab240-layout.ts';
import { entryOf } from './movement-entry.ts';
import type { ReturnEntry, ReturnFileHead, ReturnReading } from './return-entry.ts';
import {
  BANK_OF_LINE,
  KIND_OF_FILE,
  LOTS_OF_FILE,
  MOVEMENT_OF_PAIR,
  NUMBER_OF_LOT,
  NUMBER_OF_RECORD,
  PAYMENTS_OF_LOT,
  RECORDS_OF_FILE,
  RECORDS_OF_LOT,
  refused,
  refusedField,
  refusedLength,
  refusedNumber,
  refusedService,
} from './return-faults.ts';

const RETURN = '2';
const RETURN_OF_DAY = '7';
const NO_LOT = 9999;
/** Operation and service of a lot. */
const COLLECTION = 'T01';
const NUMBERS_OF_RECORDS = 100_000;
const NUMBERS_OF_COUNTS = 1_000_000;
/** The count of a bank that does not count records. */
const NOT_COUNTED = 1;

type Title = ReturnType<RecordReader<typeof TITLE>>['values'];
type TitleLine = { readonly values: Title; readonly line: string; readonly lineNumber: number };
type Lot = { number: number; records: number; details: number; payments: number };

/** Throws at the first bad line. */
export class Cnab240File implements ReturnReading {
  readonly #bank: Bank;
  readonly #dialect: Cnab240Dialect;
  readonly #readHeader = recordReader(FILE_HEADER);
  readonly #readLotHeader = recordReader(LOT_HEADER);
  readonly #readTitle: RecordReader<typeof TITLE>;
  readonly #readAmounts = recordReader(AMOUNTS);
  readonly #readLotTrailer = recordReader(LOT_TRAILER);
  readonly #readTrailer = recordReader(FILE_TRAILER);
  #lineNumber = 0;
  #longest = CNAB240_LENGTH;
  #lots = 0;
  #lastLot = 0;
  #lot: Lot | null = null;
  #title: TitleLine | null = null;
  head: ReturnFileHead | null = null;
  isEnded = false;

  constructor(bank: Bank, dialect: Cnab240Dialect) {
    this.#bank = bank;
    this.#dialect = dialect;
    // Both layouts of T have the same fields.
    this.#readTitle = recordReader(dialect.title as typeof TITLE);
  }

  take(given: string, lineNumber: number): ReturnEntry | null {
    this.#lineNumber = lineNumber;
    const line = this.#whole(given);
    if (this.head === null) {
      const { bank, madeOn, sequence, direction } = this.#read(this.#readHeader, line);
      if (direction !== RETURN && !(direction === RETURN_OF_DAY && this.#dialect.hasFilesOfDay === true)) {
        throw refusedNumber(lineNumber, 'direction', KIND_OF_FILE, direction, RETURN);
      }
      this.head = { format: 'cnab240', bank, bankName: this.#bank.name, madeOn, sequence };
      return null;
    }
    const bank = line.slice(0, 3);
    if (bank !== this.head.bank) {
      throw refusedNumber(lineNumber, 'anotherBank', BANK_OF_LINE, bank, this.head.bank);
    }
    return this.#takeInFile(line);
  }

  /**
   * Trailing blanks may be missing, or too many in every line. A pair longer than the header has a text that
   * grew, and what follows that text stands too far right.
   */
  #whole(given: string): string {
    const line = given.trimEnd();
    const type = line[7] === '3' ? `3${line[13]}` : (line[7] ?? '');
    const least = LEAST_LENGTHS[type] ?? 14;
    if (this.head === null) this.#longest = Math.max(given.length, CNAB240_LENGTH);
    const isPair = type === '3T' || type === '3U';
    const length = isPair && given.length > this.#longest ? given.length : line.length;
    if (length > CNAB240_LENGTH || length < least) {
      throw refusedLength(this.#lineNumber, length, CNAB240_LENGTH);
    }
    return line.padEnd(CNAB240_LENGTH);
  }

  #takeInFile(line: string): ReturnEntry | null {
    const type = line[7];
    if (this.#title !== null && !(type === '3' && line[13] === 'U'))
      throw refused(this.#lineNumber, 'unpaired');
    if (this.#lot !== null) this.#lot.records += 1;
    if (type === '3' && this.#lot !== null) return this.#takeDetail(line, this.#lot);
    if (type === '1' && this.#lot === null) this.#openLot(line);
    else if (type === '5' && this.#lot !== null) this.#closeLot(line, this.#lot);
    else if (type === '9' && this.#lot === null) this.#closeFile(line);
    else throw refused(this.#lineNumber, 'unexpectedRecord');
    return null;
  }

  #openLot(line: string): void {
    const service = line.slice(8, 11);
    if (service !== COLLECTION) throw refusedService(this.#lineNumber, service.trim());
    const { lot } = this.#read(this.#readLotHeader, line);
    this.#lots += 1;
    if (this.#dialect.lots === 'numbered') this.#agree('lotNumber', NUMBER_OF_LOT, lot, this.#lots);
    this.#lot = { number: lot, records: 1, details: 0, payments: 0 };
  }

  #closeLot(line: string, lot: Lot): void {
    const values = this.#read(this.#readLotTrailer, line);
    this.#checkLot(values.lot, lot);
    const { counts } = this.#dialect;
    // If one of a pair is missing, the file's trailer shows it, whichever of the two the bank counts.
    const isOfDetails = counts === 'details' && values.records === lot.details;
    if (counts === 'payments' && values.records === NOT_COUNTED) {
      this.#agree('lotCount', PAYMENTS_OF_LOT, Number(values.titles), lot.payments);
    } else if (!isOfDetails) this.#agree('lotCount', RECORDS_OF_LOT, values.records, lot.records);
    this.#lastLot = lot.number;
    this.#lot = null;
  }

  #closeFile(line: string): void {
    const { lot, lots, records } = this.#read(this.#readTrailer, line);
    const isOwn = this.#dialect.lots === 'own' && lot === this.#lastLot;
    if (!isOwn) this.#agree('lotNumber', NUMBER_OF_LOT, lot, NO_LOT);
    this.#agree('fileCount', LOTS_OF_FILE, lots, this.#lots);
    const isNotCounted = this.#dialect.counts === 'payments' && records === NOT_COUNTED;
    // Some banks leave out header and trailer. With a missing pair the count is too high, never too low.
    if (!isNotCounted && records !== (this.#lineNumber - 2) % NUMBERS_OF_COUNTS) {
      this.#agree('fileCount', RECORDS_OF_FILE, records, this.#lineNumber);
    }
    this.isEnded = true;
  }

  /** Other segments after a pair describe the payer or a Pix. They are only counted. */
  #takeDetail(line: string, lot: Lot): ReturnEntry | null {
    lot.details += 1;
    this.#checkLot(Number(line.slice(3, 7)), lot);
    this.#agree(
      'recordNumber',
      NUMBER_OF_RECORD,
      Number(line.slice(8, 13)),
      lot.details % NUMBERS_OF_RECORDS,
    );
    const segment = line[13];
    if (segment === 'T') {
      this.#title = { values: this.#read(this.#readTitle, line), line, lineNumber: this.#lineNumber };
      return null;
    }
    if (segment !== 'U') return null;
    if (this.#title === null) throw refused(this.#lineNumber, 'unpaired');
    const title = this.#title;
    this.#title = null;
    const entry = this.#entryOf(title, line);
    if (entry.event === 'paid') lot.payments += 1;
    return entry;
  }

  /** If the header has no number, the lines give it. */
  #checkLot(number: number, lot: Lot): void {
    const isFirst = lot.number === 0 && lot.details === 1;
    if (isFirst && this.#dialect.lots === 'own') lot.number = number;
    this.#agree('lotNumber', NUMBER_OF_LOT, number, lot.number);
  }

  #entryOf(title: TitleLine, line: string): ReturnEntry {
    const amounts = this.#read(this.#readAmounts, line);
    const { lineNumber, values } = title;
    const { movement, bankNumber, value, dueOn, fee, reasons } = values;
    if (amounts.movement !== movement) {
      throw refusedNumber(this.#lineNumber, 'movementDiffers', MOVEMENT_OF_PAIR, amounts.movement, movement);
    }
    const { paid, happenedOn, creditedOn } = amounts;
    const number = boletoNumber(title.line, this.#dialect.number);
    const { companyUse, documentNumber } =
      this.#dialect.hasDocumentAgain === true ? documentAgain(title) : values;
    const ofTitle = {
      lineNumber,
      movement,
      bankNumber,
      number,
      companyUse,
      documentNumber,
      value,
      dueOn,
      fee,
    };
    return entryOf({ ...ofTitle, paid, happenedOn, creditedOn }, this.#dialect.movements, {
      reasons,
      hasReasonsOfEnd: true,
    });
  }

  #read<R extends RecordLayout>(read: RecordReader<R>, line: string) {
    const { values, faults } = read(line);
    const [fault] = faults;
    if (fault !== undefined) throw refusedField(this.#lineNumber, fault);
    return values;
  }

  #agree(
    fault: 'lotNumber' | 'recordNumber' | 'lotCount' | 'fileCount',
    what: typeof NUMBER_OF_LOT,
    stated: number,
    found: number,
  ): void {
    // A count with more digits than its field is written by its last digits.
    const expected = found % NUMBERS_OF_COUNTS;
    if (stated !== expected) throw refusedNumber(this.#lineNumber, fault, what, stated, expected);
  }
}

/** An installment stands behind its ten positions. */
function documentAgain({ line, values }: TitleLine) {
  const again = line.slice(105, 115).trim();
  return { companyUse: null, documentNumber: /^0*$/.test(again) ? values.documentNumber : again };
}
