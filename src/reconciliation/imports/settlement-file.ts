import { withoutCardNumbers } from '../../values/card-number-in-text.ts';
import type { Day, Instant } from '../../values/instant.ts';
import type { SettlementFault, SettlementFileHead } from '../settlement-entry.ts';

export type Taken = {
  readonly kind: 'taken';
  readonly file: SettlementFile;
  readonly replaces: number | null;
  /** Entries by establishments that are not the header's. */
  readonly otherEstablishments: Readonly<Record<string, number>>;
};

export type ImportResult = (
  | Taken
  | { readonly kind: 'known'; readonly file: SettlementFile }
  | {
      readonly kind: 'refused';
      /** If empty, `reason` says what is wrong with the whole file. */
      readonly faults: readonly SettlementFault[];
      readonly reason: string | null;
      readonly isBeingTaken: boolean;
      /** The file may still be uploading: its lines are wrong, or it changed while it was read. */
      readonly mayBecomeWhole: boolean;
    }
) & { readonly sha256: string };

export type SettlementFile = Omit<SettlementFileHead, 'format'> & {
  /** A newer process may have written one that this one does not know. */
  readonly format: string;
  readonly fileNumber: number;
  readonly name: string;
  readonly entries: number;
  /** Cents of its payouts and debits. */
  readonly gross: number;
  readonly net: number;
  readonly missingBefore: number;
  readonly takenAt: Instant;
  /** null while lines are being matched. */
  readonly matchedAt: Instant | null;
};

export type FileRefusal = 'sequenceTaken' | 'nothingToReplace' | 'beingTaken';

/** Earlier files of the same format and establishment. */
export type FilesBefore = {
  /** The file with the same sequence (without one: the same days) that was not replaced. */
  readonly same: number | null;
  readonly highestBelow: number | null;
};

export type FilePlace =
  | { readonly ok: true; readonly replaces: number | null; readonly missingBefore: number }
  | { readonly ok: false; readonly refusal: FileRefusal };

/** Other content under a taken sequence is refused unless marked as sent again: then it replaces the file. */
export function placeOfFile(
  { sequence, isRepetition }: Pick<SettlementFileHead, 'sequence' | 'isRepetition'>,
  { same, highestBelow }: FilesBefore,
): FilePlace {
  // Some acquirers number all repetitions alike: such a file replaces the only one of its days.
  if (sequence === null && isRepetition && same === null) return { ok: false, refusal: 'nothingToReplace' };
  if (sequence === null) return { ok: true, replaces: same, missingBefore: 0 };
  if (same !== null && !isRepetition) return { ok: false, refusal: 'sequenceTaken' };
  const missing = highestBelow === null ? 0 : sequence - highestBelow - 1;
  return { ok: true, replaces: same, missingBefore: Math.max(0, missing) };
}

/** Does not depend on the process or time of the import. */
export function filedChangeId(
  sha256: string,
  lineNumber: number,
  transactionId: string,
  installmentNumber: number,
): string {
  return `file-${sha256.slice(0, 24)}-${lineNumber}-${transactionId.slice(-12)}-${installmentNumber}`;
}

/** By content: a file sent again, or a second line of its document, takes nothing twice. */
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

/** Drops the folder, keeps one line, and masks card numbers. */
export function keptName(name: string): string {
  const [last = ''] = name.split(/[\\/]/).slice(-1);
  return withoutCardNumbers(last.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')).slice(0, 200);
}

export function refusalLines({ reason, faults }: Extract<ImportResult, { kind: 'refused' }>): string[] {
  const english = faults.map((fault) => faultLine(fault, ['line', 'record', 'field'], fault.sentence.en));
  const portuguese = faults.map((fault) =>
    faultLine(fault, ['linha', 'registro', 'campo'], fault.sentence.pt),
  );
  return [...(reason === null ? [] : [reason]), ...english, ...portuguese];
}

function faultLine(
  { lineNumber, record, field }: SettlementFault,
  [ofLine, ofRecord, ofField]: readonly [string, string, string],
  sentence: string,
): string {
  const place = [
    `${ofLine} ${lineNumber}`,
    ...(record === null ? [] : [`${ofRecord} ${record}`]),
    ...(field === null ? [] : [`${ofField} ${field}`]),
  ];
  return `${place.join(', ')}: ${sentence}`;
}

export type WatchedFile = {
  /** Size and modification time. */
  readonly mark: string;
  /** On the monotonic clock: since when it has not changed. */
  readonly since: number;
  readonly restedFor: number;
  readonly isSame: boolean;
  /** Refused with this content; it may still be uploading. */
  readonly wasRefused: boolean;
};

/** How long a file stays unchanged before its lines get it refused. */
const REST_MILLISECONDS = 10 * 60_000;

const UNFINISHED = /\.(part|partial|filepart|tmp|temp|crdownload)$/i;

export function isStillWritten(name: string): boolean {
  return name.startsWith('.') || UNFINISHED.test(name);
}

export function hasRested({ restedFor }: Pick<WatchedFile, 'restedFor'>): boolean {
  return restedFor >= REST_MILLISECONDS;
}

export function isToTry(file: WatchedFile): boolean {
  return file.isSame && (!file.wasRefused || hasRested(file));
}

const LONGEST_NAME_BYTES = 180;
const HASH_DIGITS = 12;

/** A part of the hash keeps files of the same name apart. */
export function movedName(name: string, sha256: string): string {
  const ending = `.${sha256.slice(0, HASH_DIGITS)}`;
  if (name.endsWith(ending)) return name;
  const bytes = Buffer.from(name).subarray(0, LONGEST_NAME_BYTES);
  return `${bytes.toString('utf8').replaceAll('\ufffd', '')}${ending}`;
}
