import { bareEntry, cieloBrand, unknownUnder } from '../../records/entry-fields.ts';
import { disagrees } from '../../records/faults.ts';
import type { FileReading, Findings } from '../../records/findings.ts';
import type { RecordValues } from '../../records/fixed-width.ts';
import type { Format, FormatLayout } from '../../records/format.ts';
import { type GoodLine, onRecord, recordLines } from '../../records/record-lines.ts';
import { checkRecordCount, takeCieloHeader } from './cielo-file.ts';
import {
  CIELO_09_HEADER,
  CIELO_09_RECORDS,
  CIELO_09_TRAILER,
  CIELO_ENTRY_TYPES,
  CIELO_PAYMENT_STATUS,
  CIELO_UNIT,
} from './cielo-layout.ts';

const CIELO_09_LAYOUT: FormatLayout = {
  title: 'Cielo 09, v15',
  rules: [
    '0, then D, then 9. It is the picture of a day: which receivable units are still to be paid.',
    'Each D is a `notice`, or `unknown` under a status or a type that is not known. Nothing is matched to it, and nothing is booked for it: what is paid comes in the 04.',
  ],
  typeLength: 1,
  longestLine: 1024,
  isTailFree: false,
  records: CIELO_09_RECORDS,
  alike: {},
  leftOut: { E: 'Lançamento' },
};

export const CIELO_09: Format<'cielo09'> = {
  ...CIELO_09_LAYOUT,
  format: 'cielo09',
  pays: false,
  isHeader: (line) => line.startsWith('0') && line.slice(42, 49) === 'CIELO09',
  open: (findings) => new Cielo09File(findings),
};

class Cielo09File implements FileReading {
  readonly trailer = CIELO_09_TRAILER.type;
  readonly #findings: Findings;
  readonly #take: (line: string, lineNumber: number) => void;
  #gross = 0;
  #net = 0;
  #lineCount = 0;
  #isEnded = false;

  constructor(findings: Findings) {
    this.#findings = findings;
    const handlers = [
      onRecord(CIELO_09_HEADER, (values, line) => takeCieloHeader('cielo09', values, line, findings)),
      onRecord(CIELO_UNIT, (values, line) => this.#addUnit(values, line)),
      onRecord(CIELO_09_TRAILER, (values, line) => this.#end(values, line)),
    ];
    this.#take = recordLines(CIELO_09_LAYOUT, handlers, findings);
  }

  take(line: string, lineNumber: number): void {
    this.#lineCount = lineNumber;
    this.#take(line, lineNumber);
  }

  isEnded(): boolean {
    return this.#isEnded;
  }

  #addUnit(values: RecordValues<typeof CIELO_UNIT>, line: GoodLine): void {
    const { establishment, brand, gross, net, unit, paymentDay, dueDay } = values;
    this.#gross += gross;
    this.#net += net;
    const unknown = unknownCodeOf(values);
    const entry = {
      ...bareEntry(line.lineNumber, unknown === null ? 'notice' : 'unknown', establishment),
      brand: cieloBrand(brand),
      gross,
      fee: gross - net,
      net,
      bankOn: paymentDay ?? dueDay,
      receivableUnit: unit,
      description: unknown ?? 'UR em aberto',
    } as const;
    this.#findings.entry(entry, line.masked());
  }

  #end(values: RecordValues<typeof CIELO_09_TRAILER>, line: GoodLine): void {
    this.#isEnded = true;
    if (!this.#findings.isClean) return;
    checkRecordCount(values.recordCount, this.#lineCount, line, this.#findings);
    checkSums(values, { gross: this.#gross, net: this.#net }, line, this.#findings);
  }
}

type Sums = { readonly gross: number; readonly net: number };

/** What the trailer says against what the lines come to. */
export function checkSums(stated: Sums, found: Sums, line: GoodLine, findings: Findings): void {
  for (const name of ['gross', 'net'] as const) {
    if (stated[name] !== found[name]) findings.fault(line, name, disagrees(name, stated[name], found[name]));
  }
}

type Coded = Pick<RecordValues<typeof CIELO_UNIT>, 'entryType' | 'paymentStatus'>;

function unknownCodeOf({ entryType, paymentStatus }: Coded): string | null {
  if (CIELO_ENTRY_TYPES[entryType] === undefined) return unknownUnder(entryType);
  return CIELO_PAYMENT_STATUS[paymentStatus] === undefined ? unknownUnder(paymentStatus) : null;
}
