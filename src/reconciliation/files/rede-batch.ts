import type { CardBrand } from '../../values/card-number.ts';
import type { Day } from '../../values/instant.ts';
import type { RecordValues } from '../layouts/fixed-width.ts';
import type {
  EEVC_BATCH,
  EEVC_ECOMMERCE,
  EEVC_INSTALLMENT,
  EEVC_SALE,
  EEVC_SALE_IN_INSTALLMENTS,
} from '../layouts/rede-eevc-layout.ts';
import type { SettlementEntry } from '../settlement-entry.ts';
import { bareEntry, keptText, redeBrand, unknownUnder } from './entry-fields.ts';
import type { Findings, Place } from './findings.ts';
import type { GoodLine } from './record-lines.ts';
import { disagrees, tooMany } from './settlement-faults.ts';

/** The field that counts the sales of a batch has five digits. */
const MOST_LINES = 200_000;
const LINES = { pt: 'linhas em um lote (RV)', en: 'lines in a batch (RV)' };
const DOLLAR = '022';
const ACCEPTED = '000';
const NUMBER = /^\d{3}$/;

type Sums = { gross: number; fee: number; net: number };
type Held = { entry: SettlementEntry; masked: string; isJoined: boolean };

/**
 * A batch of EEVC while its lines come: it is held until its end, since TID and order number of a sale
 * stand on another line of it.
 */
export class RedeBatch {
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

  /** False when the batch has more lines than one can have. */
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

  /** Gives out the entries of the batch, unless what its header says is not what they come to. */
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

  /** A sale that only e-commerce reports is accepted, and its fee is nowhere. */
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
