import type { StoredEvent } from './audit-event.ts';

/** One link of the chain. Its seal says whether it is as it was written. */
export type AuditEntry = StoredEvent & {
  /** From 1 on, without holes. */
  readonly entryNumber: number;
  /**
   * Seconds since the epoch with all six decimals, as PostgreSQL writes them: exact, and the same
   * in every session.
   */
  readonly occurredAtSeconds: string;
  readonly dataKeyId: number;
  /** Empty before the first entry. */
  readonly previousSeal: Buffer;
  readonly seal: Buffer;
};

/** Where the chain ends. */
export type AuditHead = {
  /** 0: nothing was written yet. */
  readonly entryNumber: number;
  readonly seal: Buffer;
  readonly headSeal: Buffer;
  readonly dataKeyId: number | null;
};

/** What is wrong with a chain, in the order in which it is looked for at one entry. */
export type ChainFault =
  /** There is no end, though there are entries. */
  | 'headMissing'
  /** The end was written by somebody without the key. */
  | 'headAltered'
  /** No entry has this number, though the chain goes on behind it. */
  | 'entryMissing'
  /** The entry does not hold the seal of the one before: another order, or an entry from elsewhere. */
  | 'entryUnlinked'
  /** It names a key that seals no audit entries. */
  | 'sealForeign'
  /** Its fields are not those that were sealed. */
  | 'entryAltered'
  /** Its key had been replaced by then: it sealed after a later key, or after it was retired. */
  | 'sealOutdated'
  /** The end points behind the last entry. */
  | 'tailMissing'
  /** There are entries behind the end. */
  | 'entryBeyondHead'
  /** The last entry is not the one that the end names. */
  | 'headUnlinked'
  /** The end is sealed by another key than the last entry. */
  | 'headSealOutdated'
  /** The chain ends before an entry that was known to be there. */
  | 'anchorMissing'
  /** An entry is not the one that was known. */
  | 'anchorDiffers'
  /** The entry that was known is in an archive whose file was not named. */
  | 'anchorArchived'
  /** An anchor of an archive was written by somebody without the key. */
  | 'archiveAltered'
  /** An anchor of an archive is gone, though a later one is there. */
  | 'archiveMissing'
  /** A file is not the one that was archived, or the entries do not end where the archive does. */
  | 'archiveDiffers'
  /** Between files that were named, or behind them, is one that was not. */
  | 'archiveNotNamed';

const ENTRY_MARK = 'parcela audit entry 1';
const HEAD_MARK = 'parcela audit head 1';

/**
 * What is sealed of an entry: every field with its length in front, so that no two entries have the
 * same bytes.
 */
export function entryBytes(entry: Omit<AuditEntry, 'dataKeyId' | 'seal'>): Buffer {
  return lengthPrefixed([
    ENTRY_MARK,
    String(entry.entryNumber),
    entry.occurredAtSeconds,
    entry.actor,
    entry.action,
    entry.outcome,
    entry.origin,
    entry.resource,
    entry.detail,
    entry.previousSeal,
  ]);
}

/** What is sealed of the end: an older one cannot be forged without the key. */
export function headBytes(entryNumber: number, seal: Buffer): Buffer {
  return lengthPrefixed([HEAD_MARK, String(entryNumber), seal]);
}

/** Every field with its length in front. */
export function lengthPrefixed(fields: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(
    fields.flatMap((field) => {
      const bytes = typeof field === 'string' ? Buffer.from(field, 'utf8') : field;
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}
