import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Keyring } from '../keys/open-keyring.ts';
import { newId } from '../platform/chance.ts';
import type { Database } from '../platform/postgres/database.ts';
import {
  type AuditArchive,
  archiveBytes,
  archiveFileName,
  archiveLine,
  parseArchiveLine,
} from './archive.ts';
import type { AuditEntry, ChainFault } from './audit-chain.ts';
import {
  deleteArchived,
  findEnds,
  insertArchive,
  listArchives,
  mayArchive,
  secondsOfDaysAgo,
} from './audit-entries.sql.ts';

import type { Actor, Audit } from './audit-event.ts';
import {
  type AuditKeys,
  type ChainEnd,
  endOf,
  entriesOf,
  findAuditKeys,
  openChainWalk,
} from './open-chain-walk.ts';

export type ArchiveTools = {
  /** Connected as the owner of the tables: the service's role may not archive. */
  readonly database: Database;
  readonly keyring: Pick<Keyring, 'checkAuditSeal' | 'auditSeal' | 'reload'>;
  readonly audit: Audit;
  readonly operator: Actor;
};

export type ArchiveRequest = {
  /** Entries older than so many days are archived. */
  readonly days: number;
  readonly folder: string;
};

/** An archive that this command made, or one of an earlier command whose entries this one deleted. */
export type MadeArchive = Pick<AuditArchive, 'firstNumber' | 'lastNumber' | 'lastSeal' | 'fileSha256'> & {
  readonly file: string;
  readonly deleted: number;
};

export type ArchiveResult =
  | { readonly kind: 'done'; readonly made: readonly MadeArchive[] }
  | { readonly kind: 'notOwner' }
  /** The chain is broken at this entry: evidence is not archived. Files made before it stay. */
  | { readonly kind: 'broken'; readonly fault: ChainFault; readonly entryNumber: number }
  /** The file whose entries are still to be deleted is missing or differs. */
  | { readonly kind: 'fileMissing'; readonly file: string }
  /** A file of this name exists with other content. */
  | { readonly kind: 'fileThere'; readonly file: string };

/** Some 500 MB a file; further entries go into the next. */
const MOST_ENTRIES_OF_FILE = 1_000_000;
/** Entries that one commit deletes. */
const DELETED_AT_ONCE = 5_000;
const BUFFERED_BYTES = 1_048_576;
const UNFINISHED = '.partial';

/**
 * Writes old entries to files, reads each file back, commits its anchor (a row of audit_archives), and only
 * then deletes the entries of the file. After a kill at any point the next command finishes: it deletes the
 * entries of a file with an anchor, and makes a file without one again.
 */
export async function archiveAudit(tools: ArchiveTools, request: ArchiveRequest): Promise<ArchiveResult> {
  const { database, keyring } = tools;
  if (!(await mayArchive(database))) return { kind: 'notOwner' };
  await keyring.reload();
  const before = await secondsOfDaysAgo(database, request.days);
  const made: MadeArchive[] = [];
  await removeUnfinished(request.folder);
  for (;;) {
    const last = (await listArchives(database)).at(-1);
    const step =
      (await finishDeleting(tools, request, last)) ?? (await archiveNext(tools, request, before, last));
    if (step === null) return { kind: 'done', made };
    if ('kind' in step) return step;
    made.push(step);
  }
}

type Step = MadeArchive | Exclude<ArchiveResult, { kind: 'done' }>;

/**
 * Removes files that killed commands left. A command that still runs finds its file gone, and anchors
 * nothing.
 */
async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith('audit-') && name.endsWith(UNFINISHED)) await rm(join(folder, name), { force: true });
}

/** Null: no entries of the last archive are left in the database. */
async function finishDeleting(
  { database }: ArchiveTools,
  { folder }: ArchiveRequest,
  archive: AuditArchive | undefined,
): Promise<Step | null> {
  const { firstNumber, lastNumber } = await findEnds(database);
  if (archive === undefined || lastNumber === 0 || firstNumber > archive.lastNumber) return null;
  const file = join(folder, archiveFileName(archive));
  const hash = await sha256OfFile(file).catch(nullWhenAbsent);
  if (hash === null || !hash.equals(archive.fileSha256)) return { kind: 'fileMissing', file };
  const deleted = await deleteAll(database, archive.lastNumber);
  return { ...archive, file, deleted };
}

function nullWhenAbsent(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}

async function deleteAll(database: Database, lastNumber: number): Promise<number> {
  let deleted = 0;
  for (;;) {
    const now = await deleteArchived(database, lastNumber, DELETED_AT_ONCE);
    if (now === 0) return deleted;
    deleted += now;
  }
}

/** null: no entry is old enough. */
async function archiveNext(
  tools: ArchiveTools,
  { folder }: ArchiveRequest,
  before: number,
  last: AuditArchive | undefined,
): Promise<Step | null> {
  const { database, keyring } = tools;
  const start = endOf(last);
  const unfinished = join(folder, `audit-${newId()}${UNFINISHED}`);
  const written = await writeFile(tools, unfinished, start, before);
  if (written === null || 'kind' in written) {
    await rm(unfinished, { force: true });
    return written;
  }
  await readBack(tools, unfinished, start, written);
  const { end, fileSha256 } = written;
  const range = { firstNumber: start.entryNumber + 1, lastNumber: end.entryNumber };
  const file = join(folder, archiveFileName(range));
  const there = await sha256OfFile(file).catch(nullWhenAbsent);
  if (there !== null && !there.equals(fileSha256)) {
    await rm(unfinished, { force: true });
    return { kind: 'fileThere', file };
  }
  await rename(unfinished, file);
  await syncFolder(folder);
  const anchor = { ...range, lastSeal: end.seal, lastKeyId: end.dataKeyId as number, fileSha256 };
  await commitAnchor(tools, { ...anchor, ...keyring.auditSeal(archiveBytes(anchor)) });
  const deleted = await deleteAll(database, range.lastNumber);
  return { ...anchor, file, deleted };
}

type Written = { readonly end: ChainEnd; readonly fileSha256: Buffer; readonly keys: AuditKeys };

/** Writes whole entries, flushed to the disk. Null: no entry is old enough. */
async function writeFile(
  { database, keyring }: ArchiveTools,
  path: string,
  start: ChainEnd,
  before: number,
): Promise<Written | Extract<ArchiveResult, { kind: 'broken' }> | null> {
  const keys = await findAuditKeys(database);
  const walk = openChainWalk(keyring, keys, start);
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  try {
    let lines = '';
    let entries = 0;
    for await (const entry of entriesOf(database, start.entryNumber)) {
      if (Number(entry.occurredAtSeconds) >= before || entries === MOST_ENTRIES_OF_FILE) break;
      const fault = await walk.follow(entry);
      if (fault !== null) return { kind: 'broken', fault, entryNumber: walk.end.entryNumber + 1 };
      lines += archiveLine(entry);
      entries += 1;
      if (lines.length >= BUFFERED_BYTES) {
        await append(file, lines, hash);
        lines = '';
      }
    }
    if (entries === 0) return null;
    await append(file, lines, hash);
    await file.sync();
    return { end: walk.end, fileSha256: hash.digest(), keys };
  } finally {
    await file.close();
  }
}

async function append(file: FileHandle, lines: string, hash: ReturnType<typeof createHash>): Promise<void> {
  hash.update(lines);
  await file.appendFile(lines);
}

/** Throws if the file differs from what was written: then nothing is anchored or deleted. */
async function readBack(
  { keyring }: ArchiveTools,
  path: string,
  start: ChainEnd,
  { end, fileSha256, keys }: Written,
): Promise<void> {
  const walk = openChainWalk(keyring, keys, start, [{ ...end, fault: 'archiveDiffers' }]);
  let hash: Buffer = Buffer.alloc(0);
  const entries = readArchive(path, (sha256) => {
    hash = sha256;
  });
  let fault: ChainFault | null = null;
  for await (const entry of entries) fault ??= await walk.follow(entry);
  const isSame = fault === null && walk.end.entryNumber === end.entryNumber && hash.equals(fileSha256);
  if (!isSame) throw new Error(`${path} does not hold what was written to it: nothing was archived`);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function commitAnchor({ audit, operator }: ArchiveTools, archive: AuditArchive): Promise<void> {
  const { firstNumber, lastNumber } = archive;
  const fileSha256 = archive.fileSha256.toString('hex');
  const lastSeal = archive.lastSeal.toString('hex');
  await audit.transaction(async (tx) => {
    if (!(await insertArchive(tx, archive)))
      throw new Error('another command archived the same entries: nothing was deleted');
    tx.record({
      ...operator,
      action: 'audit.archive',
      outcome: 'success',
      resource: 'audit',
      detail: { firstNumber, lastNumber, lastSeal, fileSha256 },
    });
  });
}

/** Bytes, far above the longest entry. */
const LONGEST_LINE = 65_536;

/** The file is no archive, or ends within a line. */
export class ArchiveUnreadable extends Error {}

/** `sha256` gets the hash of the file's bytes at the end. Throws `ArchiveUnreadable`. */
export async function* readArchive(
  path: string,
  sha256: (hash: Buffer) => void = () => {},
): AsyncGenerator<AuditEntry> {
  const hash = createHash('sha256');
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk);
    rest = Buffer.concat([rest, chunk as Buffer]);
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const entry = parseArchiveLine(rest.toString('utf8', 0, end));
      if (entry === null) throw new ArchiveUnreadable(`${path} is no archive of audit entries`);
      rest = rest.subarray(end + 1);
      yield entry;
    }
    if (rest.length > LONGEST_LINE) throw new ArchiveUnreadable(`${path} is no archive of audit entries`);
  }
  if (rest.length > 0) throw new ArchiveUnreadable(`${path} ends within an entry`);
  sha256(hash.digest());
}

async function sha256OfFile(path: string): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest();
}
