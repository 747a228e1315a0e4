import type { Day } from '../day.ts';
import type { FaultOfField } from '../records/fixed-width.ts';
import type { Sentence } from '../sentence.ts';

/** Cents; 0 if the file does not say. */
export type ReturnEntry = {
  /** Line number, from 1; of CNAB 240 that of segment T. */
  readonly lineNumber: number;
  readonly movement: string;
  /** Words of the bank's manual, in Portuguese; null if the bank's table has no such movement. */
  readonly meaning: string | null;
  /** Null if nothing changes, or if it is not certain what. */
  readonly event: 'paid' | 'canceled' | 'expired' | null;
  /** False if a person has to look at it: the movement is not known, or unclear, or lacks day or amount. */
  readonly isKnown: boolean;
  /** What the bank says to an instruction of the company's file; null: nothing. */
  readonly answer: {
    /** `later`: to a write-off or a change; `either`: to any. */
    readonly to: 'register' | 'writeOff' | 'dueDay' | 'later' | 'either';
    readonly isAccepted: boolean;
  } | null;
  /** Codes of two digits, such as why an instruction is refused. */
  readonly reasons: string | null;
  /** What the company gave the bank as its own number. */
  readonly companyUse: string | null;
  readonly bankNumber: string | null;
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
  /** From 1; 0 of an empty file. */
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

/** Reads the lines of one file of a bank. */
export type ReturnReading = {
  /** Null if the line completes no movement. Throws `ReturnFileRefused`. */
  readonly take: (line: string, lineNumber: number) => ReturnEntry | null;
  readonly head: ReturnFileHead | null;
  readonly isEnded: boolean;
};
