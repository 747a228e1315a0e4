import type { Day } from '../../day.ts';
import type { EntryKind, SettlementEntry } from '../../entry.ts';
import {
  bareEntry,
  cieloBrand,
  installmentOf,
  keptText,
  negative,
  unknownUnder,
} from '../../records/entry-fields.ts';
import {
  DAYS_REVERSED,
  disagrees,
  INSTALLMENT_BEYOND,
  NO_UNIT,
  otherVersion,
  outOfPlace,
  tooMany,
  UNIT_OPEN,
} from '../../records/faults.ts';
import type { FileReading, Findings, Place } from '../../records/findings.ts';
import type { RecordValues } from '../../records/fixed-width.ts';
import type { Format, FormatLayout } from '../../records/format.ts';

import { type GoodLine, onRecord, recordLines } from '../../records/record-lines.ts';
import {
  CIELO_ENTRY,
  CIELO_ENTRY_TYPES,
  CIELO_HEADER,
  CIELO_PAYMENT_STATUS,
  CIELO_RECORDS,
  CIELO_TRAILER,
  CIELO_UNIT,
} from './cielo-layout.ts';

/** Units without entries yet. If entries follow their unit there is only one. */
const MOST_OPEN_UNITS = 100_000;
const UNITS = { pt: 'registros D à espera de lançamentos', en: 'records D await entries' };

/** Cielo gives this number to every file that it makes again. */
const MADE_ANEW = 9_999_999;

const KINDS: Readonly<Record<string, EntryKind>> = {
  '06': 'cancel',
  '07': 'cancelReversal',
  '08': 'chargeback',
  '09': 'chargebackReversal',
};
export const CIELO_SALES = new Set(['01', '02', '03', '42']);
const PLEDGES = new Set([
  '11',
  '13',
  '14',
  '17',
  '18',
  '19',
  '20',
  '23',
  '26',
  '35',
  '36',
  '37',
  '38',
  '39',
  '40',
]);

type Unit = {
  readonly lineNumber: number;
  /** null: the layout does not know the payment status. */
  readonly kindOfSale: EntryKind | null;
  readonly paymentStatus: string;
  readonly bankOn: Day | null;
  readonly entryCount: number;
  readonly stated: { readonly gross: number; readonly net: number };
  awaited: number;
  gross: number;
  net: number;
};

const CIELO_04_LAYOUT: FormatLayout = {
  title: 'Cielo 04, v15',
  rules: [
    '0, then D, E and 8, then 9. A D stands before its E; an E belongs to the last D before it that has its `unit` and its `entryType` and has not yet got its `entryCount` of them.',
    'For each D there are `entryCount` E, whose `gross` and `net` are those of the D.',
  ],
  typeLength: 1,
  longestLine: 1024,
  isTailFree: false,
  records: CIELO_RECORDS,
  alike: {},
  leftOut: { '8': 'Pix' },
};

export const CIELO_04: Format<'cielo04'> = {
  ...CIELO_04_LAYOUT,
  format: 'cielo04',
  pays: true,
  isDaily: true,
  isHeader: (line) => line.startsWith('0') && line.slice(42, 49) === 'CIELO04',
  open: (findings) => new CieloFile(findings),
};

class CieloFile implements FileReading {
  readonly trailer = CIELO_TRAILER.type;
  readonly #findings: Findings;
  readonly #take: (line: string, lineNumber: number) => void;
  readonly #open = new Map<string, Unit>();
  #entries = 0;
  #gross = 0;
  #net = 0;
  #lineCount = 0;
  #isEnded = false;

  constructor(findings: Findings) {
    this.#findings = findings;
    const handlers = [
      onRecord(CIELO_HEADER, (values, line) => takeCieloHeader('cielo04', values, line, findings)),
      onRecord(CIELO_UNIT, (values, line) => this.#openUnit(values, line)),
      onRecord(CIELO_ENTRY, (values, line) => this.#addEntry(values, line)),
      onRecord(CIELO_TRAILER, (values, line) => this.#end(values, line)),
    ];
    this.#take = recordLines(CIELO_04_LAYOUT, handlers, findings);
  }

  take(line: string, lineNumber: number): void {
    this.#lineCount = lineNumber;
    this.#take(line, lineNumber);
  }

  isEnded(): boolean {
    return this.#isEnded;
  }

  #openUnit(values: RecordValues<typeof CIELO_UNIT>, line: GoodLine): void {
    const key = keyOf(values);
    if (this.#open.has(key)) this.#findings.fault(line, 'unit', UNIT_OPEN);
    else if (values.entryCount === 0) return;
    else if (this.#open.size < MOST_OPEN_UNITS) this.#open.set(key, unitOf(values, line.lineNumber));
    else this.#findings.fault(line, null, tooMany(UNITS, MOST_OPEN_UNITS));
  }

  #addEntry(values: RecordValues<typeof CIELO_ENTRY>, line: GoodLine): void {
    const key = keyOf(values);
    const unit = this.#open.get(key);
    if (unit === undefined) {
      this.#findings.fault(line, 'unit', NO_UNIT);
      return;
    }
    const entry = entryOf(values, line, unit, this.#findings);
    if (entry !== null) this.#findings.entry(entry, line.masked());
    this.#entries += 1;
    this.#gross += values.gross;
    this.#net += values.net;
    unit.gross += values.gross;
    unit.net += values.net;
    unit.awaited -= 1;
    if (unit.awaited === 0) this.#closeUnit(key, unit);
  }

  #closeUnit(key: string, unit: Unit): void {
    this.#open.delete(key);
    if (this.#findings.isClean) checkSums(placeOf(unit), unit.stated, unit, this.#findings, UNIT_SUMS);
  }

  #end(values: RecordValues<typeof CIELO_TRAILER>, line: GoodLine): void {
    this.#isEnded = true;
    for (const unit of this.#findings.isClean ? this.#open.values() : []) {
      const { entryCount, awaited } = unit;
      this.#findings.fault(
        placeOf(unit),
        'entryCount',
        disagrees('entryCount', entryCount, entryCount - awaited),
      );
    }
    if (!this.#findings.isClean) return;
    checkRecordCount(values.recordCount, this.#lineCount, line, this.#findings);
    const found = { entryCount: this.#entries, gross: this.#gross, net: this.#net };
    checkSums(line, values, found, this.#findings, ENTRY_SUMS);
  }
}

function placeOf({ lineNumber }: Unit): Place {
  return { lineNumber, record: CIELO_UNIT.type };
}

type Header = RecordValues<typeof CIELO_HEADER>;

export function takeCieloHeader<F extends 'cielo03' | 'cielo04' | 'cielo09' | 'cielo15' | 'cielo16'>(
  format: F,
  values: Header,
  line: GoodLine,
  findings: Findings,
): void {
  const { version, establishment, madeOn, from, to, sequence } = values;
  if (line.lineNumber !== 1) findings.fault(line, null, outOfPlace(line.record));
  else if (!/^0?15\d?$/.test(version)) findings.fault(line, 'version', otherVersion(version, '15'));
  else if (to < from) findings.fault(line, 'to', DAYS_REVERSED);
  else {
    // This number does not identify a file.
    const isRepetition = sequence === MADE_ANEW;
    const days = { madeOn, from, to };
    findings.head({
      ...{ format, version, establishment, ...days },
      sequence: isRepetition ? null : sequence,
      isRepetition,
    });
  }
}

export function checkRecordCount(
  stated: number,
  lineCount: number,
  line: GoodLine,
  findings: Findings,
): void {
  const inner = lineCount - 2;
  if (stated !== inner && stated !== lineCount)
    findings.fault(line, 'recordCount', disagrees('recordCount', stated, inner));
}

export const UNIT_SUMS = ['gross', 'net'] as const;
export const ENTRY_SUMS = ['entryCount', ...UNIT_SUMS] as const;

/** What a record says of other lines, against what they come to. */
export function checkSums<K extends string>(
  place: Place,
  stated: Readonly<Record<K, number>>,
  found: Readonly<Record<K, number>>,
  findings: Findings,
  names: readonly K[],
): void {
  for (const name of names) {
    if (stated[name] !== found[name]) findings.fault(place, name, disagrees(name, stated[name], found[name]));
  }
}

function keyOf({ entryType, unit }: { readonly entryType: string; readonly unit: string }): string {
  return `${entryType} ${unit}`;
}

function unitOf(values: RecordValues<typeof CIELO_UNIT>, lineNumber: number): Unit {
  return {
    lineNumber,
    kindOfSale: kindOfSale(values.paymentStatus),
    paymentStatus: values.paymentStatus,
    bankOn: values.paymentDay ?? values.dueDay,
    stated: { gross: values.gross, net: values.net },
    entryCount: values.entryCount,
    awaited: values.entryCount,
    gross: 0,
    net: 0,
  };
}

function kindOfSale(status: string): EntryKind | null {
  const word = CIELO_PAYMENT_STATUS[status];
  if (word === undefined) return null;
  // A file of the payment day calls that day's payments "sent to the bank".
  if (word.startsWith('paid') || word.startsWith('sent')) return 'payout';
  return word.startsWith('anticipated') ? 'anticipation' : 'sale';
}

function kindOf(entryType: string, unit: Unit): EntryKind {
  if (CIELO_ENTRY_TYPES[entryType] === undefined || unit.kindOfSale === null) return 'unknown';
  if (CIELO_SALES.has(entryType)) return unit.kindOfSale;
  if (PLEDGES.has(entryType)) return 'pledge';
  return KINDS[entryType] ?? 'adjustment';
}

function entryOf(
  values: RecordValues<typeof CIELO_ENTRY>,
  line: GoodLine,
  unit: Unit,
  findings: Findings,
): SettlementEntry | null {
  const kind = kindOf(values.entryType, unit);
  const read = cieloEntry(kind, values, line, findings);
  if (read === null) return null;
  const isOfSale = kind !== 'adjustment' && kind !== 'pledge';
  return {
    ...read,
    anticipationFee: kind === 'anticipation' ? values.gross + values.fee - values.net : null,
    bankOn: unit.bankOn,
    description: kind === 'unknown' ? unknownCodeOf(values, unit) : isOfSale ? null : wordsOf(values),
  };
}

/** Without what each file adds: bank day and words. */
export function cieloEntry(
  kind: EntryKind,
  values: RecordValues<typeof CIELO_ENTRY>,
  line: GoodLine,
  findings: Findings,
): SettlementEntry | null {
  const installment = installmentOf(values.installmentNumber, values.installmentCount);
  if (installment === null) {
    findings.fault(line, 'installmentNumber', INSTALLMENT_BEYOND);
    return null;
  }
  return {
    ...bareEntry(line.lineNumber, kind, values.establishment),
    orderReference: keptText(values.orderReference),
    tid: values.tid,
    nsu: values.nsu,
    authorizationCode: values.authorizationCode,
    brand: cieloBrand(values.brand),
    cardLastFour: values.cardLastFour,
    soldOn: values.soldOn,
    ...installment,
    gross: values.gross,
    fee: negative(values.fee),
    net: values.net,
    receivableUnit: values.unit,
  };
}

type Coded = Pick<RecordValues<typeof CIELO_ENTRY>, 'entryType' | 'reason'>;

function wordsOf({ entryType, reason }: Coded): string | null {
  return keptText([entryType, reason].filter(Boolean).join(' '));
}

function unknownCodeOf({ entryType, reason }: Coded, { paymentStatus }: Unit): string | null {
  return CIELO_ENTRY_TYPES[entryType] === undefined
    ? unknownUnder(entryType, reason)
    : unknownUnder(paymentStatus);
}
