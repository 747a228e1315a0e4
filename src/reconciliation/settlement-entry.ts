import type * as files from '#settlement-files';
import type { EntryKind } from '#settlement-files';
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
