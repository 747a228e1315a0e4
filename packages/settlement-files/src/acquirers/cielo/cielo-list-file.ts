import type { FileReading, Findings } from '../../records/findings.ts';
import type { RecordLayout, RecordValues } from '../../records/fixed-width.ts';
import type { FormatLayout } from '../../records/format.ts';
import { type GoodLine, onRecord, recordLines } from '../../records/record-lines.ts';
import type { CIELO_16_HEADER } from './cielo-16-layout.ts';
import { checkRecordCount, checkSums, takeCieloHeader, UNIT_SUMS } from './cielo-file.ts';
import { type CIELO_09_HEADER, CIELO_09_TRAILER } from './cielo-layout.ts';

type Sums = { readonly gross: number; readonly net: number };

/** Between header and trailer lines of one record, whose sums the trailer has. */
export class CieloListFile<R extends RecordLayout> implements FileReading {
  readonly trailer = CIELO_09_TRAILER.type;
  readonly #findings: Findings;
  readonly #take: (line: string, lineNumber: number) => void;
  #gross = 0;
  #net = 0;
  #lineCount = 0;
  #isEnded = false;

  constructor(
    format: 'cielo09' | 'cielo16',
    layout: FormatLayout,
    [header, record]: readonly [typeof CIELO_09_HEADER | typeof CIELO_16_HEADER, R],
    take: (values: RecordValues<R> & Sums, line: GoodLine, findings: Findings) => void,
    findings: Findings,
  ) {
    this.#findings = findings;
    const handlers = [
      onRecord(header, (values, line) => takeCieloHeader(format, values, line, findings)),
      onRecord(record, (read, line) => {
        const values = read as RecordValues<R> & Sums;
        this.#gross += values.gross;
        this.#net += values.net;
        take(values, line, findings);
      }),
      onRecord(CIELO_09_TRAILER, (values, line) => this.#end(values, line)),
    ];
    this.#take = recordLines(layout, handlers, findings);
  }

  take(line: string, lineNumber: number): void {
    this.#lineCount = lineNumber;
    this.#take(line, lineNumber);
  }

  isEnded(): boolean {
    return this.#isEnded;
  }

  #end(values: RecordValues<typeof CIELO_09_TRAILER>, line: GoodLine): void {
    this.#isEnded = true;
    if (!this.#findings.isClean) return;
    checkRecordCount(values.recordCount, this.#lineCount, line, this.#findings);
    checkSums(line, values, { gross: this.#gross, net: this.#net }, this.#findings, UNIT_SUMS);
  }
}
