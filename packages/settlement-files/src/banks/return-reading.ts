import { FORMATS } from '../formats.ts';
import { OTHER_FILES } from '../other-files.ts';
import { BlankLines } from '../records/blank-lines.ts';
import type { Format } from '../records/format.ts';
import { isNothing } from '../text-lines.ts';
import { bankNamed, bankText } from './banks.ts';
import { Cnab240File } from './cnab240-file.ts';
import { Cnab400File } from './cnab400-file.ts';
import {
  type ReturnEntry,
  type ReturnFileHead,
  ReturnFileRefused,
  type ReturnReading,
} from './return-entry.ts';
import {
  refuseControl,
  refused,
  refusedAcquirersFile,
  refusedBank,
  refusedCollectedBills,
  refusedPreCheck,
  refusedRemittance,
} from './return-faults.ts';
import { BANK_OF_240, BANK_OF_400, is240, is400, isReturnHeader } from './return-header.ts';

function readingOf(line: string): ReturnReading {
  if (is240(line)) {
    const bank = bankNamed(line.slice(...BANK_OF_240));
    if (line[142] === '1') throw refusedRemittance();
    if (/[345]/.test(line[142] ?? '')) throw refusedPreCheck();
    if (bank?.cnab240 !== undefined) return new Cnab240File(bank, bank.cnab240);
    throw refusedBank('CNAB 240', bankText(line.slice(...BANK_OF_240)));
  }
  if (is400(line)) {
    if (line[1] === '1') throw refusedRemittance();
    const bank = bankNamed(line.slice(...BANK_OF_400));
    if (bank?.cnab400 !== undefined) return new Cnab400File(bank, bank.cnab400);
    throw refusedBank('CNAB 400', bankText(line.slice(...BANK_OF_400)));
  }
  if (/^A[12]/.test(line) && line.trimEnd().length <= 150) throw refusedCollectedBills();
  const formats: readonly Pick<Format, 'title' | 'isHeader'>[] = [...FORMATS, ...OTHER_FILES];
  const format = formats.find(({ isHeader }) => isHeader(line));
  throw format === undefined ? refused(1, 'notAReturnFile') : refusedAcquirersFile(format.title);
}

/** More than a bank sends in a day. */
const MOST_LINES = 5_000_000;

/** For return files of any bank in `BANKS`. */
export class ReturnFileReader {
  readonly #blanks = new BlankLines();
  #reading: ReturnReading | null = null;
  #recordNumber = 0;

  get head(): ReturnFileHead | null {
    return this.#reading?.head ?? null;
  }

  take(line: string): ReturnEntry | null {
    if (isNothing(line)) {
      this.#blanks.add(this.#recordNumber);
      return null;
    }
    const entry = this.#placed(() => this.#takeRecord(line));
    return entry && { ...entry, lineNumber: this.#blanks.lineOf(entry.lineNumber) };
  }

  #takeRecord(line: string): ReturnEntry | null {
    this.#recordNumber += 1;
    if (this.#reading?.isEnded === true) throw refused(this.#recordNumber, 'behindTrailer');
    if (this.#recordNumber > MOST_LINES) throw refused(this.#recordNumber, 'tooManyLines');
    if (this.#reading !== null || isReturnHeader(line)) refuseControl(this.#recordNumber, line.trimEnd());
    this.#reading ??= readingOf(line);
    return this.#reading.take(line, this.#recordNumber);
  }

  /** Readers count records, people count lines. */
  #placed<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ReturnFileRefused)) throw error;
      const { lineNumber, fault, sentence, field } = error;
      throw new ReturnFileRefused(this.#blanks.lineOf(lineNumber), fault, sentence, field);
    }
  }

  /** Throws `ReturnFileRefused` if the file is not complete. */
  end(): { readonly head: ReturnFileHead; readonly lineCount: number } {
    return this.#placed(() => {
      const head = this.#reading?.head ?? null;
      if (head === null) throw refused(this.#recordNumber, 'emptyFile');
      if (this.#reading?.isEnded !== true) throw refused(this.#recordNumber, 'noTrailer');
      return { head, lineCount: this.#recordNumber };
    });
  }
}
