import { type RecordLayout, type RecordReader, recordReader } from '../records/fixed-width.ts';
import type { Bank } from './bank.ts';
import { boletoNumber } from './boleto-number.ts';
import {
  type CNAB400_HEADER,
  CNAB400_LENGTH,
  type Cnab400Dialect,
  type DetailLayout,
  headerLayout,
} from './cnab400-layout.ts';
import { entryOf } from './movement-entry.ts';
import type { ReturnEntry, ReturnFileHead, ReturnReading } from './return-entry.ts';
import { NUMBER_OF_RECORD, refused, refusedField, refusedLength, refusedNumber } from './return-faults.ts';

const NUMBERS_OF_LINES = 1_000_000;
const HEADER = '0';
const TRAILER = '9';

/**
 * Throws at the first bad line. The number at the end of each line shows missing, swapped or repeated lines.
 */
export class Cnab400File implements ReturnReading {
  readonly #bank: Bank;
  readonly #dialect: Cnab400Dialect;
  readonly #readHeader: RecordReader<typeof CNAB400_HEADER>;
  readonly #readDetails: ReadonlyMap<string, RecordReader<DetailLayout>>;
  #lineNumber = 0;
  head: ReturnFileHead | null = null;
  isEnded = false;

  constructor(bank: Bank, dialect: Cnab400Dialect) {
    this.#bank = bank;
    this.#dialect = dialect;
    this.#readHeader = recordReader(headerLayout(dialect));
    this.#readDetails = new Map(
      Object.entries(dialect.details).map(([type, layout]) => [type, recordReader(layout)]),
    );
  }

  take(given: string, lineNumber: number): ReturnEntry | null {
    this.#lineNumber = lineNumber;
    const line = given.trimEnd();
    if (line.length !== CNAB400_LENGTH) throw refusedLength(lineNumber, line.length, CNAB400_LENGTH);
    const number = line.slice(-6);
    const expected = String(lineNumber % NUMBERS_OF_LINES).padStart(6, '0');
    if (number !== expected) {
      throw refusedNumber(lineNumber, 'recordNumber', NUMBER_OF_RECORD, number, expected);
    }
    const type = line[0] ?? '';
    if (this.head === null) {
      const { bank, madeOn, sequence = null } = this.#read(this.#readHeader, line);
      this.head = { format: 'cnab400', bank, bankName: this.#bank.name, madeOn, sequence };
      return null;
    }
    if (type === HEADER) throw refused(lineNumber, 'unexpectedRecord');
    if (type === TRAILER) this.isEnded = true;
    const read = this.#readDetails.get(type);
    return read === undefined ? null : this.#entryOf(this.#read(read, line), line);
  }

  #entryOf(values: ReturnType<RecordReader<DetailLayout>>['values'], line: string): ReturnEntry {
    const { companyUse = null, bankNumber = null, documentNumber = null, dueOn = null } = values;
    const { movement, value = 0, fee = 0, paid = 0, happenedOn = null, creditedOn = null } = values;
    const { reasons = null } = values;
    const whole = this.#dialect.isPaidLessFee === true && paid > 0 ? paid + fee : paid;
    const number = boletoNumber(line, this.#dialect.number);
    const ofTitle = {
      lineNumber: this.#lineNumber,
      movement,
      companyUse,
      bankNumber,
      number,
      documentNumber,
    };
    const money = { value, dueOn, paid: whole, fee, happenedOn, creditedOn };
    return entryOf({ ...ofTitle, ...money }, this.#dialect.movements, { reasons, hasReasonsOfEnd: false });
  }

  #read<R extends RecordLayout>(read: RecordReader<R>, line: string) {
    const { values, faults } = read(line);
    const [fault] = faults;
    if (fault !== undefined) throw refusedField(this.#lineNumber, fault);
    return values;
  }
}
