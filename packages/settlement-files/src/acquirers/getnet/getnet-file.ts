import type { SettlementEntry } from '../../entry.ts';
import { bareEntry, negative, unknownUnder } from '../../records/entry-fields.ts';
import { DAYS_REVERSED, disagrees, notOf, otherVersion, outOfPlace } from '../../records/faults.ts';
import type { FileReading, Findings } from '../../records/findings.ts';
import type { RecordValues } from '../../records/fixed-width.ts';
import type { Format, FormatLayout } from '../../records/format.ts';
import { type GoodLine, onRecord, recordLines } from '../../records/record-lines.ts';
import type { Sentence } from '../../sentence.ts';
import { GetnetBatch, paidKey } from './getnet-batch.ts';
import {
  GETNET_ADJUSTMENT,
  GETNET_BATCH,
  GETNET_HEADER,
  GETNET_NEGOTIATION,
  GETNET_RECORDS,
  GETNET_SALE,
  GETNET_TRAILER,
} from './getnet-layout.ts';

const GETNET_LAYOUT: FormatLayout = {
  title: 'Getnet, V10',
  rules: [
    '0, then any number of 1, 4, 5 and 6, then 9. The 2 and 3 of a 1 stand behind it. A file without movement has only 0 and 9.',
    'A batch comes again with each status, so that the same sale is first known (PF) and then paid (PG, AC) or ceded (CS). Only PG and AC are money.',
    'The codes of products have no public table, so that no brand is taken from them.',
  ],
  typeLength: 1,
  longestLine: 1024,
  isTailFree: false,
  records: GETNET_RECORDS,
  alike: {},
  leftOut: { '4': 'Antecipação', '6': 'Unidade de recebíveis' },
};

export const GETNET: Format<'getnet'> = {
  ...GETNET_LAYOUT,
  format: 'getnet',
  pays: true,
  isDaily: true,
  // Others send files of 200 positions under the same name.
  isHeader: (line) => /^0\d{22}CEADM100/.test(line) && (line.length > 200 || /GETNET/i.test(line)),
  open: (findings) => new GetnetFile(findings),
};

/** The money of these is in records of type 1 already. */
const LEFT_OUT = new Set(['CS', 'PG']);
const MOST_KEPT = 20_000;
const VERSION = /\bV\.? ?10(?:\.(\d+))?\b/i;
const NO_SIGN: Sentence = { pt: 'O campo sign não traz + ou -.', en: 'Field sign has neither + nor -.' };

class GetnetFile implements FileReading {
  readonly trailer = GETNET_TRAILER.type;
  readonly #findings: Findings;
  readonly #take: (line: string, lineNumber: number) => void;
  /** Whose money, and of which day, is in sales that do not say who was paid. */
  readonly #unknown = new Set<string>();
  /** No such sale has come before them; one may come yet. */
  #held: { readonly key: string; readonly entry: SettlementEntry; readonly masked: string }[] = [];
  #batch: GetnetBatch | null = null;
  #isLater = false;
  #lineCount = 0;
  #isEnded = false;

  constructor(findings: Findings) {
    this.#findings = findings;
    const handlers = [
      onRecord(GETNET_HEADER, (values, line) => this.#header(values, line)),
      onRecord(GETNET_BATCH, (values, line) => {
        this.#closeBatch();
        this.#checkSign(values, line);
        this.#batch = new GetnetBatch(values, line, this.#isLater);
      }),
      onRecord(GETNET_SALE, (values, line) => {
        this.#batchOf(values, line)?.addSale(values, line, this.#findings);
      }),
      onRecord(GETNET_ADJUSTMENT, (values, line) => {
        this.#batchOf(values, line)?.addAdjustment(values, line, this.#findings);
      }),
      onRecord(GETNET_NEGOTIATION, (values, line) => this.#negotiated(values, line)),
      onRecord(GETNET_TRAILER, (values, line) => this.#end(values, line)),
    ];
    this.#take = recordLines(GETNET_LAYOUT, handlers, findings);
  }

  take(line: string, lineNumber: number): void {
    this.#lineCount = lineNumber;
    this.#take(line, lineNumber);
  }

  isEnded(): boolean {
    return this.#isEnded;
  }

  #header(values: RecordValues<typeof GETNET_HEADER>, line: GoodLine): void {
    const { establishment, madeOn, day, version, sequence } = values;
    const ten = VERSION.exec(version);
    if (line.lineNumber !== 1) this.#findings.fault(line, null, outOfPlace(line.record));
    else if (ten === null) this.#findings.fault(line, 'version', otherVersion(version, '10'));
    else if (madeOn < day) this.#findings.fault(line, 'day', DAYS_REVERSED);
    else {
      this.#isLater = Number(ten[1] ?? 0) > 0;
      const days = { madeOn, from: day, to: day };
      const head = { format: 'getnet' as const, version, establishment, ...days, sequence };
      this.#findings.head({ ...head, isRepetition: false });
    }
  }

  #batchOf(
    values: { readonly establishment: string; readonly batch: string; readonly sign: string },
    line: GoodLine,
  ): GetnetBatch | null {
    this.#checkSign(values, line);
    if (this.#batch === null) this.#findings.fault(line, null, outOfPlace(line.record));
    else if (!this.#batch.isOf(values)) {
      this.#findings.fault(line, 'batch', notOf('batch', GETNET_BATCH.type));
    } else return this.#batch;
    return null;
  }

  #checkSign({ sign }: { readonly sign: string }, line: GoodLine): void {
    if (sign !== '+' && sign !== '-') this.#findings.fault(line, 'sign', NO_SIGN);
  }

  #closeBatch(): void {
    this.#batch?.close(this.#findings);
    for (const key of this.#batch?.unknownKeys ?? []) this.#doubt(key);
    this.#batch = null;
  }

  #negotiated(values: RecordValues<typeof GETNET_NEGOTIATION>, line: GoodLine): void {
    this.#closeBatch();
    const { establishment, operationType, operation, creditDay, net, movement } = values;
    const kind = operationType === 'GV' ? 'pledge' : 'unknown';
    if (LEFT_OUT.has(operationType) || movement !== 'L') {
      this.#findings.leave('Negociação');
      return;
    }
    const amount = negative(net);
    const description = unknownUnder(operationType, operation);
    const bare = { ...bareEntry(line.lineNumber, kind, establishment), gross: amount, net: amount };
    const entry: SettlementEntry = { ...bare, bankOn: creditDay, description };
    const key = paidKey(establishment, creditDay);
    if (kind === 'pledge' && this.#held.length === MOST_KEPT) this.#doubt(key);
    if (kind === 'unknown' || this.#isUnknown(key))
      this.#findings.entry({ ...entry, kind: 'unknown' }, line.masked());
    else this.#held.push({ key, entry, masked: line.masked() });
  }

  #doubt(key: string): void {
    if (this.#unknown.size < MOST_KEPT) this.#unknown.add(key);
  }

  #isUnknown(key: string): boolean {
    return this.#unknown.has(key) || this.#unknown.size === MOST_KEPT;
  }

  /** Beside sales of which it is not known who was paid, a pledge would be half of their money. */
  #giveHeld(): void {
    for (const { key, entry, masked } of this.#held) {
      this.#findings.entry(this.#isUnknown(key) ? { ...entry, kind: 'unknown' } : entry, masked);
    }
    this.#held = [];
  }

  #end({ recordCount }: RecordValues<typeof GETNET_TRAILER>, line: GoodLine): void {
    this.#isEnded = true;
    this.#closeBatch();
    this.#giveHeld();
    if (!this.#findings.isClean || recordCount === this.#lineCount) return;
    this.#findings.fault(line, 'recordCount', disagrees('recordCount', recordCount, this.#lineCount));
  }
}
