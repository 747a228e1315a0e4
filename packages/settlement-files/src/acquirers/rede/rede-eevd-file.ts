import type { CardBrand } from '../../card-number.ts';
import type { Day } from '../../day.ts';
import { agrees, bareEntry, redeBrand, unknownUnder } from '../../records/entry-fields.ts';
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
  EEVD_HEADER,
  EEVD_LEFT_OUT,
  EEVD_RECORDS,
  EEVD_SALE,
  EEVD_TRAILER,
} from './rede-eevd-layout.ts';

const REDE_EEVD_LAYOUT: FormatLayout = {
  title: 'Rede EEVD',
  rules: [
    'Columns are separated by commas; numbers have zeros before them, texts blanks behind them, or a column is shorter. A type may have a zero before it: `011` is `11`. Where all columns are full, a text may have commas, and whatever stands behind the last one is free, up to 1,024 positions; where one is shorter there are no more columns than these, but for as many blank ones as end the header, or as fill the line up to the columns of the header.',
    '00 is the first line, 04 the last; the papers do not say how the others follow each other, so that they may stand anywhere.',
    'Each 05 is a `notice`: sales by debit are none of this service, so that nothing is matched to them, and nothing is booked for them.',
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
  isDaily: true,
  isHeader: (line) => /^0?00,.*EEVD\s*(?:,|$)/i.test(line),
  open: (findings) => new RedeEevdFile(findings),
};

const MOST_BATCHES = 100_000;
const BATCHES = { pt: 'lotes (RV)', en: 'batches (RV)' };
const ACCEPTED = '01';
const DATED_AHEAD = 'P';
const WORDS = 'venda no débito';

const SUMS = ['saleCount', 'gross', 'fee', 'net'] as const;
const LATER_SUMS = ['laterGross', 'laterFee', 'laterNet'] as const;
const TOTALS = ['batchCount', ...SUMS, ...LATER_SUMS] as const;
type Sums = Record<(typeof SUMS)[number], number>;
type Totals = Record<(typeof TOTALS)[number], number>;
type Stated = RecordValues<typeof EEVD_BATCH>;

type Batch = {
  /** Of the 01, or of the first line that names the batch. */
  place: Place;
  stated: Readonly<Sums> | null;
  creditDay: Day | null;
  brand: CardBrand | null;
  readonly found: Sums;
  /** Of sales whose status is not known. */
  other: Sums | null;
};

class RedeEevdFile implements FileReading {
  readonly trailer = EEVD_TRAILER.type;
  readonly #findings: Findings;
  readonly #take: (line: string, lineNumber: number) => void;
  readonly #batches = new Map<string, Batch>();
  /** Of all 01. */
  readonly #stated = noTotals();
  /** Of all 02, and of all 03, with the place of the last one. */
  readonly #totals = new Map<string, { place: Place; readonly sums: Totals }>();
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
        onRecord(EEVD_BRANCH_TOTAL, (values, line) => this.#addTotal(values, line)),
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

  #batchOf({ establishment, batch: number }: Pick<Stated, 'establishment' | 'batch'>, line: GoodLine): Batch {
    const key = `${establishment} ${number}`;
    const known = this.#batches.get(key);
    if (known !== undefined) return known;
    const batch: Batch = {
      ...{ place: placeOf(line), stated: null, creditDay: null, brand: null },
      ...{ found: noSums(), other: null },
    };
    if (this.#batches.size === MOST_BATCHES) this.#findings.fault(line, null, tooMany(BATCHES, MOST_BATCHES));
    else this.#batches.set(key, batch);
    return batch;
  }

  #state(values: Stated, line: GoodLine): void {
    const batch = this.#batchOf(values, line);
    if (batch.stated !== null) this.#findings.fault(line, 'batch', outOfPlace(line.record));
    const { saleCount, gross, fee, net } = values;
    batch.stated = { saleCount, gross, fee, net };
    batch.creditDay = values.creditDay;
    batch.brand = redeBrand(values.brand);
    batch.place = placeOf(line);
    const isLater = values.batchType === DATED_AHEAD;
    const later = isLater ? { laterGross: gross, laterFee: fee, laterNet: net } : NONE_LATER;
    add(TOTALS, this.#stated, { batchCount: 1, ...batch.stated, ...later });
  }

  #addSale(values: RecordValues<typeof EEVD_SALE>, line: GoodLine): void {
    const batch = this.#batchOf(values, line);
    const { status, gross, fee, net } = values;
    if (status !== ACCEPTED) batch.other ??= noSums();
    add(SUMS, status === ACCEPTED ? batch.found : (batch.other ?? batch.found), {
      saleCount: 1,
      gross,
      fee,
      net,
    });
    const entry = {
      ...bareEntry(line.lineNumber, 'notice', values.establishment),
      nsu: values.nsu,
      authorizationCode: values.authorizationCode,
      brand: redeBrand(values.brand) ?? batch.brand,
      cardLastFour: values.card,
      soldOn: values.soldOn,
      ...{ gross, fee, net },
      bankOn: values.creditDay ?? batch.creditDay,
      batch: values.batch,
      description: status === ACCEPTED ? WORDS : unknownUnder(status, WORDS),
    };
    this.#findings.entry(entry, line.masked());
  }

  #addTotal(values: RecordValues<typeof EEVD_BRANCH_TOTAL>, line: GoodLine): void {
    const total = this.#totals.get(line.record) ?? { place: line, sums: noTotals() };
    total.place = placeOf(line);
    add(TOTALS, total.sums, values);
    this.#totals.set(line.record, total);
  }

  #end(values: RecordValues<typeof EEVD_TRAILER>, line: GoodLine): void {
    this.#isEnded = true;
    for (const batch of this.#findings.isClean ? this.#batches.values() : [])
      checkBatch(batch, this.#findings);
    for (const { place, sums } of this.#totals.values()) this.#compare(sums, place, BRANCH_DIGITS);
    this.#compare(values, line, TRAILER_DIGITS);
    if (!this.#findings.isClean || agrees(values.recordCount, this.#lineCount, TRAILER_DIGITS)) return;
    this.#findings.fault(line, 'recordCount', disagrees('recordCount', values.recordCount, this.#lineCount));
  }

  #compare(totals: Totals, place: Place, batchDigits: number): void {
    if (!this.#findings.isClean) return;
    const all = this.#stated;
    const say = (name: (typeof TOTALS)[number]) =>
      this.#findings.fault(place, name, disagrees(name, totals[name], all[name]));
    for (const [name, digits] of [
      ['batchCount', batchDigits],
      ['saleCount', TRAILER_DIGITS],
    ] as const) {
      if (!agrees(totals[name] % 10 ** digits, all[name], digits)) say(name);
    }
    for (const [name, laterName] of [
      ['gross', 'laterGross'],
      ['fee', 'laterFee'],
      ['net', 'laterNet'],
    ] as const) {
      if (totals[name] !== all[name] && totals[name] !== all[name] - all[laterName]) say(name);
      if (totals[laterName] !== all[laterName]) say(laterName);
    }
  }
}

const BRANCH_DIGITS = 3;
const TRAILER_DIGITS = 6;

const NONE_LATER = { laterGross: 0, laterFee: 0, laterNet: 0 };

function noSums(): Sums {
  return { saleCount: 0, gross: 0, fee: 0, net: 0 };
}

function noTotals(): Totals {
  return { batchCount: 0, ...noSums(), ...NONE_LATER };
}

function add<K extends string>(
  names: readonly K[],
  sums: Record<K, number>,
  values: Readonly<Record<K, number>>,
) {
  for (const name of names) sums[name] += values[name];
}

/** A line whose texts are not kept. */
function placeOf({ lineNumber, record }: Place): Place {
  return { lineNumber, record };
}

function checkBatch({ place, stated, found, other }: Batch, findings: Findings): void {
  if (stated === null) {
    findings.fault(place, 'batch', notOf('batch', EEVD_BATCH.type));
    return;
  }
  for (const name of SUMS) {
    const said = stated[name];
    if (said !== found[name] && said !== found[name] + (other?.[name] ?? 0))
      findings.fault(place, name, disagrees(name, said, found[name]));
  }
}
