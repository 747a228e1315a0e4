import type { Day } from '../day.ts';
import type { FaultOfField } from '../records/fixed-width.ts';
import type { Sentence } from '../sentence.ts';

/** Amounts in cents; 0: the file does not say. */
export type ReturnEntry = {
  /** From 1; in CNAB 240 that of segment T. */
  readonly lineNumber: number;
  readonly movement: string;
  /** As the bank's manual words it, in Portuguese; null: the bank's table has no such movement. */
  readonly meaning: string | null;
  /** null: nothing changes, or it is not certain what. */
  readonly event: 'paid' | 'canceled' | 'expired' | null;
  /** False: a person has to check it, because the movement is unknown or unclear, or lacks day or amount. */
  readonly isKnown: boolean;
  /** The bank's answer to an instruction of the company's file; null: none. */
  readonly answer: {
    /** `later`: to a write-off or a change; `either`: to any. */
    readonly to: 'register' | 'writeOff' | 'dueDay' | 'later' | 'either';
    readonly isAccepted: boolean;
  } | null;
  /** Codes of two digits, for example why an instruction is refused; at Inter a text. */
  readonly reasons: string | null;
  /** The company's own number, as given to the bank. */
  readonly companyUse: string | null;
  /** As it is written, with whatever the bank puts before and behind the number. */
  readonly bankNumber: string | null;
  /** The digits of the boleto alone, without check digit; null: not sure, or with a wrong check digit. */
  readonly number: string | null;
  readonly documentNumber: string | null;
  readonly value: number;
  readonly dueOn: Day | null;
  readonly paid: number;
  readonly fee: number;
  readonly happenedOn: Day | null;
  readonly creditedOn: Day | null;
};

export type ReturnFileHead = {
  readonly format: 'cnab240' | 'cnab400';
  readonly bank: string;
  readonly bankName: string;
  readonly madeOn: Day;
  readonly sequence: number | null;
};

export type ReturnFileFault =
  | 'unreadable'
  | 'notAReturnFile'
  | 'otherBank'
  | 'otherService'
  | 'tooManyLines'
  | 'lineLength'
  | 'field'
  | 'unexpectedRecord'
  | 'anotherBank'
  | 'direction'
  | 'lotNumber'
  | 'recordNumber'
  | 'lotCount'
  | 'fileCount'
  | 'unpaired'
  | 'movementDiffers'
  | 'noTrailer'
  | 'behindTrailer'
  | 'emptyFile';

/** Nothing of the file counts. */
export class ReturnFileRefused extends Error {
  override readonly name = 'ReturnFileRefused';
  /** From 1; 0: an empty file. */
  readonly lineNumber: number;
  readonly fault: ReturnFileFault;
  readonly field: FaultOfField | null;
  readonly sentence: Sentence;

  constructor(
    lineNumber: number,
    fault: ReturnFileFault,
    sentence: Sentence,
    field: FaultOfField | null = null,
  ) {
    super(`line ${lineNumber}: ${sentence.en}`);
    this.lineNumber = lineNumber;
    this.fault = fault;
    this.field = field;
    this.sentence = sentence;
  }
}

export type ReturnReading = {
  /** null: the line completes no movement. Throws `ReturnFileRefused`. */
  readonly take: (line: string, lineNumber: number) => ReturnEntry | null;
  readonly head: ReturnFileHead | null;
  readonly isEnded: boolean;
};
