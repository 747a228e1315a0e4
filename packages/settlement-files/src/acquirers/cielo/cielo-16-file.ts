import type { SettlementEntry } from '../../entry.ts';
import { bareEntry, keptText, negative, unknownUnder } from '../../records/entry-fields.ts';
import type { FileReading, Findings } from '../../records/findings.ts';
import type { CodeTable, RecordValues } from '../../records/fixed-width.ts';
import type { Format, FormatLayout } from '../../records/format.ts';
import { type GoodLine, onRecord, recordLines } from '../../records/record-lines.ts';
import { checkSums } from './cielo-09-file.ts';
import {
  CIELO_16_HEADER,
  CIELO_16_RECORDS,
  CIELO_16_TRAILER,
  CIELO_PIX_DETAIL,
  PIX_ORIGINS,
  PIX_STATUS,
  PIX_TYPES,
} from './cielo-16-layout.ts';
import { checkRecordCount, takeCieloHeader } from './cielo-file.ts';

const CIELO_16_LAYOUT: FormatLayout = {
  title: 'Cielo 16, v15',
  rules: [
    '0, then 8, then 9. It says which Pix Cielo received, what it kept of each and where the money is.',
    'Nothing is matched to a `notice`, and nothing is booked for it: Pix of this service are compared with their bank, and the Pix (8) in a 04 are left out there.',
  ],
  typeLength: 1,
  longestLine: 1024,
  isTailFree: false,
  records: CIELO_16_RECORDS,
  alike: {},
  leftOut: {},
};

export const CIELO_16: Format<'cielo16'> = {
  ...CIELO_16_LAYOUT,
  format: 'cielo16',
  pays: false,
  isHeader: (line) => line.startsWith('0') && line.slice(42, 49) === 'CIELO16',
  open: (findings) => new Cielo16File(findings),
};

class Cielo16File implements FileReading {
  readonly trailer = CIELO_16_TRAILER.type;
  readonly #findings: Findings;
  readonly #take: (line: string, lineNumber: number) => void;
  #gross = 0;
  #net = 0;
  #lineCount = 0;
  #isEnded = false;

  constructor(findings: Findings) {
    this.#findings = findings;
    const handlers = [
      onRecord(CIELO_16_HEADER, (values, line) => takeCieloHeader('cielo16', values, line, findings)),
      onRecord(CIELO_PIX_DETAIL, (values, line) => this.#addPix(values, line)),
      onRecord(CIELO_16_TRAILER, (values, line) => this.#end(values, line)),
    ];
    this.#take = recordLines(CIELO_16_LAYOUT, handlers, findings);
  }

  take(line: string, lineNumber: number): void {
    this.#lineCount = lineNumber;
    this.#take(line, lineNumber);
  }

  isEnded(): boolean {
    return this.#isEnded;
  }

  #addPix(values: Pix, line: GoodLine): void {
    this.#gross += values.gross;
    this.#net += values.net;
    this.#findings.entry(pixEntry(values, line), line.masked());
  }

  #end(values: RecordValues<typeof CIELO_16_TRAILER>, line: GoodLine): void {
    this.#isEnded = true;
    if (!this.#findings.isClean) return;
    checkRecordCount(values.recordCount, this.#lineCount, line, this.#findings);
    checkSums(values, { gross: this.#gross, net: this.#net }, line, this.#findings);
  }
}

type Pix = RecordValues<typeof CIELO_PIX_DETAIL>;

function pixEntry(values: Pix, line: GoodLine): SettlementEntry {
  const unknown = unknownCodeOf(values);
  return {
    ...bareEntry(line.lineNumber, unknown === null ? 'notice' : 'unknown', values.establishment),
    orderReference: keptText(values.txid),
    tid: keptText(values.endToEndId),
    nsu: values.nsu,
    soldOn: values.soldOn,
    gross: values.gross,
    fee: negative(values.fee),
    net: values.net,
    bankOn: values.paymentDay,
    description: unknown ?? wordsOf(values),
  };
}

const NONE = /^0*$/;

function unknownCodeOf({ pixType, origin, transferStatus }: Pix): string | null {
  const codes: readonly (readonly [code: string, table: CodeTable])[] = [
    [pixType, PIX_TYPES],
    ...(NONE.test(origin) ? [] : [[origin, PIX_ORIGINS] as const]),
    [transferStatus, PIX_STATUS],
  ];
  const unknown = codes.find(([code, table]) => table[code] === undefined);
  return unknown === undefined ? null : unknownUnder(unknown[0], 'Pix');
}

function wordsOf({ pixType, origin, transferStatus }: Pix): string {
  const words = [PIX_TYPES[pixType], PIX_ORIGINS[origin], PIX_STATUS[transferStatus]];
  return words.filter((text) => text !== undefined).join(', ');
}
