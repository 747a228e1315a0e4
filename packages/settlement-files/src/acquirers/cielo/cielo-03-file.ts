import type { EntryKind } from '../../entry.ts';
import { unknownUnder } from '../../records/entry-fields.ts';
import type { FileReading, Findings } from '../../records/findings.ts';
import type { RecordValues } from '../../records/fixed-width.ts';
import type { Format, FormatLayout } from '../../records/format.ts';
import { type GoodLine, onRecord, recordLines } from '../../records/record-lines.ts';
import {
  CIELO_SALES,
  checkRecordCount,
  checkSums,
  cieloEntry,
  ENTRY_SUMS,
  takeCieloHeader,
} from './cielo-file.ts';
import {
  CIELO_03_HEADER,
  CIELO_03_RECORDS,
  CIELO_ENTRY,
  CIELO_ENTRY_TYPES,
  CIELO_TRAILER,
} from './cielo-layout.ts';

const CIELO_03_LAYOUT: FormatLayout = {
  title: 'Cielo 03, v15',
  rules: [
    '0, then E and R, then 9. It says what was captured, and when it is to be paid; the 04 says what is paid.',
    'A sale (`entryType` 01, 02, 03 and 42) is a `sale`, its bank day the `dueDay`; one that Cielo rejected is `unknown`, with `rejection`. Any other entry that is known is left out and counted: the 04 has it on the day on which it is settled.',
  ],
  typeLength: 1,
  longestLine: 1024,
  isTailFree: false,
  records: CIELO_03_RECORDS,
  alike: {},
  leftOut: { R: 'Reserva financeira' },
};

export const CIELO_03: Format<'cielo03'> = {
  ...CIELO_03_LAYOUT,
  format: 'cielo03',
  pays: false,
  isDaily: true,
  isHeader: (line) => line.startsWith('0') && line.slice(42, 49) === 'CIELO03',
  open: (findings) => new Cielo03File(findings),
};

const ANNOUNCED = 'Lançamento previsto que não é venda';
const REJECTED = 'S';

class Cielo03File implements FileReading {
  readonly trailer = CIELO_TRAILER.type;
  readonly #findings: Findings;
  readonly #take: (line: string, lineNumber: number) => void;
  #entryCount = 0;
  #gross = 0;
  #net = 0;
  #lineCount = 0;
  #isEnded = false;

  constructor(findings: Findings) {
    this.#findings = findings;
    const handlers = [
      onRecord(CIELO_03_HEADER, (values, line) => takeCieloHeader('cielo03', values, line, findings)),
      onRecord(CIELO_ENTRY, (values, line) => this.#addEntry(values, line)),
      onRecord(CIELO_TRAILER, (values, line) => this.#end(values, line)),
    ];
    this.#take = recordLines(CIELO_03_LAYOUT, handlers, findings);
  }

  take(line: string, lineNumber: number): void {
    this.#lineCount = lineNumber;
    this.#take(line, lineNumber);
  }

  isEnded(): boolean {
    return this.#isEnded;
  }

  #addEntry(values: RecordValues<typeof CIELO_ENTRY>, line: GoodLine): void {
    this.#entryCount += 1;
    this.#gross += values.gross;
    this.#net += values.net;
    const kind = kindOf(values);
    if (kind === null) {
      this.#findings.leave(ANNOUNCED);
      return;
    }
    const entry = cieloEntry(kind, values, line, this.#findings);
    if (entry === null) return;
    const description = kind === 'unknown' ? wordsOf(values) : null;
    this.#findings.entry({ ...entry, bankOn: values.dueDay, description }, line.masked());
  }

  #end(values: RecordValues<typeof CIELO_TRAILER>, line: GoodLine): void {
    this.#isEnded = true;
    if (!this.#findings.isClean) return;
    checkRecordCount(values.recordCount, this.#lineCount, line, this.#findings);
    const found = { entryCount: this.#entryCount, gross: this.#gross, net: this.#net };
    checkSums(line, values, found, this.#findings, ENTRY_SUMS);
  }
}

type Coded = Pick<RecordValues<typeof CIELO_ENTRY>, 'entryType' | 'rejectedMark' | 'rejection' | 'reason'>;

/** null: the file that pays has the entry. */
function kindOf({ entryType, rejectedMark }: Coded): EntryKind | null {
  if (CIELO_ENTRY_TYPES[entryType] === undefined) return 'unknown';
  if (!CIELO_SALES.has(entryType)) return null;
  return rejectedMark === REJECTED ? 'unknown' : 'sale';
}

function wordsOf({ entryType, rejectedMark, rejection, reason }: Coded): string | null {
  return CIELO_ENTRY_TYPES[entryType] !== undefined && rejectedMark === REJECTED
    ? unknownUnder(rejection, 'venda rejeitada')
    : unknownUnder(entryType, reason);
}
