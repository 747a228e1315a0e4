import type { Day } from '../../day.ts';
import { bareEntry, cieloBrand, negative } from '../../records/entry-fields.ts';
import { disagrees, NO_ACCOUNT, outOfPlace } from '../../records/faults.ts';
import type { FileReading, Findings, Place } from '../../records/findings.ts';
import type { RecordValues } from '../../records/fixed-width.ts';
import type { Format, FormatLayout } from '../../records/format.ts';
import { type GoodLine, onRecord, recordLines } from '../../records/record-lines.ts';
import {
  CIELO_15_HEADER,
  CIELO_15_RECORDS,
  CIELO_15_TRAILER,
  CIELO_NEGOTIATED_UNIT,
  CIELO_NEGOTIATION,
  CIELO_NEGOTIATION_ACCOUNT,
} from './cielo-15-layout.ts';
import { checkSums, takeCieloHeader, UNIT_SUMS } from './cielo-file.ts';

const CIELO_15_LAYOUT: FormatLayout = {
  title: 'Cielo 15, v15',
  rules: [
    '0, then A, each with its B and then its one C, then 9. It says which receivable units were negotiated, and for how much.',
    '`gross` and `net` of an A are the sums of its B. Nothing is matched to a `notice`, and nothing is booked for it: what a negotiation does to each sale comes in the 04 (`entryType` 11, and 49 to 54).',
  ],
  typeLength: 1,
  longestLine: 1024,
  isTailFree: false,
  records: CIELO_15_RECORDS,
  alike: {},
  leftOut: { R: 'Reserva financeira' },
};

export const CIELO_15: Format<'cielo15'> = {
  ...CIELO_15_LAYOUT,
  format: 'cielo15',
  pays: false,
  isDaily: false,
  isHeader: (line) => line.startsWith('0') && line.slice(42, 49) === 'CIELO15',
  open: (findings) => new Cielo15File(findings),
};

type Negotiation = {
  readonly place: Place;
  readonly number: string;
  readonly paymentDay: Day | null;
  readonly stated: { readonly gross: number; readonly net: number };
  gross: number;
  net: number;
  hasAccount: boolean;
};

class Cielo15File implements FileReading {
  readonly trailer = CIELO_15_TRAILER.type;
  readonly #findings: Findings;
  readonly #take: (line: string, lineNumber: number) => void;
  #negotiation: Negotiation | null = null;
  #negotiated = 0;
  #lineCount = 0;
  #isEnded = false;

  constructor(findings: Findings) {
    this.#findings = findings;
    const handlers = [
      onRecord(CIELO_15_HEADER, (values, line) => takeCieloHeader('cielo15', values, line, findings)),
      onRecord(CIELO_NEGOTIATION, (values, line) => this.#open(values, line)),
      onRecord(CIELO_NEGOTIATED_UNIT, (values, line) => this.#addUnit(values, line)),
      onRecord(CIELO_NEGOTIATION_ACCOUNT, (_values, line) => this.#addAccount(line)),
      onRecord(CIELO_15_TRAILER, (values, line) => this.#end(values, line)),
    ];
    this.#take = recordLines(CIELO_15_LAYOUT, handlers, findings);
  }

  take(line: string, lineNumber: number): void {
    this.#lineCount = lineNumber;
    this.#take(line, lineNumber);
  }

  isEnded(): boolean {
    return this.#isEnded;
  }

  #open(values: RecordValues<typeof CIELO_NEGOTIATION>, line: GoodLine): void {
    this.#close();
    const { negotiation: number, paymentDay, gross, net } = values;
    this.#negotiated += net;
    const place = { lineNumber: line.lineNumber, record: line.record };
    this.#negotiation = {
      ...{ place, number, paymentDay, stated: { gross, net } },
      ...{ gross: 0, net: 0, hasAccount: false },
    };
  }

  #addUnit(values: RecordValues<typeof CIELO_NEGOTIATED_UNIT>, line: GoodLine): void {
    const negotiation = this.#negotiation;
    if (negotiation === null || negotiation.hasAccount) {
      this.#findings.fault(line, null, outOfPlace(line.record));
      return;
    }
    negotiation.gross += values.gross;
    negotiation.net += values.net;
    const [year, month, day] = values.dueDay.split('-');
    const entry = {
      ...bareEntry(line.lineNumber, 'notice', values.establishment),
      brand: cieloBrand(values.brand),
      gross: values.gross,
      net: values.net,
      anticipationFee: negative(values.discount),
      bankOn: negotiation.paymentDay,
      document: negotiation.number,
      description: `UR negociada, que venceria em ${day}/${month}/${year}`,
    };
    this.#findings.entry(entry, line.masked());
  }

  #addAccount(line: GoodLine): void {
    const negotiation = this.#negotiation;
    if (negotiation === null || negotiation.hasAccount)
      this.#findings.fault(line, null, outOfPlace(line.record));
    else negotiation.hasAccount = true;
  }

  #close(): void {
    const negotiation = this.#negotiation;
    if (negotiation === null || !this.#findings.isClean) return;
    if (!negotiation.hasAccount) this.#findings.fault(negotiation.place, null, NO_ACCOUNT);
    checkSums(negotiation.place, negotiation.stated, negotiation, this.#findings, UNIT_SUMS);
  }

  #end(values: RecordValues<typeof CIELO_15_TRAILER>, line: GoodLine): void {
    this.#isEnded = true;
    this.#close();
    if (!this.#findings.isClean) return;
    const { recordCount } = values;
    const negotiated = signedCents(values.negotiated);
    const inner = this.#lineCount - 2;
    // If the count has header and trailer in it, only the sum tells of a negotiation that is cut out.
    const isWhole = negotiated !== 0 && negotiated === this.#negotiated;
    if (recordCount === inner || (isWhole && recordCount === this.#lineCount)) return;
    this.#findings.fault(line, 'recordCount', disagrees('recordCount', recordCount, inner));
  }
}

/** 0: it is not said. */
function signedCents(text: string | null): number {
  return /^[+-]\d+$/.test(text ?? '') ? Number(text) : 0;
}
