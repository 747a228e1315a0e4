import type { RecordValues } from '../layouts/fixed-width.ts';
import { FORMATS } from '../layouts/formats.ts';
import {
  EEVC_BATCH,
  EEVC_BRANCH,
  EEVC_BRANCH_TOTAL,
  EEVC_ECOMMERCE,
  EEVC_HEADER,
  EEVC_INSTALLMENT,
  EEVC_SALE,
  EEVC_SALE_IN_INSTALLMENTS,
  EEVC_TRAILER,
} from '../layouts/rede-eevc-layout.ts';
import { agrees } from './entry-fields.ts';
import type { FileReading } from './file-reading.ts';
import type { Findings } from './findings.ts';
import { type GoodLine, onRecord, type RecordHandler, recordLines } from './record-lines.ts';
import { RedeBatch } from './rede-batch.ts';
import { checkLineCounts, redeHead } from './rede-header.ts';
import { disagrees, notOf, outOfPlace } from './settlement-faults.ts';

const TOTALS = ['gross', 'rejected', 'fee', 'net', 'rejectedCount', 'acceptedCount'] as const;
type Totals = Record<(typeof TOTALS)[number], number>;
const COUNT_DIGITS = 6;
const NO_DIGITS_LOST = 15;

/** Reads the lines of a Rede EEVC. */
export class RedeEevcFile implements FileReading {
  readonly trailer = EEVC_TRAILER.type;
  readonly #findings: Findings;
  readonly #take: (line: string, lineNumber: number) => void;
  readonly #all = noTotals();
  #branch: Totals | null = null;
  #batch: RedeBatch | null = null;
  #branchCount = 0;
  #lineCount = 0;
  #isEnded = false;

  constructor(findings: Findings) {
    this.#findings = findings;
    this.#take = recordLines(FORMATS.redeEevc, this.#handlers(), findings);
  }

  take(line: string, lineNumber: number): void {
    this.#lineCount = lineNumber;
    this.#take(line, lineNumber);
  }

  isEnded(): boolean {
    return this.#isEnded;
  }

  #handlers(): RecordHandler[] {
    return [
      onRecord(EEVC_HEADER, (values, line) => {
        if (line.lineNumber !== 1) this.#findings.fault(line, null, outOfPlace(line.record));
        else this.#findings.head(redeHead('redeEevc', values));
      }),
      onRecord(EEVC_BRANCH, (_values, line) => {
        if (this.#branch !== null) this.#findings.fault(line, null, outOfPlace(line.record));
        this.#branchCount += 1;
        this.#branch = noTotals();
      }),
      onRecord(EEVC_BATCH, (values, line) => {
        this.#closeBatch();
        if (this.#branch === null) this.#findings.fault(line, null, outOfPlace(line.record));
        else this.#batch = new RedeBatch(values, line);
      }),
      onRecord(EEVC_SALE, (values, line) =>
        this.#batchOf(values, line)?.addSale(values, line, this.#findings),
      ),
      onRecord(EEVC_SALE_IN_INSTALLMENTS, (values, line) =>
        this.#batchOf(values, line)?.addSale(values, line, this.#findings),
      ),
      onRecord(EEVC_ECOMMERCE, (values, line) =>
        this.#batchOf(values, line)?.addEcommerce(values, line, this.#findings),
      ),
      onRecord(EEVC_INSTALLMENT, (values, line) =>
        this.#batchOf(values, line)?.addInstallment(values, line, this.#findings),
      ),
      onRecord(EEVC_BRANCH_TOTAL, (values, line) => {
        this.#closeBatch();
        if (this.#branch === null) this.#findings.fault(line, null, outOfPlace(line.record));
        else this.#compare(values, this.#branch, line);
        this.#branch = null;
      }),
      onRecord(EEVC_TRAILER, (values, line) => this.#end(values, line)),
    ];
  }

  #batchOf(
    values: { readonly establishment: string; readonly batch: string },
    line: GoodLine,
  ): RedeBatch | null {
    if (this.#batch === null) this.#findings.fault(line, null, outOfPlace(line.record));
    else if (!this.#batch.isOf(values)) this.#findings.fault(line, 'batch', notOf('batch', EEVC_BATCH.type));
    else return this.#batch;
    return null;
  }

  #closeBatch(): void {
    const batch = this.#batch;
    this.#batch = null;
    if (batch === null) return;
    batch.close(this.#findings);
    for (const totals of this.#branch === null ? [this.#all] : [this.#all, this.#branch]) add(totals, batch);
  }

  #compare(stated: Totals, found: Totals, line: GoodLine): void {
    for (const name of this.#findings.isClean ? TOTALS : []) {
      const digits = name.endsWith('Count') ? COUNT_DIGITS : NO_DIGITS_LOST;
      if (!agrees(stated[name], found[name], digits)) {
        this.#findings.fault(line, name, disagrees(name, stated[name], found[name]));
      }
    }
  }

  #end(values: RecordValues<typeof EEVC_TRAILER>, line: GoodLine): void {
    this.#isEnded = true;
    if (this.#branch !== null) this.#findings.fault(line, null, outOfPlace(line.record));
    this.#closeBatch();
    this.#compare(values, this.#all, line);
    checkLineCounts(
      values,
      { branchCount: this.#branchCount, recordCount: this.#lineCount },
      line,
      this.#findings,
    );
  }
}

function noTotals(): Totals {
  return { gross: 0, rejected: 0, fee: 0, net: 0, rejectedCount: 0, acceptedCount: 0 };
}

function add(totals: Totals, batch: RedeBatch): void {
  totals.gross += batch.gross;
  totals.fee += batch.fee;
  totals.net += batch.net;
  totals.rejected += batch.rejected;
  totals.rejectedCount += batch.rejectedCount;
  totals.acceptedCount += batch.accepted;
}
