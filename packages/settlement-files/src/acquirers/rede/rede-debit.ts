import type { CardBrand } from '../../card-number.ts';
import type { Day } from '../../day.ts';
import type { EntryKind, SettlementEntry, SettlementFileHead } from '../../entry.ts';
import type { SettlementFormat } from '../../formats.ts';
import {
  agrees,
  bareEntry,
  keptText,
  negative,
  redeBrand,
  unknownUnder,
} from '../../records/entry-fields.ts';
import { disagrees } from '../../records/faults.ts';
import type { Findings, Place } from '../../records/findings.ts';
import type { RecordValues } from '../../records/fixed-width.ts';
import {
  type EEFI_BANK_DEBIT,
  type EEFI_NET_ADJUSTMENT,
  type EEFI_PENDING_DEBIT,
  type EEFI_SETTLED_DEBIT,
  type EEFI_UNSCHEDULED,
  REDE_REASONS,
} from './rede-debits-layout.ts';
import type { EEFI_HEADER } from './rede-eefi-layout.ts';
import type { EEVC_HEADER } from './rede-eevc-layout.ts';
import type { EEVD_HEADER } from './rede-eevd-layout.ts';

export function kindOfReason(reason: string | null): EntryKind {
  const words = REDE_REASONS[reason ?? ''];
  if (words === undefined) return 'unknown';
  return (/\(`(\w+)`/.exec(words)?.[1] as EntryKind | undefined) ?? 'adjustment';
}

/** Since V4.00 a four-byte field holds the reason, and the two-byte field zeros. */
export function reasonOf(values: {
  readonly reason: string | null;
  readonly longReason: string | null;
}): string | null {
  return (values.reason ?? values.longReason)?.replace(/^0+/, '') ?? null;
}

export function reasonWords(kind: EntryKind, reason: string | null, words: string | null): string | null {
  if (kind === 'unknown') return unknownUnder(reason, words);
  return keptText([reason, words].filter((text) => text !== null).join(' '));
}

type Facts = {
  readonly establishment: string;
  readonly reason: string | null;
  readonly longReason: string | null;
  readonly description: string | null;
  readonly nsu: string | null;
  readonly authorizationCode: string | null;
  readonly card: string | null;
  readonly soldOn: Day | null;
  readonly batch: string | null;
  readonly document: string | null;
  readonly brand: string | null;
};

function debitEntry(
  lineNumber: number,
  facts: Facts,
  money: { readonly gross: number; readonly net: number | null; readonly bankOn: Day | null },
): SettlementEntry {
  const reason = reasonOf(facts);
  const kind = debitKind(reason);
  return {
    ...bareEntry(lineNumber, kind, facts.establishment),
    nsu: facts.nsu,
    authorizationCode: facts.authorizationCode,
    brand: redeBrand(facts.brand),
    cardLastFour: facts.card,
    soldOn: facts.soldOn,
    gross: negative(money.gross),
    net: money.net === null ? null : negative(money.net),
    bankOn: money.bankOn,
    batch: facts.batch,
    document: facts.document,
    description: reasonWords(kind, reason, facts.description),
  };
}

/** A debit cannot be the reversal of a chargeback. */
function debitKind(reason: string | null): EntryKind {
  const kind = kindOfReason(reason);
  return kind === 'chargebackReversal' ? 'adjustment' : kind;
}

/** `isOfCredit`: what is kept was added to the credit before it. */
export function netAdjustment(
  values: RecordValues<typeof EEFI_NET_ADJUSTMENT>,
  lineNumber: number,
  isOfCredit: boolean,
): SettlementEntry {
  const gross = askedFor(values);
  const facts = {
    ...values,
    establishment: values.originalEstablishment ?? values.establishment,
    brand: values.batchBrand,
  };
  const money = { gross, net: values.amount, bankOn: values.creditDay };
  if (isOfCredit) return debitEntry(lineNumber, facts, money);
  // Another `way`, or another credit, which is net of it already: it must not be taken twice.
  const entry = debitEntry(lineNumber, facts, { ...money, net: 0 });
  return { ...entry, kind: 'unknown', description: unknownUnder(values.way, values.description) };
}

export function bankDebit(values: RecordValues<typeof EEFI_BANK_DEBIT>, lineNumber: number): SettlementEntry {
  const gross = askedFor(values);
  return debitEntry(lineNumber, ofSale(values), {
    gross,
    net: values.amount,
    bankOn: values.debitDay ?? values.madeOn,
  });
}

export function orderedDebit(
  values: RecordValues<typeof EEFI_PENDING_DEBIT> | RecordValues<typeof EEFI_SETTLED_DEBIT>,
  lineNumber: number,
): SettlementEntry {
  return debitEntry(lineNumber, ofSale(values), {
    gross: values.amount,
    net: values.paid,
    bankOn: values.paidOn,
  });
}

/** The requested amount. For a part, or without a request, the debited amount. */
function askedFor(values: {
  readonly amount: number;
  readonly requested: number;
  readonly extent: string | null;
}): number {
  return values.requested === 0 || values.extent === 'P' ? values.amount : values.requested;
}

function ofSale<V extends { readonly establishment: string; readonly originalEstablishment: string | null }>(
  values: V,
): V {
  return { ...values, establishment: values.originalEstablishment ?? values.establishment };
}

const KINDS_OF_UNSCHEDULED: Readonly<Record<string, EntryKind>> = { '1': 'cancel', '2': 'chargeback' };

/** Moves no money: the installment will be paid less, or not at all. */
export function unscheduled(
  values: RecordValues<typeof EEFI_UNSCHEDULED>,
  lineNumber: number,
): SettlementEntry {
  const brand: CardBrand | null = redeBrand(values.brand);
  const kind = KINDS_OF_UNSCHEDULED[values.debitType] ?? 'unknown';
  return {
    ...bareEntry(lineNumber, kind, values.establishment),
    nsu: values.nsu,
    brand,
    cardLastFour: values.card,
    soldOn: values.soldOn,
    installmentNumber: values.installmentNumber === null ? 1 : Math.max(values.installmentNumber, 1),
    gross: negative(values.amount),
    net: 0,
    bankOn: values.creditDay,
    batch: values.batch,
    description: kind === 'unknown' ? unknownUnder(values.debitType) : null,
  };
}

/** A file reports the movement of the day on which it is made, unless it says another. */
export function redeHead(
  format: SettlementFormat,
  values:
    | RecordValues<typeof EEVC_HEADER>
    | RecordValues<typeof EEFI_HEADER>
    | RecordValues<typeof EEVD_HEADER>,
): SettlementFileHead {
  const isRepetition = /^reproc/i.test(values.processing);
  return {
    format,
    version: values.version,
    establishment: values.establishment,
    madeOn: values.madeOn,
    from: values.madeOn,
    to: values.madeOn,
    // Repetitions share one number, so it does not identify a file.
    sequence: isRepetition ? null : values.sequence,
    isRepetition,
  };
}

const DIGITS = { branchCount: 4, recordCount: 6 } as const;
type LineCounts = Readonly<Record<keyof typeof DIGITS, number>>;

export function checkLineCounts(
  stated: LineCounts,
  found: LineCounts,
  place: Place,
  findings: Findings,
): void {
  if (!findings.isClean) return;
  for (const name of ['branchCount', 'recordCount'] as const) {
    if (agrees(stated[name], found[name], DIGITS[name])) continue;
    findings.fault(place, name, disagrees(name, stated[name], found[name]));
  }
}
