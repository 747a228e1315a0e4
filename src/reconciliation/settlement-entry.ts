import type * as files from '#settlement-files';
import { ENTRY_KINDS, type EntryKind, FORMATS, type SettlementFormat } from '#settlement-files';
import type { Day } from '../values/instant.ts';

export {
  ENTRY_KINDS,
  type EntryKind,
  SETTLEMENT_FORMATS,
  type SettlementFault,
  type SettlementFormat,
} from '#settlement-files';

/** The package checks its days as ours are checked. */
export type Ours<T> = T extends files.Day
  ? Day
  : T extends string | number | boolean | null
    ? T
    : { readonly [K in keyof T]: Ours<T[K]> };

export type SettlementEntry = Ours<files.SettlementEntry>;
export type SettlementFileHead = Ours<files.SettlementFileHead>;
export type SettlementFileEnd = Ours<files.SettlementFileEnd>;
export type SettlementEvent = Ours<files.SettlementEvent>;

/** Negative if taken from the merchant. */
export type EntryMoney = Pick<SettlementEntry, 'gross' | 'fee' | 'net' | 'anticipationFee'>;

export function netOf({ gross, fee, net, anticipationFee }: EntryMoney): number {
  return net ?? gross - (fee ?? 0) - (anticipationFee ?? 0);
}

type Meaning = {
  /** Counts in the sums of its file, if that pays. */
  readonly isMoney: boolean;
  /** Is looked for in the books, and an exception where it is not found. */
  readonly isMatched: boolean;
};

const MEANINGS: Readonly<Record<EntryKind, Meaning>> = {
  sale: { isMoney: false, isMatched: true },
  schedule: { isMoney: false, isMatched: false },
  payout: { isMoney: true, isMatched: true },
  anticipation: { isMoney: true, isMatched: true },
  cancel: { isMoney: true, isMatched: true },
  cancelReversal: { isMoney: true, isMatched: true },
  chargeback: { isMoney: true, isMatched: true },
  chargebackReversal: { isMoney: true, isMatched: true },
  adjustment: { isMoney: true, isMatched: false },
  pledge: { isMoney: false, isMatched: true },
  notice: { isMoney: false, isMatched: false },
  unknown: { isMoney: true, isMatched: true },
};

export function isMoney(kind: EntryKind): boolean {
  return MEANINGS[kind].isMoney;
}

export function isMatched(kind: EntryKind): boolean {
  return MEANINGS[kind].isMatched;
}

/** What a line is of whose money an exception stands for. */
export const MATCHED_MONEY = ENTRY_KINDS.filter((kind) => isMoney(kind) && isMatched(kind));
export const PAYING_FORMATS: readonly SettlementFormat[] = FORMATS.flatMap(({ format, pays }) =>
  pays ? [format] : [],
);

/** False for a format that only a newer process knows. */
export function isDaily(name: string): boolean {
  return FORMATS.some(({ format, isDaily }) => format === name && isDaily);
}

export function isPaying(kind: EntryKind): boolean {
  return kind === 'payout' || kind === 'anticipation';
}

/** Short order numbers of acquirers keep at least so many digits of our reference. */
const LEAST_REFERENCE_DIGITS = 16;

/** Hexadecimal; null: not our reference. */
export function referenceDigits(orderReference: string | null): string | null {
  const digits = (orderReference ?? '').trim().replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{16,32}$/.test(digits) ? digits : null;
}

/** Receivables are found by this signed number. */
export function referenceTail(orderReference: string | null): bigint | null {
  const digits = referenceDigits(orderReference);
  return digits === null ? null : BigInt.asIntN(64, BigInt(`0x${digits.slice(-LEAST_REFERENCE_DIGITS)}`));
}
