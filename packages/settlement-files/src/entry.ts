import type { CardBrand } from './card-number.ts';
import type { Day } from './day.ts';
import type { SettlementFormat } from './formats.ts';
import type { Sentence } from './sentence.ts';

/**
 * `sale`: known, will be paid. `schedule`: future payments of a batch or installment. `anticipation`: an
 * early payout for a fee. `pledge`: a payout to a holder of a claim. `adjustment`: a credit or debit of no
 * sale. `notice`: is only told: no money of a sale by credit. `unknown`: a code that is not in the
 * layout; pays and takes nothing.
 */
export const ENTRY_KINDS = [
  'sale',
  'schedule',
  'payout',
  'anticipation',
  'cancel',
  'cancelReversal',
  'chargeback',
  'chargebackReversal',
  'adjustment',
  'pledge',
  'notice',
  'unknown',
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** Money is whole cents, negative if taken from the merchant, null if the file does not say. */
export type SettlementEntry = {
  /** From 1. */
  readonly lineNumber: number;
  readonly kind: EntryKind;
  /** The merchant's number at the acquirer. */
  readonly establishment: string;
  /** The order number that the bridge sent: our transaction's id, or its last digits. */
  readonly orderReference: string | null;
  readonly tid: string | null;
  readonly nsu: string | null;
  readonly authorizationCode: string | null;
  readonly brand: CardBrand | null;
  readonly cardLastFour: string | null;
  readonly soldOn: Day | null;
  /** null: all installments of the sale. */
  readonly installmentNumber: number | null;
  readonly installmentCount: number | null;
  /** Covers the installment or the whole sale. Net is gross less fees. All are negative if taken back. */
  readonly gross: number;
  readonly fee: number | null;
  readonly net: number | null;
  readonly anticipationFee: number | null;
  readonly bankOn: Day | null;
  /** The batch (Rede: RV) of the capture. A batch is paid as a whole. */
  readonly batch: string | null;
  /** The order number of a credit or debit. A pending debit keeps it when it is settled. */
  readonly document: string | null;
  /** The receivable unit (UR). */
  readonly receivableUnit: string | null;
  /** Words of an adjustment or pledge. If `unknown`, the code comes first. Bounded. */
  readonly description: string | null;
};

export type SettlementFileHead = {
  readonly format: SettlementFormat;
  readonly version: string;
  readonly establishment: string;
  readonly madeOn: Day;
  readonly from: Day;
  readonly to: Day;
  readonly sequence: number | null;
  /** Replaces an earlier file. */
  readonly isRepetition: boolean;
};

export type SettlementFileEnd = {
  /** Hexadecimal. */
  readonly sha256: string;
  readonly byteCount: number;
  readonly lineCount: number;
  readonly entryCount: number;
  /** Days of the lines: a header of several lots knows only its own day. */
  readonly from: Day;
  readonly to: Day;
  /** Accepted lines that are no entries. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Entries by establishments that are not the header's: branches, or somebody else's header. */
  readonly otherEstablishments: Readonly<Record<string, number>>;
};

export type SettlementFault = {
  /** From 1. */
  readonly lineNumber: number;
  /** `field`: as docs/settlement-files.md names it. */
  readonly record: string | null;
  readonly field: string | null;
  readonly sentence: Sentence;
};

/** The head, entries, then one end or refusal. No entry follows a fault. Nothing counts before the end. */
export type SettlementEvent =
  | { readonly type: 'head'; readonly head: SettlementFileHead }
  | { readonly type: 'entry'; readonly entry: SettlementEntry; readonly maskedLine: string }
  | { readonly type: 'end'; readonly end: SettlementFileEnd }
  | { readonly type: 'refused'; readonly faults: readonly SettlementFault[] };
