import type { CardBrand } from '../values/card-number.ts';
import type { Day } from '../values/instant.ts';

export const SETTLEMENT_FORMATS = ['adiq', 'cielo04', 'redeEevc', 'redeEefi'] as const;
export type SettlementFormat = (typeof SETTLEMENT_FORMATS)[number];

/**
 * What a line of an acquirer's file says, whatever the format. `sale`: it knows the sale and will
 * pay. `schedule`: when it will pay what for a batch or an installment of it, with no sale of its
 * own. `payout`: it pays. `anticipation`: it pays earlier, for a fee. `pledge`: it pays somebody
 * else, who has a claim on the money. `adjustment`: a credit or debit of no sale. `unknown`: what the
 * acquirer writes it under is no code that the layout knows, so that it pays and takes nothing.
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
  'unknown',
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** Money is whole cents, negative where it is taken from the merchant; null: the file does not say. */
export type SettlementEntry = {
  /** Of the file, from 1. */
  readonly lineNumber: number;
  readonly kind: EntryKind;
  /** The merchant's number at the acquirer. */
  readonly establishment: string;
  /** What the bridge wrote as order number: our transaction's id, or its last digits. */
  readonly orderReference: string | null;
  readonly tid: string | null;
  readonly nsu: string | null;
  readonly authorizationCode: string | null;
  readonly brand: CardBrand | null;
  readonly cardLastFour: string | null;
  readonly soldOn: Day | null;
  /** Null: of all installments of the sale. */
  readonly installmentNumber: number | null;
  /** Null: the line does not say. */
  readonly installmentCount: number | null;
  /**
   * Of the installment; of the sale where `installmentNumber` is null. Gross less fee is net, all
   * three negative for what is taken.
   */
  readonly gross: number;
  readonly fee: number | null;
  readonly net: number | null;
  readonly anticipationFee: number | null;
  /** When the money is, or will be, at the bank. */
  readonly bankOn: Day | null;
  /** The batch of sales (Rede: RV) that it was captured in; a payout of a batch is paid for all of it. */
  readonly batch: string | null;
  /**
   * The acquirer's number of the order to credit or debit; that of a debit that waits returns when it
   * is settled.
   */
  readonly document: string | null;
  /** The receivable unit (UR) that it is paid under. */
  readonly receivableUnit: string | null;
  /** The acquirer's words of an adjustment or pledge; of what is `unknown` its code before them. Bounded. */
  readonly description: string | null;
};

/** The money of a line, or of a part of it; negative where it is taken from the merchant. */
export type EntryMoney = Pick<SettlementEntry, 'gross' | 'fee' | 'net' | 'anticipationFee'>;

/** What a line brings to the bank. */
export function netOf({ gross, fee, net, anticipationFee }: EntryMoney): number {
  return net ?? gross - (fee ?? 0) - (anticipationFee ?? 0);
}

/** Whether a line of the kind pays the merchant for what was sold. */
export function isPaying(kind: EntryKind): boolean {
  return kind === 'payout' || kind === 'anticipation';
}

/** What the header of a file says. */
export type SettlementFileHead = {
  readonly format: SettlementFormat;
  /** As the file has it. */
  readonly version: string;
  readonly establishment: string;
  readonly madeOn: Day;
  /** The movement that it covers, first and last day. */
  readonly from: Day;
  readonly to: Day;
  /** The acquirer's number of the file; null where the format has none. */
  readonly sequence: number | null;
  /** Sent anew in place of an earlier one. */
  readonly isRepetition: boolean;
};

/** What is certain once the last line was read and all agreed. */
export type SettlementFileEnd = {
  /** Of the bytes of the file, as hexadecimal digits. */
  readonly sha256: string;
  readonly byteCount: number;
  readonly lineCount: number;
  readonly entryCount: number;
  /** The movement as its lines have it: the head of a file of several lots knows only its own day. */
  readonly from: Day;
  readonly to: Day;
  /** Lines that were taken and are no entries of ours, by what they are. */
  readonly leftOut: Readonly<Record<string, number>>;
};

/** Why a file is refused. */
export type SettlementFault = {
  /** From 1. */
  readonly lineNumber: number;
  /** The record of the line as far as it is known, and the field by its name in docs/settlement-files.md. */
  readonly record: string | null;
  readonly field: string | null;
  readonly sentence: { readonly pt: string; readonly en: string };
};

/**
 * What reading a file yields, in this order: its head; its entries; and last the end or the refusal,
 * never both and always one. Behind the first fault there are no entries any more. Nothing of a file
 * counts before its end.
 */
export type SettlementEvent =
  | { readonly type: 'head'; readonly head: SettlementFileHead }
  | { readonly type: 'entry'; readonly entry: SettlementEntry; readonly maskedLine: string }
  | { readonly type: 'end'; readonly end: SettlementFileEnd }
  | { readonly type: 'refused'; readonly faults: readonly SettlementFault[] };
