import type { CardBrand } from '../../card-number.ts';
import type { SettlementEntry } from '../../entry.ts';
import { agrees, bareEntry, keptText, redeBrand, unknownUnder } from '../../records/entry-fields.ts';
import { disagrees, notOf, outOfPlace, tooMany } from '../../records/faults.ts';
import type { FileReading, Findings, Place } from '../../records/findings.ts';
import type { RecordValues } from '../../records/fixed-width.ts';
import type { Format, FormatLayout } from '../../records/format.ts';
import { type GoodLine, onRecord, recordLines } from '../../records/record-lines.ts';
import { redeHead } from './rede-debit.ts';
import {
  EEVD_ALIKE,
  EEVD_BATCH,
  EEVD_BRANCH_TOTAL,
  EEVD_ECOMMERCE,
  EEVD_HEADER,
  EEVD_LEFT_OUT,
  EEVD_RECORDS,
  EEVD_SALE,
  EEVD_TRAILER,
} from './rede-eevd-layout.ts';

const REDE_EEVD_LAYOUT: FormatLayout = {
  title: 'Rede EEVD',
  rules: [
    'Columns are separated by commas; numbers have zeros before them, texts blanks behind them, or a column is shorter. A type may have a zero before it: `011` is `11`. Whatever stands behind the last column is free, up to 1,024 positions.',
    '00 is the first line, 04 the last; the papers do not say how the others follow each other, so that they may stand anywhere, but a 13 at most 10,000 sales behind its 05.',
    'Of a batch (01): `saleCount` is the number of its 05, `gross`, `fee` and `net` are their sums, with or without those whose status is not 01. 04 has the sums of all 01, all 02 together have them, and all 03 together.',
  ],
  typeLength: 2,
  longestLine: 1024,
  isTailFree: true,
  records: EEVD_RECORDS,
  alike: EEVD_ALIKE,
  leftOut: EEVD_LEFT_OUT,
};

export const REDE_EEVD: Format<'redeEevd'> = {
  ...REDE_EEVD_LAYOUT,
  format: 'redeEevd',
  pays: false,
  isHeader: (line) => /^00,.*EEVD\s*(?:,|$)/i.test(line),
  open: (findings) => new RedeEevdFile(findings),
};

const MOST_BATCHES = 100_000;
const MOST_HELD = 20_000;
const WAITING = { pt: 'registros 13 à espera da sua venda', en: 'records 13 await their sale' };
const BATCHES = { pt: 'lotes (RV)', en: 'batches (RV)' };
const ACCEPTED = '01';
const DATED_AHEAD = 'P';

const SUMS = ['gross', 'fee', 'net'] as const;
const LATER_SUMS = { gross: 'laterGross', fee: 'laterFee', net: 'laterNet' } as const;
type Sums = { -readonly [K in (typeof SUMS)[number]]: number };
type Stated = RecordValues<typeof EEVD_BATCH>;
type Totals = RecordValues<typeof EEVD_BRANCH_TOTAL>;
type Held = { entry: SettlementEntry; masked: string; isJoined: boolean };

type Batch = {
  readonly establishment: string;
  readonly number: string;
  /** Of the 01, or of the first line that names the batch. */
  place: Place;
  stated: Stated | null;
  brand: CardBrand | null;
  count: number;
  readonly sums: Sums;
  /** Sales whose status is not known. */
  otherCount: number;
  readonly other: Sums;
  hasUnknownFees: boolean;
  readonly held: Held[];
  /** Sales that await their 13, and 13 that await their sale, by NSU. */
  readonly open: Map<string | null, Held[]>;
  readonly waiting: Map<string | null, Held[]>;
  /** A sale was yielded before a 13 of it came. */
  isYielded: boolean;
};

class RedeEevdFile implements FileReading {
  readonly trailer = EEVD_TRAILER.type;
  readonly #findings: Findings;
  readonly #take: (line: string, lineNumber: number) => void;
  readonly #batches = new Map<string, Batch>();
  /** Batches with sales that are held, the first ones first. */
  readonly #holding = new Set<Batch>();
  readonly #totals: { readonly values: Totals; readonly line: GoodLine }[] = [];
  #heldCount = 0;
  #waitingCount = 0;
  #lineCount = 0;
  #isEnded = false;

  constructor(findings: Findings) {
    this.#findings = findings;
    this.#take = recordLines(
      REDE_EEVD_LAYOUT,
      [
        onRecord(EEVD_HEADER, (values, line) => this.#head(values, line)),
        onRecord(EEVD_BATCH, (values, line) => this.#state(values, line)),
        onRecord(EEVD_SALE, (values, line) => this.#addSale(values, line)),
        onRecord(EEVD_ECOMMERCE, (values, line) => this.#addEcommerce(values, line)),
        onRecord(EEVD_BRANCH_TOTAL, (values, line) => this.#totals.push({ values, line })),
        onRecord(EEVD_TRAILER, (values, line) => this.#end(values, line)),
      ],
      findings,
    );
  }

  take(line: string, lineNumber: number): void {
    this.#lineCount = lineNumber;
    this.#take(line.replace(/^0(?=\d\d,)/, ''), lineNumber);
  }

  isEnded(): boolean {
    return this.#isEnded;
  }

  #head(values: RecordValues<typeof EEVD_HEADER>, line: GoodLine): void {
    if (line.lineNumber !== 1) this.#findings.fault(line, null, outOfPlace(line.record));
    else {
      const { movementDay } = values;
      this.#findings.head({ ...redeHead('redeEevd', values), from: movementDay, to: movementDay });
    }
  }

  #batchOf({ establishment, batch: number }: Pick<Stated, 'establishment' | 'batch'>, place: Place): Batch {
    const key = `${establishment} ${number}`;
    const known = this.#batches.get(key);
    if (known !== undefined) return known;
    const batch: Batch = {
      ...{ establishment, number, place: { lineNumber: place.lineNumber, record: place.record } },
      ...{ stated: null, brand: null, count: 0, sums: noSums(), otherCount: 0, other: noSums() },
      ...{ hasUnknownFees: false, held: [], open: new Map(), waiting: new Map(), isYielded: false },
    };
    if (this.#batches.size === MOST_BATCHES)
      this.#findings.fault(place, null, tooMany(BATCHES, MOST_BATCHES));
    else this.#batches.set(key, batch);
    return batch;
  }

  #state(values: Stated, line: GoodLine): void {
    const batch = this.#batchOf(values, line);
    if (batch.stated !== null) this.#findings.fault(line, 'batch', outOfPlace(line.record));
    batch.stated = values;
    batch.brand = redeBrand(values.brand);
    batch.place = { lineNumber: line.lineNumber, record: line.record };
  }

  #addSale(values: RecordValues<typeof EEVD_SALE>, line: GoodLine): void {
    const batch = this.#batchOf(values, line);
    const isAccepted = values.status === ACCEPTED;
    if (isAccepted) batch.count += 1;
    else batch.otherCount += 1;
    add(isAccepted ? batch.sums : batch.other, values);
    const entry: SettlementEntry = {
      ...saleEntry(values, line),
      ...(isAccepted ? {} : { kind: 'unknown', description: unknownUnder(values.status) }),
      authorizationCode: values.authorizationCode,
      brand: redeBrand(values.brand),
      fee: values.fee,
      net: values.net,
      bankOn: values.creditDay,
    };
    const sale: Held = { entry, masked: line.masked(), isJoined: false };
    const addition = takeFrom(batch.waiting, entry.nsu);
    if (addition === undefined) putInto(batch.open, entry.nsu, sale);
    else {
      this.#waitingCount -= 1;
      join(sale, addition);
    }
    this.#hold(batch, sale);
  }

  #addEcommerce(values: RecordValues<typeof EEVD_ECOMMERCE>, line: GoodLine): void {
    const batch = this.#batchOf(values, line);
    const entry: SettlementEntry = {
      ...saleEntry(values, line),
      tid: values.tid,
      orderReference: keptText(values.orderReference),
    };
    const addition: Held = { entry, masked: line.masked(), isJoined: true };
    const sale = takeFrom(batch.open, entry.nsu);
    if (sale !== undefined) join(sale, addition);
    else if (this.#waitingCount === MOST_HELD) this.#findings.fault(line, null, tooMany(WAITING, MOST_HELD));
    else {
      this.#waitingCount += 1;
      putInto(batch.waiting, entry.nsu, addition);
    }
  }

  #hold(batch: Batch, sale: Held): void {
    batch.held.push(sale);
    this.#holding.add(batch);
    this.#heldCount += 1;
    if (this.#heldCount <= MOST_HELD) return;
    const [oldest = batch] = this.#holding;
    this.#yield(oldest, oldest === batch ? MOST_HELD / 2 : 0);
  }

  /** All sales of the batch but the last ones, whose 13 may be to come. */
  #yield(batch: Batch, kept: number): void {
    const sales = batch.held.splice(0, Math.max(0, batch.held.length - kept));
    this.#heldCount -= sales.length;
    for (const { entry, masked, isJoined } of sales) {
      if (!isJoined) {
        takeFrom(batch.open, entry.nsu);
        batch.isYielded = true;
      }
      const bankOn = entry.bankOn ?? batch.stated?.creditDay ?? null;
      this.#findings.entry({ ...entry, brand: entry.brand ?? batch.brand, bankOn }, masked);
    }
    this.#holding.delete(batch);
    if (batch.held.length > 0) this.#holding.add(batch);
  }

  /** A sale that only its 13 reports has no fee. */
  #yieldLast(batch: Batch): void {
    for (const addition of [...batch.waiting.values()].flat()) {
      const { lineNumber, gross } = addition.entry;
      const record = EEVD_ECOMMERCE.type;
      if (batch.isYielded) this.#findings.fault({ lineNumber, record }, null, outOfPlace(record));
      batch.held.push(addition);
      this.#heldCount += 1;
      batch.count += 1;
      batch.sums.gross += gross;
      batch.hasUnknownFees = true;
    }
    this.#yield(batch, 0);
  }

  #end(values: RecordValues<typeof EEVD_TRAILER>, line: GoodLine): void {
    this.#isEnded = true;
    for (const batch of this.#batches.values()) this.#yieldLast(batch);
    for (const batch of this.#findings.isClean ? this.#batches.values() : [])
      checkBatch(batch, this.#findings);
    const stated = [...this.#batches.values()].flatMap((batch) => batch.stated ?? []);
    for (const record of ['02', '03']) {
      const own = this.#totals.filter((total) => total.line.record === record);
      const last = own.at(-1);
      if (last === undefined) continue;
      const sums = summed(own.map((total) => total.values));
      this.#compare({ ...last.values, ...sums }, stated, last.line, BRANCH_DIGITS);
    }
    this.#compare(values, stated, line, TRAILER_DIGITS);
    if (!this.#findings.isClean || agrees(values.recordCount, this.#lineCount, TRAILER_DIGITS)) return;
    this.#findings.fault(line, 'recordCount', disagrees('recordCount', values.recordCount, this.#lineCount));
  }

  #compare(totals: Totals, stated: readonly Stated[], line: GoodLine, digits: number): void {
    if (!this.#findings.isClean) return;
    const say = (name: string, said: number, found: number) =>
      this.#findings.fault(line, name, disagrees(name, said, found));
    const sales = stated.reduce((sum, { saleCount }) => sum + saleCount, 0);
    const counts = [
      ['batchCount', stated.length, digits],
      ['saleCount', sales, TRAILER_DIGITS],
    ] as const;
    for (const [name, found, of] of counts) {
      if (!agrees(totals[name] % 10 ** of, found, of)) say(name, totals[name], found);
    }
    for (const name of SUMS) {
      const all = stated.reduce((sum, batch) => sum + batch[name], 0);
      const later = stated.reduce((sum, one) => sum + (one.batchType === DATED_AHEAD ? one[name] : 0), 0);
      if (totals[name] !== all && totals[name] !== all - later) say(name, totals[name], all);
      const laterName = LATER_SUMS[name];
      if (totals[laterName] !== later) say(laterName, totals[laterName], later);
    }
  }
}

const BRANCH_DIGITS = 3;
const TRAILER_DIGITS = 6;

function noSums(): Sums {
  return { gross: 0, fee: 0, net: 0 };
}

function add(sums: Sums, values: Readonly<Sums>): void {
  for (const name of SUMS) sums[name] += values[name];
}

const SUMMED = ['batchCount', 'saleCount', ...SUMS, ...Object.values(LATER_SUMS)] as const;

function summed(totals: readonly Totals[]): Pick<Totals, (typeof SUMMED)[number]> {
  const sumOf = (name: (typeof SUMMED)[number]) => totals.reduce((sum, total) => sum + total[name], 0);
  return Object.fromEntries(SUMMED.map((name) => [name, sumOf(name)])) as Pick<
    Totals,
    (typeof SUMMED)[number]
  >;
}

function saleEntry(
  values: RecordValues<typeof EEVD_SALE> | RecordValues<typeof EEVD_ECOMMERCE>,
  line: GoodLine,
): SettlementEntry {
  return {
    ...bareEntry(line.lineNumber, 'sale', values.establishment),
    nsu: values.nsu,
    cardLastFour: values.card,
    soldOn: values.soldOn,
    installmentNumber: 1,
    installmentCount: 1,
    gross: values.gross,
    batch: values.batch,
  };
}

function putInto(all: Map<string | null, Held[]>, nsu: string | null, one: Held): void {
  const alike = all.get(nsu);
  if (alike === undefined) all.set(nsu, [one]);
  else alike.push(one);
}

/** The first one. */
function takeFrom(all: Map<string | null, Held[]>, nsu: string | null): Held | undefined {
  const alike = all.get(nsu);
  const one = alike?.shift();
  if (alike?.length === 0) all.delete(nsu);
  return one;
}

function join(sale: Held, { entry: { tid, orderReference }, masked }: Held): void {
  sale.entry = { ...sale.entry, tid, orderReference };
  sale.masked += `\n${masked}`;
  sale.isJoined = true;
}

function checkBatch(batch: Batch, findings: Findings): void {
  const { place, stated, count, otherCount, sums, other, hasUnknownFees } = batch;
  if (stated === null) {
    findings.fault(place, 'batch', notOf('batch', EEVD_BATCH.type));
    return;
  }
  const parts = [
    ['saleCount', count, otherCount],
    ['gross', sums.gross, other.gross],
    ...(hasUnknownFees
      ? []
      : ([
          ['fee', sums.fee, other.fee],
          ['net', sums.net, other.net],
        ] as const)),
  ] as const;
  for (const [name, found, rest] of parts) {
    const said = stated[name];
    if (said !== found && said !== found + rest) findings.fault(place, name, disagrees(name, said, found));
  }
}
