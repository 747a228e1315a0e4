import { dayBefore } from '../../day.ts';
import type { EntryKind, SettlementEntry } from '../../entry.ts';
import {
  agrees,
  bareEntry,
  installmentOf,
  keptText,
  negative,
  unknownUnder,
} from '../../records/entry-fields.ts';
import {
  disagrees,
  INSTALLMENT_BEYOND,
  notOf,
  otherCurrency,
  otherVersion,
  outOfPlace,
} from '../../records/faults.ts';
import type { FileReading, Findings } from '../../records/findings.ts';
import type { RecordLayout, RecordValues } from '../../records/fixed-width.ts';
import type { Format, FormatLayout } from '../../records/format.ts';

import { type GoodLine, onRecord, type RecordHandler, recordLines } from '../../records/record-lines.ts';
import {
  ADIQ_ADJUSTMENT,
  ADIQ_CANCEL,
  ADIQ_HEADER,
  ADIQ_LOT_HEADER,
  ADIQ_LOT_TRAILER,
  ADIQ_RECORDS,
  ADIQ_SALE,
  ADIQ_TRAILER,
} from './adiq-layout.ts';

const KINDS: Readonly<Record<string, EntryKind>> = { '0': 'sale', '1': 'payout', '2': 'anticipation' };
const REAIS = 'RE';
const CREDIT = '1';
const DEBIT = '2';
const COUNT_DIGITS = 6;

type Sums = { net: number; gross: number };
/** `unsure`: adjustments whose direction the layout does not know. */
type Lot = { records: number; readonly credits: Sums; readonly unsure: Sums };

const ADIQ_LAYOUT: FormatLayout = {
  title: 'Adiq EDI 3.1',
  rules: [
    'A0, then lots, then A9. A lot is L0, then CV, AJ and CC in any order, then L9. A file without movement has no lot, and is of the day before it was made.',
    '`lineNumber` of each line is one more than that of the line before it, from 1 in A0; after 999999 it goes on with 000000. A count is compared by its last six digits.',
  ],
  typeLength: 2,
  longestLine: 1024,
  isTailFree: false,
  records: ADIQ_RECORDS,
  alike: {},
  leftOut: {},
};

export const ADIQ: Format<'adiq'> = {
  ...ADIQ_LAYOUT,
  format: 'adiq',
  pays: true,
  isDaily: true,
  isHeader: (line) => /^A0\d{4}/.test(line),
  open: (findings) => new AdiqFile(findings),
};

class AdiqFile implements FileReading {
  readonly trailer = ADIQ_TRAILER.type;
  readonly #findings: Findings;
  readonly #take: (line: string, lineNumber: number) => void;
  #lot: Lot | null = null;
  #lineCount = 0;
  #isEnded = false;

  constructor(findings: Findings) {
    this.#findings = findings;
    this.#take = recordLines(ADIQ_LAYOUT, this.#handlers(), findings);
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
      onNumbered(ADIQ_HEADER, this.#findings, (values, line) => this.#header(values, line)),
      onNumbered(ADIQ_LOT_HEADER, this.#findings, (values, line) => this.#openLot(values, line)),
      onNumbered(ADIQ_SALE, this.#findings, (values, line) =>
        this.#inLot(line, values, saleOf(values, line, this.#findings)),
      ),
      onNumbered(ADIQ_ADJUSTMENT, this.#findings, (values, line) =>
        this.#inLot(
          line,
          values.direction === CREDIT ? values : NO_CREDIT,
          adjustmentOf(values, line),
          values.direction === CREDIT || values.direction === DEBIT ? NO_CREDIT : values,
        ),
      ),
      onNumbered(ADIQ_CANCEL, this.#findings, (values, line) =>
        this.#inLot(line, NO_CREDIT, cancelOf(values, line, this.#findings)),
      ),
      onNumbered(ADIQ_LOT_TRAILER, this.#findings, (values, line) => this.#closeLot(values, line)),
      onNumbered(ADIQ_TRAILER, this.#findings, (values, line) => {
        if (this.#lot !== null) this.#findings.fault(line, null, outOfPlace(line.record));
        this.#checkCount(values.recordCount, this.#lineCount - 2, line);
        this.#isEnded = true;
      }),
    ];
  }

  #header(values: RecordValues<typeof ADIQ_HEADER>, line: GoodLine): void {
    if (line.lineNumber !== 1) this.#findings.fault(line, null, outOfPlace(line.record));
    else if (!/^0*3\.1$/.test(values.version)) {
      this.#findings.fault(line, 'version', otherVersion(values.version, '3.1'));
    } else this.#findings.head(headOf(values));
  }

  #openLot(values: RecordValues<typeof ADIQ_LOT_HEADER>, line: GoodLine): void {
    if (this.#lot !== null) this.#findings.fault(line, null, outOfPlace(line.record));
    if (values.currency !== REAIS) {
      this.#findings.fault(line, 'currency', otherCurrency(values.currency));
    }
    this.#findings.span(values.movementDay);
    this.#lot = { records: 0, credits: { ...NO_CREDIT }, unsure: { ...NO_CREDIT } };
  }

  #inLot(
    line: GoodLine,
    credit: Readonly<Sums>,
    entry: SettlementEntry | null,
    unsure: Readonly<Sums> = NO_CREDIT,
  ): void {
    if (this.#lot === null) {
      this.#findings.fault(line, null, outOfPlace(line.record));
      return;
    }
    this.#lot.records += 1;
    addTo(this.#lot.credits, credit);
    addTo(this.#lot.unsure, unsure);
    if (entry !== null) this.#findings.entry(entry, line.masked());
  }

  #closeLot(values: RecordValues<typeof ADIQ_LOT_TRAILER>, line: GoodLine): void {
    const lot = this.#lot;
    this.#lot = null;
    if (lot === null) {
      this.#findings.fault(line, null, outOfPlace(line.record));
      return;
    }
    this.#checkCount(values.recordCount, lot.records, line);
    const { creditTotal } = values;
    const { credits, unsure } = lot;
    const sums = [credits.net, credits.gross, credits.net + unsure.net, credits.gross + unsure.gross];
    if (this.#findings.isClean && !sums.includes(creditTotal)) {
      this.#findings.fault(line, 'creditTotal', disagrees('creditTotal', creditTotal, credits.net));
    }
  }

  /** The public documents do not say whether header and trailer are counted. */
  #checkCount(stated: number, inner: number, line: GoodLine): void {
    const isSo = agrees(stated, inner, COUNT_DIGITS) || agrees(stated, inner + 2, COUNT_DIGITS);
    if (this.#findings.isClean && !isSo) {
      this.#findings.fault(line, 'recordCount', disagrees('recordCount', stated, inner));
    }
  }
}

const NO_CREDIT: Readonly<Sums> = { net: 0, gross: 0 };

function addTo(sums: Sums, { net, gross }: Readonly<Sums>): void {
  sums.net += net;
  sums.gross += gross;
}

function onNumbered<R extends RecordLayout>(
  layout: R,
  findings: Findings,
  handle: (values: RecordValues<R>, line: GoodLine) => void,
): RecordHandler {
  return onRecord(layout, (values, line) => {
    const { lineNumber } = values as { readonly lineNumber: number };
    if (!agrees(lineNumber, line.lineNumber, COUNT_DIGITS)) {
      findings.fault(line, 'lineNumber', disagrees('lineNumber', lineNumber, line.lineNumber));
    }
    handle(values, line);
  });
}

function headOf(values: RecordValues<typeof ADIQ_HEADER>) {
  // Lots say their own day. Without one the movement is that of the day before the file was made.
  const day = dayBefore(values.madeAt);
  return {
    format: 'adiq' as const,
    version: values.version.replace(/^0+/, ''),
    establishment: values.establishment,
    madeOn: values.madeAt,
    from: day,
    to: day,
    sequence: values.movement,
    isRepetition: values.processing === 'R',
  };
}

function saleOf(
  values: RecordValues<typeof ADIQ_SALE>,
  line: GoodLine,
  findings: Findings,
): SettlementEntry | null {
  const installment = installmentOf(values.installmentNumber, values.installmentCount);
  if (installment === null) {
    findings.fault(line, 'installmentNumber', INSTALLMENT_BEYOND);
    return null;
  }
  if (installment.installmentNumber === null) {
    findings.fault(line, 'installmentNumber', notOf('installmentNumber', ADIQ_SALE.type));
    return null;
  }
  const kind = KINDS[values.entryType] ?? 'unknown';
  const isAnticipated = kind === 'anticipation';
  const anticipated = values.anticipated === 0 ? values.net - values.anticipationFee : values.anticipated;
  return {
    ...bareEntry(line.lineNumber, kind, values.establishment),
    orderReference: keptText(values.orderReference),
    nsu: values.nsu,
    authorizationCode: values.authorizationCode,
    cardLastFour: values.card,
    soldOn: values.soldAt,
    ...installment,
    gross: values.gross,
    fee: values.fee,
    net: isAnticipated ? anticipated : values.net,
    anticipationFee: isAnticipated ? values.anticipationFee : null,
    bankOn: values.entryDay,
    description: kind === 'unknown' ? unknownUnder(values.entryType) : null,
  };
}

/** The layout has no chargeback record and no public reason table: only the text tells. */
const DISPUTED = /^(?:CHARGEBACK|CBK|CONTESTA)/i;

/** `code`: an unknown code; null: the layout knows it. */
function kindOfAdjustment(values: RecordValues<typeof ADIQ_ADJUSTMENT>): {
  readonly kind: EntryKind;
  readonly code: string | null;
} {
  const { entryType, direction, originalNsu, reason, description } = values;
  if (KINDS[entryType] === undefined) return { kind: 'unknown', code: entryType };
  if (direction !== CREDIT && direction !== DEBIT) return { kind: 'unknown', code: direction };
  if (originalNsu !== null && DISPUTED.test(description ?? ''))
    return { kind: direction === DEBIT ? 'chargeback' : 'chargebackReversal', code: null };
  // Money without a sale needs only a description.
  return originalNsu === null && description !== null
    ? { kind: 'adjustment', code: null }
    : { kind: 'unknown', code: reason };
}

function adjustmentOf(values: RecordValues<typeof ADIQ_ADJUSTMENT>, line: GoodLine): SettlementEntry {
  const signed = values.direction === CREDIT ? (amount: number) => amount : negative;
  const { kind, code } = kindOfAdjustment(values);
  return {
    ...bareEntry(line.lineNumber, kind, values.establishment),
    orderReference: keptText(values.orderReference),
    nsu: values.originalNsu,
    cardLastFour: values.card,
    soldOn: values.soldOn,
    installmentNumber: values.installmentNumber || null,
    gross: signed(values.gross),
    fee: signed(values.fee),
    net: signed(values.net),
    bankOn: values.entryDay,
    description:
      kind === 'unknown'
        ? unknownUnder(code, values.description)
        : keptText([values.reason, values.description].filter((text) => text !== null).join(' ')),
  };
}

function cancelOf(
  values: RecordValues<typeof ADIQ_CANCEL>,
  line: GoodLine,
  findings: Findings,
): SettlementEntry | null {
  const installment = installmentOf(values.installmentNumber, values.installmentCount);
  if (installment === null) {
    findings.fault(line, 'installmentNumber', INSTALLMENT_BEYOND);
    return null;
  }
  const gross = installment.installmentNumber === null ? values.canceledTotal : values.gross;
  return {
    ...bareEntry(line.lineNumber, 'cancel', values.establishment),
    orderReference: keptText(values.orderReference),
    nsu: values.originalNsu,
    authorizationCode: values.authorizationCode,
    soldOn: values.soldOn,
    ...installment,
    gross: negative(gross),
    fee: negative(values.fee),
    net: negative(values.net),
    bankOn: values.canceledAt,
  };
}
