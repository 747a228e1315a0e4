import { type AuditArchive, archiveBytes } from './archive.ts';
import { ArchiveUnreadable, readArchive } from './archive-audit.ts';
import { type AuditHead, type ChainFault, headBytes } from './audit-chain.ts';
import { type ChainEnds, findEnds, listArchives } from './audit-entries.sql.ts';
import type { VerifyTools } from './open-chain-walk.ts';

import {
  type AuditAnchor,
  type AuditKeys,
  type ChainEnd,
  type ChainWalk,
  endOf,
  entriesOf,
  findAuditKeys,
  type KnownEntry,
  openChainWalk,
} from './open-chain-walk.ts';

export type { AuditAnchor } from './open-chain-walk.ts';

export type VerifyRequest = {
  readonly anchor: AuditAnchor | null;
  /** Archive files in any order: the newest, or consecutive ones up to it. */
  readonly archives: readonly string[];
};

export type AuditVerdict =
  | {
      readonly isWhole: true;
      readonly entries: number;
      readonly seal: Buffer;
      /**
       * `archived`: how many entries are archived. `readFrom`: the number of the first entry that was read.
       */
      readonly archived: number;
      readonly readFrom: number;
    }
  | { readonly isWhole: false; readonly fault: ChainFault; readonly entryNumber: number };

type Found = { readonly fault: ChainFault; readonly entryNumber: number };

/**
 * If an archive that is made meanwhile deletes entries, the chain is read again from its beginning, so often
 * at most.
 */
const MOST_WALKS = 20;

/**
 * Walks the chain to its end as it was at the start, in bounded pages, and returns the first fault. Begins at
 * the first entry, after the archives, or in the first given file. Without an anchor, a chain restored whole
 * to an older state is valid.
 */
export async function verifyAudit(tools: VerifyTools, request: VerifyRequest): Promise<AuditVerdict> {
  let began = (await findEnds(tools.database)).firstNumber;
  for (let walks = 1; ; walks += 1) {
    const verdict = await verifyOnce(tools, request);
    if (verdict.isWhole) return verdict;
    const { firstNumber } = await findEnds(tools.database);
    if (firstNumber === began || walks === MOST_WALKS) return verdict;
    began = firstNumber;
  }
}

async function verifyOnce(tools: VerifyTools, request: VerifyRequest): Promise<AuditVerdict> {
  const { database, keyring } = tools;
  await keyring.reload();
  const archives = await listArchives(database);
  const ends = await findEnds(database);
  // The keys are read after the ends, so that every key of the entries up to these is among them.
  const keys = await findAuditKeys(database);
  const archived = await faultOfAnchors(keyring, archives);
  if (archived !== null) return broken(archived);
  const known = knownEntries(archives, request.anchor);
  const filed = await followFiles({ keyring, keys, known, archives }, request.archives);
  if ('fault' in filed) return broken(filed);
  const { end, fault } = await followDatabase(tools, { keys, known, archives, ends });
  if (fault !== null) return broken({ fault, entryNumber: end.entryNumber + 1 });
  const wrong = (await faultOfHead(keyring, ends, end)) ?? faultOfAnchor(request.anchor, end, filed.readFrom);
  if (wrong !== null) return broken(wrong);
  const { readFrom } = filed;
  return { isWhole: true, entries: end.entryNumber, seal: end.seal, archived: lastOf(archives), readFrom };
}

function broken({ fault, entryNumber }: Found): AuditVerdict {
  return { isWhole: false, fault, entryNumber };
}

/** The number of the last archived entry; 0: none. */
function lastOf(archives: readonly AuditArchive[]): number {
  return archives.at(-1)?.lastNumber ?? 0;
}

/** Each archive must follow the one before and be written with the keys. */
async function faultOfAnchors(
  keyring: VerifyTools['keyring'],
  archives: readonly AuditArchive[],
): Promise<Found | null> {
  let last = 0;
  for (const archive of archives) {
    const { firstNumber: entryNumber, dataKeyId, seal } = archive;
    if (entryNumber !== last + 1) return { fault: 'archiveMissing', entryNumber: last + 1 };
    const isSealed = await keyring.checkAuditSeal(dataKeyId, archiveBytes(archive), seal);
    if (!isSealed) return { fault: 'archiveAltered', entryNumber };
    last = archive.lastNumber;
  }
  return null;
}

function knownEntries(archives: readonly AuditArchive[], anchor: AuditAnchor | null): KnownEntry[] {
  return [
    ...archives.map(({ lastNumber, lastSeal }) => {
      return { entryNumber: lastNumber, seal: lastSeal, fault: 'archiveDiffers' } as const;
    }),
    ...(anchor === null ? [] : [{ ...anchor, fault: 'anchorDiffers' } as const]),
  ];
}

type Following = {
  readonly keys: AuditKeys;
  readonly known: readonly KnownEntry[];
  readonly archives: readonly AuditArchive[];
};

/**
 * Follows the entries of the given files. `readFrom`: the number of the first entry that is read, in the
 * files or, without any, in the database.
 */
async function followFiles(
  { keyring, keys, known, archives }: Following & Pick<VerifyTools, 'keyring'>,
  paths: readonly string[],
): Promise<Found | { readonly readFrom: number }> {
  const last = lastOf(archives);
  if (paths.length === 0) return { readFrom: last + 1 };
  const named = new Map<number, string>();
  for (const path of paths) named.set(await firstNumberOf(path), path);
  const first = Math.min(...named.keys());
  const begins = archives.findIndex(({ firstNumber }) => firstNumber === first);
  if (begins === -1) return { fault: 'archiveDiffers', entryNumber: first };
  const walk = openChainWalk(keyring, keys, endOf(archives[begins - 1]), known);
  for (const archive of archives.slice(begins)) {
    const path = named.get(archive.firstNumber);
    if (path === undefined) return { fault: 'archiveNotNamed', entryNumber: archive.firstNumber };
    const fault = await followFile(walk, path, archive);
    if (fault !== null) return { fault, entryNumber: walk.end.entryNumber + 1 };
    named.delete(archive.firstNumber);
  }
  const [foreign] = named.keys();
  return foreign === undefined ? { readFrom: first } : { fault: 'archiveDiffers', entryNumber: foreign };
}

/** The number of a file's first entry; 0: the file is no archive. */
async function firstNumberOf(path: string): Promise<number> {
  try {
    for await (const { entryNumber } of readArchive(path)) return entryNumber;
  } catch (error) {
    if (!(error instanceof ArchiveUnreadable)) throw error;
  }
  return 0;
}

async function followFile(walk: ChainWalk, path: string, archive: AuditArchive): Promise<ChainFault | null> {
  let hash: Buffer | null = null;
  try {
    const entries = readArchive(path, (sha256) => {
      hash = sha256;
    });
    for await (const entry of entries) {
      const fault = await walk.follow(entry);
      if (fault !== null) return fault;
    }
  } catch (error) {
    if (error instanceof ArchiveUnreadable) return 'archiveDiffers';
    throw error;
  }
  const isAll = walk.end.entryNumber === archive.lastNumber;
  return isAll && archive.fileSha256.equals(hash ?? Buffer.alloc(0)) ? null : 'archiveDiffers';
}

/** Archived entries that are still in the database must end with the seal that the archive has. */
async function followDatabase(
  { database, keyring }: VerifyTools,
  { keys, known, archives, ends }: Following & { readonly ends: ChainEnds },
): Promise<{ end: ChainEnd; fault: ChainFault | null }> {
  const { head, firstNumber, lastNumber } = ends;
  const isHeadSealed = head !== null && (await hasHeadSeal(keyring, head));
  // A forged head does not say how far to go.
  const last = isHeadSealed ? Math.min(head.entryNumber, lastNumber) : lastNumber;
  const archived = endOf(archives.at(-1));
  let walk: ChainWalk | null = null;
  for await (const entry of entriesOf(database, -Number.MAX_SAFE_INTEGER)) {
    const isLeft = firstNumber > 0 && entry.entryNumber <= archived.entryNumber;
    const before = { entryNumber: entry.entryNumber - 1, seal: entry.previousSeal, dataKeyId: null };
    walk ??= openChainWalk(keyring, keys, isLeft ? before : archived, known);
    if (walk.end.entryNumber >= last) break;
    const fault = await walk.follow(entry);
    if (fault !== null) return { end: walk.end, fault };
  }
  return { end: walk?.end ?? archived, fault: null };
}

function hasHeadSeal(keyring: VerifyTools['keyring'], head: AuditHead): Promise<boolean> {
  const { dataKeyId, entryNumber, seal, headSeal } = head;
  if (dataKeyId === null) return Promise.resolve(false);
  return keyring.checkAuditSeal(dataKeyId, headBytes(entryNumber, seal), headSeal);
}

async function faultOfHead(
  keyring: VerifyTools['keyring'],
  { head, lastNumber }: ChainEnds,
  end: ChainEnd,
): Promise<Found | null> {
  const { entryNumber } = end;
  if (head === null) return { fault: 'headMissing', entryNumber };
  if (!(await hasHeadSeal(keyring, head))) return { fault: 'headAltered', entryNumber };
  if (entryNumber < head.entryNumber) return { fault: 'tailMissing', entryNumber: entryNumber + 1 };
  if (lastNumber > head.entryNumber) return { fault: 'entryBeyondHead', entryNumber: head.entryNumber + 1 };
  if (!end.seal.equals(head.seal)) return { fault: 'headUnlinked', entryNumber };
  const isOtherKey = entryNumber > 0 && end.dataKeyId !== head.dataKeyId;
  return isOtherKey ? { fault: 'headSealOutdated', entryNumber } : null;
}

function faultOfAnchor(anchor: AuditAnchor | null, end: ChainEnd, readFrom: number): Found | null {
  if (anchor === null) return null;
  if (anchor.entryNumber > end.entryNumber)
    return { fault: 'anchorMissing', entryNumber: end.entryNumber + 1 };
  return anchor.entryNumber < readFrom ? { fault: 'anchorArchived', entryNumber: anchor.entryNumber } : null;
}
