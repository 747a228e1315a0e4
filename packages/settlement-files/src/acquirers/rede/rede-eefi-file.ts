import type { EntryKind, SettlementEntry } from '../../entry.ts';
import {
  agrees,
  bareEntry,
  installmentOfText,
  keptText,
  redeBrand,
  unknownUnder,
} from '../../records/entry-fields.ts';
import { disagrees, notOf, outOfPlace } from '../../records/faults.ts';
import type { FileReading, Findings } from '../../records/findings.ts';
import type { RecordValues } from '../../records/fixed-width.ts';
import type { Format, FormatLayout } from '../../records/format.ts';
import { type GoodLine, onRecord, type RecordHandler, recordLines } from '../../records/record-lines.ts';
import {
  bankDebit,
  checkLineCounts,
  kindOfReason,
  netAdjustment,
  orderedDebit,
  reasonOf,
  reasonWords,
  redeHead,
  unscheduled,
} from './rede-debit.ts';
import {
  EEFI_ALIKE,
  EEFI_BANK_DEBIT,
  EEFI_BANK_DEBIT_TWIN,
  EEFI_NET_ADJUSTMENT,
  EEFI_NET_ADJUSTMENT_TWIN,
  EEFI_ORDER_TWIN,
  EEFI_PENDING_DEBIT,
  EEFI_SETTLED_DEBIT,
  EEFI_UNSCHEDULED,
  EEFI_UNSCHEDULED_TWIN,
} from './rede-debits-layout.ts';
import {
  EEFI_ANTICIPATION,
  EEFI_BRANCH,
  EEFI_BRANCH_TOTAL,
  EEFI_CREDIT,
  EEFI_CREDIT_ADJUSTMENT,
  EEFI_CREDIT_STATUS,
  EEFI_CREDIT_TOTAL,
  EEFI_HEADER,
  EEFI_LEFT_OUT,
  EEFI_RECORDS,
  EEFI_TRAILER,
} from './rede-eefi-layout.ts';
import { REDE_RULES } from './rede-eevc-layout.ts';

const TWIN_ALONE = 'what e-commerce adds to a record that is not on the line before it';
const DEMONSTRATION = 'adjustment that an earlier 049 reported';
const DIGITS_OF_BRANCH = [6, 6, 4, 6] as const;
const DIGITS_OF_FILE = [4, 6, 4, 4] as const;

/** An entry that the next line may complete. */
type Held = { entry: SettlementEntry; masked: string; readonly record: string };

const REDE_EEFI_LAYOUT: FormatLayout = {
  title: 'Rede EEFI',
  rules: [...REDE_RULES, '030, then head offices, then 052. A head office is 032, its records, then 050.'],
  typeLength: 3,
  longestLine: 1024,
  isTailFree: true,
  records: EEFI_RECORDS,
  alike: EEFI_ALIKE,
  leftOut: EEFI_LEFT_OUT,
};

export const REDE_EEFI: Format<'redeEefi'> = {
  ...REDE_EEFI_LAYOUT,
  format: 'redeEefi',
  pays: true,
  isDaily: true,
  isHeader: (line) => line.startsWith('030') && /EEFI *$/i.test(line.slice(105, 125)),
  open: (findings) => new RedeEefiFile(findings),
};

class RedeEefiFile implements FileReading {
  readonly trailer = EEFI_TRAILER.type;
  readonly #findings: Findings;
  readonly #take: (line: string, lineNumber: number) => void;
  readonly #all = noEefiTotals();
  #branch: EefiTotals | null = null;
  #credit: Held | null = null;
  #debit: Held | null = null;
  #branchCount = 0;
  #lineCount = 0;
  #isEnded = false;

  constructor(findings: Findings) {
    this.#findings = findings;
    this.#take = recordLines(
      REDE_EEFI_LAYOUT,
      [...this.#frame(), ...this.#credits(), ...this.#debits()],
      findings,
    );
  }

  take(line: string, lineNumber: number): void {
    this.#lineCount = lineNumber;
    this.#take(line, lineNumber);
  }

  isEnded(): boolean {
    return this.#isEnded;
  }

  #frame(): RecordHandler[] {
    return [
      onRecord(EEFI_HEADER, (values, line) => {
        if (line.lineNumber !== 1) this.#findings.fault(line, null, outOfPlace(line.record));
        else this.#findings.head(redeHead('redeEefi', values));
      }),
      onRecord(EEFI_BRANCH, (_values, line) => {
        if (this.#branch !== null) this.#findings.fault(line, null, outOfPlace(line.record));
        this.#branchCount += 1;
        this.#branch = noEefiTotals();
      }),
      onRecord(EEFI_CREDIT_TOTAL, () => this.#giveAll()),
      onRecord(EEFI_BRANCH_TOTAL, (values, line) => {
        this.#giveAll();
        if (this.#branch === null) this.#findings.fault(line, null, outOfPlace(line.record));
        else this.#compare({ ...values, digits: DIGITS_OF_BRANCH }, this.#branch, line);
        this.#branch = null;
      }),
      onRecord(EEFI_TRAILER, (values, line) => {
        this.#isEnded = true;
        this.#giveAll();
        if (this.#branch !== null) this.#findings.fault(line, null, outOfPlace(line.record));
        this.#compare({ ...values, digits: DIGITS_OF_FILE }, this.#all, line);
        const found = { branchCount: this.#branchCount, recordCount: this.#lineCount };
        checkLineCounts(values, found, line, this.#findings);
      }),
    ];
  }

  #credits(): RecordHandler[] {
    return [
      onRecord(EEFI_CREDIT, (values, line) => {
        this.#add('credits', values.net, line);
        this.#holdCredit(creditOf(values, line, this.#findings), line);
      }),
      onRecord(EEFI_ANTICIPATION, (values, line) => {
        this.#add('anticipations', values.net, line);
        this.#holdCredit(anticipationOf(values, line, this.#findings), line);
      }),
      onRecord(EEFI_CREDIT_ADJUSTMENT, (values, line) => {
        this.#add('creditAdjustments', values.net, line);
        this.#holdCredit(creditAdjustmentOf(values, line), line);
      }),
    ];
  }

  #debits(): RecordHandler[] {
    return [
      onRecord(EEFI_NET_ADJUSTMENT, (values, line) => this.#keep(values, line)),
      onRecord(EEFI_BANK_DEBIT, (values, line) => {
        this.#add('debitAdjustments', values.amount, line);
        this.#holdDebit(bankDebit(values, line.lineNumber), line);
      }),
      onRecord(EEFI_PENDING_DEBIT, (values, line) =>
        this.#order(orderedDebit(values, line.lineNumber), line),
      ),
      onRecord(EEFI_SETTLED_DEBIT, (values, line) =>
        this.#order(orderedDebit(values, line.lineNumber), line),
      ),
      onRecord(EEFI_UNSCHEDULED, (values, line) => this.#order(unscheduled(values, line.lineNumber), line)),
      onRecord(EEFI_NET_ADJUSTMENT_TWIN, (values, line) => this.#join('035', values, line)),
      onRecord(EEFI_BANK_DEBIT_TWIN, (values, line) => this.#join('038', values, line)),
      onRecord(EEFI_ORDER_TWIN, (values, line) =>
        this.#join(line.record === '055' ? '044' : '045', values, line),
      ),
      onRecord(EEFI_UNSCHEDULED_TWIN, (values, line) => this.#join('049', values, line)),
    ];
  }

  #give(held: Held | null): void {
    if (held !== null) this.#findings.entry(held.entry, held.masked);
  }

  #giveAll(): void {
    this.#give(this.#debit);
    this.#give(this.#credit);
    this.#debit = null;
    this.#credit = null;
  }

  #add(name: keyof EefiTotals, amount: number, line: GoodLine): void {
    this.#giveAll();
    if (this.#branch === null) this.#findings.fault(line, null, outOfPlace(line.record));
    for (const totals of this.#branch === null ? [this.#all] : [this.#all, this.#branch]) {
      totals[name].count += 1;
      totals[name].amount += amount;
    }
  }

  #holdCredit(entry: SettlementEntry | null, line: GoodLine): void {
    if (entry !== null) this.#credit = { entry, masked: line.masked(), record: line.record };
  }

  #holdDebit(entry: SettlementEntry, line: GoodLine): void {
    if (this.#branch === null) this.#findings.fault(line, null, outOfPlace(line.record));
    this.#give(this.#debit);
    this.#debit = { entry, masked: line.masked(), record: line.record };
  }

  #order(entry: SettlementEntry, line: GoodLine): void {
    this.#giveAll();
    this.#holdDebit(entry, line);
  }

  /** A deduction from a credit is an entry of its own; the credit pays its amount without it. */
  #keep(values: RecordValues<typeof EEFI_NET_ADJUSTMENT>, line: GoodLine): void {
    if (values.way === 'D') {
      this.#findings.leave(DEMONSTRATION);
      return;
    }
    const credit = values.way === 'N' ? this.#creditOf(values) : null;
    if (credit !== null) credit.entry = { ...credit.entry, net: (credit.entry.net ?? 0) + values.amount };
    this.#holdDebit(netAdjustment(values, line.lineNumber, credit !== null), line);
  }

  /** null: the line does not stand behind the credit from which it is kept. */
  #creditOf({ adjustedBatch }: RecordValues<typeof EEFI_NET_ADJUSTMENT>): Held | null {
    const batch = this.#credit?.entry.batch ?? adjustedBatch;
    return batch === adjustedBatch ? this.#credit : null;
  }

  #join(record: string, values: Twin, line: GoodLine): void {
    const debit = this.#debit;
    const isOfLineBefore = debit?.entry.lineNumber === line.lineNumber - 1 && debit.record === record;
    if (debit === null || !isOfLineBefore || !isTwinOf(values, debit.entry)) this.#findings.leave(TWIN_ALONE);
    else {
      debit.entry = { ...debit.entry, tid: values.tid, orderReference: keptText(values.orderReference) };
      debit.masked += `\n${line.masked()}`;
    }
  }

  #compare(stated: StatedTotals, found: EefiTotals, line: GoodLine): void {
    for (const { name, value, against, digits } of this.#findings.isClean ? comparisons(stated, found) : []) {
      if (!agrees(value, against, digits)) this.#findings.fault(line, name, disagrees(name, value, against));
    }
  }
}

type Twin = {
  readonly nsu: string | null;
  readonly batch: string | null;
  readonly tid: string | null;
  readonly orderReference: string | null;
};

function isTwinOf({ nsu, batch }: Twin, entry: SettlementEntry): boolean {
  return nsu === entry.nsu && (batch === null || batch === entry.batch);
}

function creditOf(
  values: RecordValues<typeof EEFI_CREDIT>,
  line: GoodLine,
  findings: Findings,
): SettlementEntry | null {
  const installment = installmentOfText(values.installment);
  if (installment === null) {
    findings.fault(line, 'installment', notOf('installment', EEFI_CREDIT.type));
    return null;
  }
  const kind = kindOfStatus(values.status);
  return {
    ...bareEntry(line.lineNumber, kind, values.originalEstablishment ?? values.establishment),
    brand: redeBrand(values.brand),
    ...installment,
    gross: values.gross,
    fee: values.fee,
    net: values.net,
    bankOn: values.creditDay,
    batch: values.batch,
    document: values.document,
    description: kind === 'unknown' ? unknownUnder(values.status) : null,
  };
}

function kindOfStatus(status: string): EntryKind {
  const kind = /\(`(\w+)`\)/.exec(EEFI_CREDIT_STATUS[status] ?? '')?.[1];
  return (kind as EntryKind | undefined) ?? 'unknown';
}

function anticipationOf(
  values: RecordValues<typeof EEFI_ANTICIPATION>,
  line: GoodLine,
  findings: Findings,
): SettlementEntry | null {
  const installment = installmentOfText(values.installment);
  if (installment === null) {
    findings.fault(line, 'installment', notOf('installment', EEFI_ANTICIPATION.type));
    return null;
  }
  return {
    ...bareEntry(line.lineNumber, 'anticipation', values.originalEstablishment ?? values.establishment),
    brand: redeBrand(values.brand),
    ...installment,
    gross: values.originalNet + values.fee,
    fee: values.fee,
    net: values.net,
    anticipationFee: values.originalNet - values.net,
    bankOn: values.creditDay,
    batch: values.batch,
    document: values.document,
  };
}

function creditAdjustmentOf(
  values: RecordValues<typeof EEFI_CREDIT_ADJUSTMENT>,
  line: GoodLine,
): SettlementEntry {
  const reason = reasonOf(values);
  const kind = creditKind(reason);
  return {
    ...bareEntry(line.lineNumber, kind, values.establishment),
    brand: redeBrand(values.brand),
    gross: values.net,
    net: values.net,
    bankOn: values.creditDay,
    document: values.document,
    description: reasonWords(kind, reason, values.description),
  };
}

/** A credit cannot be a cancel or a chargeback. */
function creditKind(reason: string | null): EntryKind {
  const kind = kindOfReason(reason);
  return kind === 'cancel' || kind === 'chargeback' ? 'adjustment' : kind;
}

type Sum = { count: number; amount: number };
type Name = 'credits' | 'anticipations' | 'creditAdjustments' | 'debitAdjustments';

type EefiTotals = Record<Name, Sum>;

type StatedTotals = {
  readonly creditCount: number;
  readonly credits: number;
  readonly anticipationCount: number;
  readonly anticipated: number;
  readonly creditAdjustmentCount: number;
  readonly creditAdjustments: number;
  readonly debitAdjustmentCount: number;
  readonly debitAdjustments: number;
  readonly digits: readonly [number, number, number, number];
};

const NO_DIGITS_LOST = 15;

function comparisons(stated: StatedTotals, found: EefiTotals) {
  const [credits, anticipations, creditAdjustments, debitAdjustments] = stated.digits;
  const count = (name: keyof StatedTotals & `${string}Count`, against: number, digits: number) => ({
    name,
    value: stated[name],
    against,
    digits,
  });
  const amount = (name: Exclude<keyof StatedTotals, `${string}Count` | 'digits'>, against: number) => ({
    name,
    value: stated[name],
    against,
    digits: NO_DIGITS_LOST,
  });
  return [
    count('creditCount', found.credits.count, credits),
    amount('credits', found.credits.amount),
    count('anticipationCount', found.anticipations.count, anticipations),
    amount('anticipated', found.anticipations.amount),
    count('creditAdjustmentCount', found.creditAdjustments.count, creditAdjustments),
    amount('creditAdjustments', found.creditAdjustments.amount),
    count('debitAdjustmentCount', found.debitAdjustments.count, debitAdjustments),
    amount('debitAdjustments', found.debitAdjustments.amount),
  ];
}

function noEefiTotals(): EefiTotals {
  const none = (): Sum => ({ count: 0, amount: 0 });
  return {
    credits: none(),
    anticipations: none(),
    creditAdjustments: none(),
    debitAdjustments: none(),
  };
}
