import type { CardBrand } from '../../card-number.ts';
import type { Day } from '../../day.ts';
import type { SettlementEntry } from '../../entry.ts';
import { agrees, bareEntry, keptText, redeBrand, unknownUnder } from '../../records/entry-fields.ts';
import { disagrees, notOf, outOfPlace, tooMany } from '../../records/faults.ts';
import type { FileReading, Findings, Place } from '../../records/findings.ts';
import type { RecordValues } from '../../records/fixed-width.ts';
import type { Format, FormatLayout } from '../../records/format.ts';
import { type GoodLine, onRecord, type RecordHandler, recordLines } from '../../records/record-lines.ts';
import { checkLineCounts, redeHead } from './rede-debit.ts';
import {
  EEVC_ALIKE,
  EEVC_BATCH,
  EEVC_BRANCH,
  EEVC_BRANCH_TOTAL,
  EEVC_ECOMMERCE,
  EEVC_HEADER,
  EEVC_INSTALLMENT,
  EEVC_LEFT_OUT,
  EEVC_RECORDS,
  EEVC_SALE,
  EEVC_SALE_IN_INSTALLMENTS,
  EEVC_TRAILER,
  REDE_RULES,
} from './rede-eevc-layout.ts';

const TOTALS = ['gross', 'rejected', 'fee', 'net', 'rejectedCount', 'acceptedCount'] as const;
type Totals = Record<(typeof TOTALS)[number], number>;
const COUNT_DIGITS = 6;
const NO_DIGITS_LOST = 15;

const REDE_EEVC_LAYOUT: FormatLayout = {
  title: 'Rede EEVC',
  rules: [
    ...REDE_RULES,
    '002, then head offices, then 028. A head office is 004, its batches, then 026. A batch is 006 with its 008 and 034, or 010 with its 012, its 035 and then its 014.',
    'Of a batch: `saleCount` is that of its accepted sales, `gross`, `fee` and `net` are their sums; `gross`, `fee` and `net` of the 014 of a batch, where there are any, add up to those of the batch too.',
  ],
  typeLength: 3,
  longestLine: 1024,
  isTailFree: true,
  records: EEVC_RECORDS,
  alike: EEVC_ALIKE,
  leftOut: EEVC_LEFT_OUT,
};

export const REDE_EEVC: Format<'redeEevc'> = {
  ...REDE_EEVC_LAYOUT,
  format: 'redeEevc',
  pays: false,
  isDaily: true,
  isHeader: (line) => line.startsWith('002') && /EEVC *$/i.test(line.slice(101, 121)),
  open: (findings) => new RedeEevcFile(findings),
};

class RedeEevcFile implements FileReading {
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
    this.#take = recordLines(REDE_EEVC_LAYOUT, this.#handlers(), findings);
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

/** A batch's count of sales has five digits. */
const MOST_LINES = 200_000;
const LINES = { pt: 'linhas em um lote (RV)', en: 'lines in a batch (RV)' };
const DOLLAR = '022';
const ACCEPTED = '000';
const NUMBER = /^\d{3}$/;

type Sums = { gross: number; fee: number; net: number };
type Held = { entry: SettlementEntry; masked: string; isJoined: boolean };

/** Holds a batch until its end, because TID and order number of a sale come on a later line. */
class RedeBatch {
  readonly establishment: string;
  readonly number: string;
  readonly gross: number;
  readonly fee: number;
  readonly net: number;
  accepted = 0;
  rejectedCount = 0;
  rejected = 0;
  readonly #place: Place;
  readonly #stated: RecordValues<typeof EEVC_BATCH>;
  readonly #brand: CardBrand | null;
  readonly #creditDay: Day | null;
  readonly #sales: Held[] = [];
  readonly #salesByKey = new Map<string, Held[]>();
  readonly #additions: Held[] = [];
  readonly #schedule: Held[] = [];
  readonly #sums: Sums = { gross: 0, fee: 0, net: 0 };
  readonly #scheduled: Sums = { gross: 0, fee: 0, net: 0 };
  #hasUnknownFees = false;
  #lines = 0;

  constructor(values: RecordValues<typeof EEVC_BATCH>, line: GoodLine) {
    this.establishment = values.establishment;
    this.number = values.batch;
    this.gross = values.gross;
    this.fee = values.fee;
    this.net = values.net;
    this.#place = { lineNumber: line.lineNumber, record: line.record };
    this.#stated = values;
    this.#brand = redeBrand(values.brand);
    this.#creditDay = values.creditDay;
  }

  isOf({ establishment, batch }: { readonly establishment: string; readonly batch: string }): boolean {
    return establishment === this.establishment && batch === this.number;
  }

  #holds(line: Place, findings: Findings): boolean {
    this.#lines += 1;
    if (this.#lines === MOST_LINES) findings.fault(line, null, tooMany(LINES, MOST_LINES));
    return this.#lines < MOST_LINES;
  }

  addSale(
    values: RecordValues<typeof EEVC_SALE> | RecordValues<typeof EEVC_SALE_IN_INSTALLMENTS>,
    line: GoodLine,
    findings: Findings,
  ): void {
    if (!this.#holds(line, findings)) return;
    const isAccepted = values.status === ACCEPTED;
    if (isAccepted) {
      this.accepted += 1;
      addTo(this.#sums, values);
    } else {
      this.rejectedCount += 1;
      this.rejected += values.gross;
      if (NUMBER.test(values.status)) return;
    }
    const count = 'installmentCount' in values ? Math.max(values.installmentCount, 1) : 1;
    const entry: SettlementEntry = {
      ...this.#saleEntry(values, line, count),
      ...(isAccepted ? {} : { kind: 'unknown', description: unknownUnder(values.status) }),
      brand: redeBrand(values.brand) ?? this.#brand,
      fee: values.fee,
      net: values.net,
    };
    const sale = { entry, masked: line.masked(), isJoined: false };
    this.#sales.push(sale);
    const alike = this.#salesByKey.get(keyOf(values));
    if (alike === undefined) this.#salesByKey.set(keyOf(values), [sale]);
    else alike.push(sale);
  }

  addEcommerce(values: RecordValues<typeof EEVC_ECOMMERCE>, line: GoodLine, findings: Findings): void {
    if (!this.#holds(line, findings)) return;
    const entry: SettlementEntry = {
      ...this.#saleEntry(values, line, line.record === '034' ? 1 : null),
      tid: values.tid,
      orderReference: keptText(values.orderReference),
      brand: this.#brand,
    };
    this.#additions.push({ entry, masked: line.masked(), isJoined: true });
  }

  addInstallment(values: RecordValues<typeof EEVC_INSTALLMENT>, line: GoodLine, findings: Findings): void {
    if (!this.#holds(line, findings)) return;
    addTo(this.#scheduled, values);
    const entry: SettlementEntry = {
      ...bareEntry(line.lineNumber, 'schedule', values.establishment),
      brand: this.#brand,
      installmentNumber: values.installmentNumber,
      gross: values.gross,
      fee: values.fee,
      net: values.net,
      bankOn: values.creditDay,
      batch: values.batch,
    };
    this.#schedule.push({ entry, masked: line.masked(), isJoined: true });
  }

  #saleEntry(
    values: {
      readonly soldOn: Day;
      readonly gross: number;
      readonly nsu: string | null;
      readonly authorizationCode: string | null;
      readonly card: string | null;
    },
    line: GoodLine,
    count: number | null,
  ): SettlementEntry {
    return {
      ...bareEntry(line.lineNumber, 'sale', this.establishment),
      nsu: values.nsu,
      authorizationCode: values.authorizationCode,
      cardLastFour: values.card,
      soldOn: values.soldOn,
      installmentNumber: count === 1 ? 1 : null,
      installmentCount: count,
      gross: values.gross,
      bankOn: count === 1 ? this.#creditDay : null,
      batch: this.number,
    };
  }

  close(findings: Findings): void {
    this.#join();
    if (this.#place.record !== DOLLAR) this.#check(findings);
    for (const { entry, masked } of [...this.#sales, ...this.#schedule]) findings.entry(entry, masked);
  }

  #join(): void {
    for (const addition of this.#additions) {
      const alike = this.#salesByKey.get(keyOf(addition.entry)) ?? [];
      const sale = alike.find(({ isJoined }) => !isJoined);
      if (sale === undefined) this.#addAlone(addition);
      else {
        const { tid, orderReference } = addition.entry;
        sale.entry = { ...sale.entry, tid, orderReference };
        sale.masked += `\n${addition.masked}`;
        sale.isJoined = true;
      }
    }
  }

  /** A sale that only the e-commerce record reports has no fee. */
  #addAlone(sale: Held): void {
    this.#sales.push(sale);
    this.accepted += 1;
    this.#sums.gross += sale.entry.gross;
    this.#hasUnknownFees = true;
  }

  #check(findings: Findings): void {
    if (!findings.isClean) return;
    const say = (field: string, stated: number, found: number) =>
      findings.fault(this.#place, field, disagrees(field, stated, found));
    const { saleCount, gross, fee, net } = this.#stated;
    const { accepted, rejected } = this;
    const sums = this.#sums;
    if (saleCount !== accepted) say('saleCount', saleCount, accepted);
    if (gross !== sums.gross && gross !== sums.gross + rejected) say('gross', gross, sums.gross);
    if (!this.#hasUnknownFees) {
      if (fee !== sums.fee) say('fee', fee, sums.fee);
      if (net !== sums.net) say('net', net, sums.net);
    }
    if (this.#schedule.length === 0) return;
    for (const name of ['gross', 'fee', 'net'] as const) {
      if (this.#scheduled[name] !== this.#stated[name]) say(name, this.#stated[name], this.#scheduled[name]);
    }
  }
}

function keyOf({
  nsu,
  authorizationCode,
}: {
  readonly nsu: string | null;
  readonly authorizationCode: string | null;
}): string {
  return `${nsu} ${authorizationCode}`;
}

function addTo(sums: Sums, { gross, fee, net }: { gross: number; fee: number; net: number }): void {
  sums.gross += gross;
  sums.fee += fee;
  sums.net += net;
}
