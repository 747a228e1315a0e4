import type { AuditEntry } from './audit-chain.ts';
import { lengthPrefixed } from './audit-chain.ts';
import type { AuditAction } from './audit-event.ts';

/** Entries moved to a file. The chain in the database continues after the last of them. */
export type AuditArchive = {
  readonly firstNumber: number;
  readonly lastNumber: number;
  /** The seal of the last archived entry, and its key. */
  readonly lastSeal: Buffer;
  readonly lastKeyId: number;
  readonly fileSha256: Buffer;
  readonly dataKeyId: number;
  /**
   * Covers all fields but `dataKeyId`, under which it is made: without that key nobody can forge where the
   * chain begins.
   */
  readonly seal: Buffer;
};

const ARCHIVE_MARK = 'parcela audit archive 1';
const NUMBER_DIGITS = 12;

export function archiveBytes(archive: Omit<AuditArchive, 'dataKeyId' | 'seal'>): Buffer {
  const { firstNumber, lastNumber, lastSeal, lastKeyId, fileSha256 } = archive;
  const numbers = [firstNumber, lastNumber, lastKeyId].map(String);
  return lengthPrefixed([ARCHIVE_MARK, ...numbers, lastSeal, fileSha256]);
}

/** Names sort in the order of their entries. */
export function archiveFileName({
  firstNumber,
  lastNumber,
}: Pick<AuditArchive, 'firstNumber' | 'lastNumber'>): string {
  const digits = (number: number) => String(number).padStart(NUMBER_DIGITS, '0');
  return `audit-${digits(firstNumber)}-${digits(lastNumber)}.jsonl`;
}

export function archiveLine(entry: AuditEntry): string {
  const { entryNumber, occurredAtSeconds, actor, action, outcome, origin, resource, detail, dataKeyId } =
    entry;
  const said = {
    entryNumber,
    occurredAtSeconds,
    actor,
    action,
    outcome,
    origin,
    resource,
    detail,
    dataKeyId,
  };
  const seals = { previousSeal: entry.previousSeal.toString('hex'), seal: entry.seal.toString('hex') };
  return `${JSON.stringify({ ...said, ...seals })}\n`;
}

const TEXTS = ['occurredAtSeconds', 'actor', 'action', 'outcome', 'origin', 'resource', 'detail'] as const;

/** null: not an archived entry. The caller checks its seal. */
export function parseArchiveLine(line: string): AuditEntry | null {
  const read = readObject(line);
  if (read === null) return null;
  const isWhole = (name: string) => Number.isSafeInteger(read[name]);
  const isText = (name: string) => typeof read[name] === 'string';
  if (!isWhole('entryNumber') || !isWhole('dataKeyId')) return null;
  if (![...TEXTS, 'previousSeal', 'seal'].every(isText)) return null;
  return {
    entryNumber: read.entryNumber as number,
    occurredAtSeconds: read.occurredAtSeconds as string,
    actor: read.actor as string,
    action: read.action as AuditAction,
    outcome: read.outcome as AuditEntry['outcome'],
    origin: read.origin as string,
    resource: read.resource as string,
    detail: read.detail as string,
    dataKeyId: read.dataKeyId as number,
    previousSeal: Buffer.from(read.previousSeal as string, 'hex'),
    seal: Buffer.from(read.seal as string, 'hex'),
  };
}

function readObject(line: string): Record<string, unknown> | null {
  try {
    const read: unknown = JSON.parse(line);
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
