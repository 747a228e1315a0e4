import type { Day, Instant } from '../../values/instant.ts';
import type { EntryKind, SettlementFileHead, SettlementFormat } from '../settlement-entry.ts';
import type { ImportResult } from './import-settlement-file.ts';

/** A file that was taken, as the operator sees it. */
export type SettlementFile = SettlementFileHead & {
  readonly fileNumber: number;
  readonly name: string;
  readonly entries: number;
  /** Cents of its payouts and debits. */
  readonly gross: number;
  readonly net: number;
  /** How many files are missing between the one before and this one. */
  readonly missingBefore: number;
  readonly takenAt: Instant;
  /** Null: its lines are still being matched. */
  readonly matchedAt: Instant | null;
};

/** Why a file is not taken, beside what its layout says of its lines. */
export type FileRefusal = 'sequenceTaken' | 'nothingToReplace' | 'beingTaken';

/** What is known of the files of the same format and establishment when one is to be taken. */
export type FilesBefore = {
  /**
   * The one of the same sequence that was not replaced, or without a sequence the only one of the same
   * days; null: none.
   */
  readonly same: number | null;
  /** The highest sequence below; null: none. */
  readonly highestBelow: number | null;
};

export type FilePlace =
  | { readonly ok: true; readonly replaces: number | null; readonly missingBefore: number }
  | { readonly ok: false; readonly refusal: FileRefusal };

/**
 * Where a file stands among those before. Another content under a number that was taken is refused,
 * unless its header says that it was sent anew: then it takes the place of the earlier one.
 */
export function placeOfFile(
  { sequence, isRepetition }: Pick<SettlementFileHead, 'sequence' | 'isRepetition'>,
  { same, highestBelow }: FilesBefore,
): FilePlace {
  // Some acquirers give all that is sent anew one number: it replaces the one file of its days.
  if (sequence === null && isRepetition && same === null) return { ok: false, refusal: 'nothingToReplace' };
  if (sequence === null) return { ok: true, replaces: same, missingBefore: 0 };
  if (same !== null && !isRepetition) return { ok: false, refusal: 'sequenceTaken' };
  const missing = highestBelow === null ? 0 : sequence - highestBelow - 1;
  return { ok: true, replaces: same, missingBefore: Math.max(0, missing) };
}

/** Whether lines of the format bring money to the bank; the others only say what was sold. */
export const PAYS: Readonly<Record<SettlementFormat, boolean>> = {
  adiq: true,
  cielo04: true,
  redeEevc: false,
  redeEefi: true,
};

/** Whether a line of the kind is counted in the sums of a file. */
export function isMoney(kind: EntryKind): boolean {
  return kind !== 'sale' && kind !== 'schedule' && kind !== 'pledge';
}

/**
 * The id of the change that a line becomes for an installment: the same by whatever process the file is
 * taken, and whenever.
 */
export function filedChangeId(
  sha256: string,
  lineNumber: number,
  transactionId: string,
  installmentNumber: number,
): string {
  return `file-${sha256.slice(0, 24)}-${lineNumber}-${transactionId.slice(-12)}-${installmentNumber}`;
}

/**
 * The id of the change that a chargeback of a file becomes: of what it says, so that a file which is sent
 * anew, or a second line under the same document, takes nothing again.
 */
export function filedChargebackId(chargeback: {
  readonly transactionId: string;
  readonly installmentNumber: number;
  readonly amount: number;
  readonly day: Day;
  readonly document: string | null;
}): string {
  const { transactionId, installmentNumber, amount, day, document } = chargeback;
  const place = `${transactionId.slice(-12)}-${installmentNumber}`;
  return `file-${place}-${amount}-${(document ?? day).slice(0, 20)}`;
}

/** A file's name as it is kept: without its folder, in one line. */
export function keptName(name: string): string {
  const [last = ''] = name.split(/[\\/]/).slice(-1);
  return last.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd').slice(0, 200);
}

/** Why a file was refused, in lines for the operator. */
export function refusalLines({ reason, faults }: Extract<ImportResult, { kind: 'refused' }>): string[] {
  const ofLines = faults.map(({ lineNumber, record, field, sentence }) => {
    const place = [
      `line ${lineNumber}`,
      ...(record === null ? [] : [`record ${record}`]),
      ...(field === null ? [] : [`field ${field}`]),
    ];
    return `${place.join(', ')}: ${sentence.en}`;
  });
  return [...(reason === null ? [] : [reason]), ...ofLines];
}
