import type { Day } from '../day.ts';
import {
  type FaultOfField,
  type RecordLayout,
  type RecordReader,
  recordReader,
} from '../records/fixed-width.ts';
import {
  CNAB_AMOUNTS,
  CNAB_FILE_HEADER,
  CNAB_FILE_TRAILER,
  CNAB_LOT_HEADER,
  CNAB_LOT_TRAILER,
  CNAB_MOVEMENTS,
  CNAB_TIME_IS_OVER,
  CNAB_TITLE,
  FEBRABAN_BANKS,
  FEBRABAN_MOVEMENTS,
  type MovementUse,
} from './cnab240-layout.ts';

export type ReturnEntry = {
  /** Line number of segment T, from 1. */
  readonly lineNumber: number;
  readonly movement: string;
  readonly event: 'paid' | 'canceled' | 'expired' | null;
  /** False if the meaning of the movement at this bank is not certain. */
  readonly isKnown: boolean;
  /** Eleven digits. Null if the boleto is not ours. */
  readonly ourNumber: string | null;
  /** Cents. 0 if the file does not say. */
  readonly value: number;
  readonly dueOn: Day | null;
  /** Cents. */
  readonly paid: number;
  readonly fee: number;
  readonly happenedOn: Day | null;
  readonly creditedOn: Day | null;
};

export type ReturnFileHead = {
  readonly bank: string;
  readonly madeOn: Day;
  readonly sequence: number | null;
};

export type ReturnFileFault =
  | 'emptyFile'
  | 'tooManyPairs'
  | 'lineLength'
  | 'field'
  | 'unexpectedRecord'
  | 'anotherBank'
  | 'lotNumber'
  | 'recordNumber'
  | 'lotCount'
  | 'fileCount'
  | 'unpaired'
  | 'movementDiffers'
  | 'changeWithoutDay'
  | 'paymentWithoutAmount'
  | 'noTrailer'
  | 'behindTrailer';

export class ReturnFileRefused extends Error {
  override readonly name = 'ReturnFileRefused';
  readonly lineNumber: number;
  readonly fault: ReturnFileFault;
  readonly field: FaultOfField | null;

  constructor(lineNumber: number, fault: ReturnFileFault, field: FaultOfField | null = null) {
    super(`line ${lineNumber}: ${fault}${field === null ? '' : ` ${field.field}: ${field.fault}`}`);
    this.lineNumber = lineNumber;
    this.fault = fault;
    this.field = field;
  }
}

const LINE_LENGTH = 240;

const readHeader = recordReader(CNAB_FILE_HEADER);
const readLotHeader = recordReader(CNAB_LOT_HEADER);
const readTitle = recordReader(CNAB_TITLE);
const readAmounts = recordReader(CNAB_AMOUNTS);
const readLotTrailer = recordReader(CNAB_LOT_TRAILER);
const readTrailer = recordReader(CNAB_FILE_TRAILER);

type Title = ReturnType<typeof readTitle>['values'];

/** Throws `ReturnFileRefused` at the first bad line. */
export class ReturnFileReader {
  #lineNumber = 0;
  #head: ReturnFileHead | null = null;
  #lots = 0;
  #recordsOfLot: number | null = null;
  #numberInLot = 0;
  #title: { readonly values: Title; readonly lineNumber: number } | null = null;
  #isEnded = false;

  /** Null if the line completes no pair. */
  take(line: string): ReturnEntry | null {
    this.#lineNumber += 1;
    if (this.#isEnded) throw this.#refused('behindTrailer');
    if (line.length !== LINE_LENGTH) throw this.#refused('lineLength');
    if (this.#head === null) {
      const { bank, madeOn, sequence } = this.#read(readHeader, line);
      this.#head = { bank, madeOn, sequence };
      return null;
    }
    if (line.slice(0, 3) !== this.#head.bank) throw this.#refused('anotherBank');
    return this.#takeInFile(line);
  }

  /** Throws `ReturnFileRefused` if the file is not complete. */
  end(): ReturnFileHead {
    if (this.#head === null) throw this.#refused('emptyFile');
    if (!this.#isEnded) throw this.#refused('noTrailer');
    return this.#head;
  }

  #takeInFile(line: string): ReturnEntry | null {
    const type = line[7];
    if (this.#title !== null && !(type === '3' && line[13] === 'U')) throw this.#refused('unpaired');
    if (this.#recordsOfLot !== null) this.#recordsOfLot += 1;
    if (type === '3' && this.#recordsOfLot !== null) return this.#takeDetail(line);
    if (type === '1' && this.#recordsOfLot === null) this.#openLot(line);
    else if (type === '5' && this.#recordsOfLot !== null) this.#closeLot(line, this.#recordsOfLot);
    else if (type === '9' && this.#recordsOfLot === null) this.#closeFile(line);
    else throw this.#refused('unexpectedRecord');
    return null;
  }

  #openLot(line: string): void {
    const { lot } = this.#read(readLotHeader, line);
    this.#lots += 1;
    if (lot !== this.#lots) throw this.#refused('lotNumber');
    this.#recordsOfLot = 1;
    this.#numberInLot = 0;
  }

  #closeLot(line: string, counted: number): void {
    const { lot, records } = this.#read(readLotTrailer, line);
    if (lot !== this.#lots) throw this.#refused('lotNumber');
    if (records !== counted) throw this.#refused('lotCount');
    this.#recordsOfLot = null;
  }

  #closeFile(line: string): void {
    const { lots, records } = this.#read(readTrailer, line);
    if (lots !== this.#lots || records !== this.#lineNumber) throw this.#refused('fileCount');
    this.#isEnded = true;
  }

  /** Other segments after a pair describe the payer or a Pix. They are only counted. */
  #takeDetail(line: string): ReturnEntry | null {
    const segment = line[13];
    this.#numberInLot += 1;
    if (Number(line.slice(3, 7)) !== this.#lots) throw this.#refused('lotNumber');
    if (Number(line.slice(8, 13)) !== this.#numberInLot % 100_000) throw this.#refused('recordNumber');
    if (segment === 'T') {
      this.#title = { values: this.#read(readTitle, line), lineNumber: this.#lineNumber };
      return null;
    }
    if (segment !== 'U') return null;
    if (this.#title === null) throw this.#refused('unpaired');
    const { values, lineNumber } = this.#title;
    this.#title = null;
    return this.#entryOf(values, lineNumber, line);
  }

  #entryOf(title: Title, lineNumber: number, line: string): ReturnEntry {
    const { movement, paid, happenedOn, creditedOn } = this.#read(readAmounts, line);
    if (movement !== title.movement) throw this.#refused('movementDiffers');
    const use = useOf(title);
    const event = eventOf(use, title);
    if (event !== null && happenedOn === null) throw this.#refused('changeWithoutDay');
    if (event === 'paid' && paid === 0) throw this.#refused('paymentWithoutAmount');
    const ourNumber = ourNumberOf(title);
    const { value, dueOn, fee } = title;
    const isKnown = use !== null;
    return {
      lineNumber,
      movement,
      event,
      isKnown,
      ourNumber,
      value,
      dueOn,
      paid,
      fee,
      happenedOn,
      creditedOn,
    };
  }

  #read<R extends RecordLayout>(read: RecordReader<R>, line: string) {
    const { values, faults } = read(line);
    const [fault] = faults;
    if (fault !== undefined) throw this.#refused('field', fault);
    return values;
  }

  #refused(fault: ReturnFileFault, field: FaultOfField | null = null): ReturnFileRefused {
    return new ReturnFileRefused(this.#lineNumber, fault, field);
  }
}

/** Null if the movement has no agreed meaning at this bank. */
function useOf({ bank, movement }: Pick<Title, 'bank' | 'movement'>): MovementUse | null {
  const ofBank = FEBRABAN_BANKS.includes(bank) ? FEBRABAN_MOVEMENTS[movement] : undefined;
  return (CNAB_MOVEMENTS[movement] ?? ofBank)?.use ?? null;
}

function eventOf(use: MovementUse | null, { reasons }: Pick<Title, 'reasons'>): ReturnEntry['event'] {
  if (use === null || use === 'none') return null;
  if (use === 'paid') return 'paid';
  const given = (reasons ?? '').match(/../g) ?? [];
  return given.some((reason) => CNAB_TIME_IS_OVER.includes(reason)) ? 'expired' : 'canceled';
}

/** Ours, or the bank's number if only zeros precede ours: a bank's agreement number has no fixed length. */
function ourNumberOf({ companyUse, bankNumber }: Pick<Title, 'companyUse' | 'bankNumber'>): string | null {
  return /^\d{11}$/.exec(companyUse ?? '')?.[0] ?? /^0*(\d{11})$/.exec(bankNumber ?? '')?.[1] ?? null;
}
