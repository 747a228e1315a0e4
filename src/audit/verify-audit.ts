import { listDataKeys } from '../keys/data-keys.sql.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import type { Database } from '../platform/postgres/database.ts';
import { type AuditEntry, type AuditHead, type ChainFault, entryBytes, headBytes } from './audit-chain.ts';
import { findEnds, pageOfEntries } from './audit-entries.sql.ts';

export type VerifyTools = {
  readonly database: Database;
  readonly keyring: Pick<Keyring, 'checkAuditSeal' | 'reload'>;
};

/**
 * Number and seal of an entry as they were logged when it was written, kept where they cannot be
 * changed.
 */
export type AuditAnchor = { readonly entryNumber: number; readonly seal: Buffer };

export type AuditVerdict =
  | { readonly isWhole: true; readonly entries: number; readonly seal: Buffer }
  | { readonly isWhole: false; readonly fault: ChainFault; readonly entryNumber: number };

const PAGE_ENTRIES = 500;
/**
 * A rotation is audited under the key that it retires, and its moment is that of its beginning: it
 * may have waited for locks since.
 */
const RETIRING_MILLISECONDS = 60_000;

/** The audit keys and when each was retired, in milliseconds since the epoch; infinite for the one in use. */
type AuditKeys = ReadonlyMap<number, number>;
type ChainEnd = AuditAnchor & { readonly dataKeyId: number | null };
const BEFORE_ALL: ChainEnd = { entryNumber: 0, seal: Buffer.alloc(0), dataKeyId: null };

/**
 * Walks the chain from its first entry to the end that it had when the walk began, in bounded pages, and gives the first
 * entry at which something is wrong. Without an anchor, a chain that was put back whole to an older state, its head too,
 * is whole.
 */
export async function verifyAudit(tools: VerifyTools, anchor: AuditAnchor | null): Promise<AuditVerdict> {
  const { database, keyring } = tools;
  await keyring.reload();
  const { head, lastNumber } = await findEnds(database);
  const isHeadSealed = head !== null && (await hasHeadSeal(keyring, head));
  // An end that somebody made up says nothing of how far to go.
  const last = isHeadSealed ? Math.min(head.entryNumber, lastNumber) : lastNumber;
  // Read after the ends: every key that sealed an entry before them is among these.
  const { end, fault } = await walk(tools, await findAuditKeys(database), last, anchor);
  const broken = (of: ChainFault, entryNumber: number) =>
    ({ isWhole: false, fault: of, entryNumber }) as const;
  if (fault !== null) return broken(fault, end.entryNumber + 1);
  if (head === null) return broken('headMissing', end.entryNumber);
  if (!isHeadSealed) return broken('headAltered', end.entryNumber);
  if (end.entryNumber < head.entryNumber) return broken('tailMissing', end.entryNumber + 1);
  if (lastNumber > head.entryNumber) return broken('entryBeyondHead', head.entryNumber + 1);
  if (!end.seal.equals(head.seal)) return broken('headUnlinked', end.entryNumber);
  if (end.entryNumber > 0 && end.dataKeyId !== head.dataKeyId)
    return broken('headSealOutdated', end.entryNumber);
  if (anchor !== null && anchor.entryNumber > end.entryNumber) {
    return broken('anchorMissing', end.entryNumber + 1);
  }
  return { isWhole: true, entries: end.entryNumber, seal: end.seal };
}

async function findAuditKeys(database: Database): Promise<AuditKeys> {
  const keys = (await listDataKeys(database)).filter(({ purpose }) => purpose === 'audit');
  return new Map(keys.map((key) => [key.dataKeyId, key.retiredAt ?? Number.POSITIVE_INFINITY]));
}

/** Up to the entry `last`; gives the last one that is as it should be, and what is wrong with the next. */
async function walk(
  tools: VerifyTools,
  keys: AuditKeys,
  last: number,
  anchor: AuditAnchor | null,
): Promise<{ end: ChainEnd; fault: ChainFault | null }> {
  let end = BEFORE_ALL;
  while (end.entryNumber < last) {
    // From the one before on, so that a second entry of its number is seen on the edge of a page too.
    const from = end === BEFORE_ALL ? -Number.MAX_SAFE_INTEGER : end.entryNumber;
    const page = await pageOfEntries(tools.database, from, PAGE_ENTRIES);
    const [first] = page;
    const isSeen = first?.entryNumber === end.entryNumber && first.seal.equals(end.seal);
    const next = isSeen ? page.slice(1) : page;
    if (next.length === 0) break;
    for (const entry of next) {
      if (end.entryNumber >= last) break;
      const fault = (await faultOf(tools, keys, entry, end)) ?? anchorFault(entry, anchor);
      if (fault !== null) return { end, fault };
      end = entry;
    }
  }
  return { end, fault: null };
}

function hasHeadSeal(keyring: VerifyTools['keyring'], head: AuditHead): Promise<boolean> {
  const { dataKeyId, entryNumber, seal, headSeal } = head;
  if (dataKeyId === null) return Promise.resolve(false);
  return keyring.checkAuditSeal(dataKeyId, headBytes(entryNumber, seal), headSeal);
}

async function faultOf(
  { keyring }: VerifyTools,
  keys: AuditKeys,
  entry: AuditEntry,
  before: ChainEnd,
): Promise<ChainFault | null> {
  const expected = before.entryNumber + 1;
  if (entry.entryNumber > expected) return 'entryMissing';
  if (entry.entryNumber < expected || !entry.previousSeal.equals(before.seal)) return 'entryUnlinked';
  const retiredAt = keys.get(entry.dataKeyId);
  if (retiredAt === undefined) return 'sealForeign';
  if (!(await keyring.checkAuditSeal(entry.dataKeyId, entryBytes(entry), entry.seal))) return 'entryAltered';
  // Numbers of keys rise with each rotation. A stolen former key seals nothing behind its time.
  const isBackward = before.dataKeyId !== null && entry.dataKeyId < before.dataKeyId;
  const isLate = Number(entry.occurredAtSeconds) * 1_000 > retiredAt + RETIRING_MILLISECONDS;
  return isBackward || isLate ? 'sealOutdated' : null;
}

function anchorFault(entry: AuditEntry, anchor: AuditAnchor | null): ChainFault | null {
  if (anchor === null || entry.entryNumber !== anchor.entryNumber) return null;
  return entry.seal.equals(anchor.seal) ? null : 'anchorDiffers';
}
