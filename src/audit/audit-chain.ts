import type { StoredEvent } from './audit-event.ts';

/** One link of the chain. Its seal shows whether it is unaltered. */
export type AuditEntry = StoredEvent & {
  /** From 1, without gaps. */
  readonly entryNumber: number;
  /** Seconds since the epoch with six decimals, as PostgreSQL writes them: exact in every session. */
  readonly occurredAtSeconds: string;
  readonly dataKeyId: number;
  /** The seal of the entry before; empty in the first entry. */
  readonly previousSeal: Buffer;
  readonly seal: Buffer;
};

export type AuditHead = {
  /** 0: no entry yet. */
  readonly entryNumber: number;
  readonly seal: Buffer;
  readonly headSeal: Buffer;
  readonly dataKeyId: number | null;
};

/**
 * The faults of an entry stand in the order in which it is checked for them. "Anchor": number and seal of an
 * entry, kept elsewhere; of an archive, its row in audit_archives.
 */
export type ChainFault =
  /** There are entries, and no head. */
  | 'headMissing'
  /** The head was written without the key. */
  | 'headAltered'
  /** A number is missing before the end. */
  | 'entryMissing'
  /** The entry does not hold the seal of the one before. */
  | 'entryUnlinked'
  /** The entry's key is no audit key. */
  | 'sealForeign'
  /** The entry's fields are not those that were sealed. */
  | 'entryAltered'
  /** The entry's key was already replaced or retired. */
  | 'sealOutdated'
  /** The head names an entry after the last. */
  | 'tailMissing'
  /** There are entries after the head's. */
  | 'entryBeyondHead'
  /** The last entry is not the one that the head names. */
  | 'headUnlinked'
  /** Head and last entry are sealed by different keys. */
  | 'headSealOutdated'
  /** The chain ends before the entry of the given anchor. */
  | 'anchorMissing'
  /** The entry of the given anchor has another seal. */
  | 'anchorDiffers'
  /** The entry of the given anchor is in an archive whose file was not given. */
  | 'anchorArchived'
  /** An archive's anchor was written without the key. */
  | 'archiveAltered'
  /** An archive's anchor is missing before a later one. */
  | 'archiveMissing'
  /** A file differs from its archive, or entries do not end with the seal that the archive has. */
  | 'archiveDiffers'
  /** The file of an archive is missing between or after the given ones. */
  | 'archiveNotNamed';

const ENTRY_MARK = 'parcela audit entry 1';
const HEAD_MARK = 'parcela audit head 1';

/** Every field with its length, so that no two entries have the same bytes. */
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

/** What the head's seal covers: who removes the last entries cannot make a head that fits the others. */
export function headBytes(entryNumber: number, seal: Buffer): Buffer {
  return lengthPrefixed([HEAD_MARK, String(entryNumber), seal]);
}

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
