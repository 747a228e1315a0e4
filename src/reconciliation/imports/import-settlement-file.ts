import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Actor, Audit } from '../../audit/audit-event.ts';
import type { Database } from '../../platform/postgres/database.ts';
import {
  isMoney,
  PAYING_FORMATS,
  type SettlementEvent,
  type SettlementFault,
  type SettlementFileEnd,
  type SettlementFileHead,
} from '../settlement-entry.ts';
import { readSettlementEvents } from './read-settlement-events.ts';
import type { ImportResult, Taken } from './settlement-file.ts';
import { keptName, type SettlementFile } from './settlement-file.ts';
import {
  abandonFile,
  beginFile,
  deleteLines,
  type FiledLine,
  type FileSums,
  findTakenFile,
  finishFile,
  type HeldFile,
  holdLeftFile,
  readFile,
  writeLines,
} from './settlement-files.sql.ts';
import { keepRefusedFile } from './settlement-refusals.sql.ts';

export type ImportTools = {
  readonly database: Database;
  readonly audit: Audit;
  readonly report: (lines: number) => void;
  readonly notify: () => void;
};

/** Called twice for each file: for the hash, then to take it. */
export type OpenFile = (path: string) => AsyncIterable<Uint8Array>;

const LINES_AT_ONCE = 4_000;
const WRITES_AT_ONCE = 2;
const LEASE_MILLISECONDS = 60_000;
const REPORT_LINES = 100_000;
const MOST_LEFT_CLEARED = 100;

const REFUSALS = {
  sequenceTaken:
    'a file of this number was taken with another content, and this one does not say that it was sent anew',
  nothingToReplace: 'it was sent anew, and there is not exactly one taken file of its days that it replaces',
  beingTaken: 'another process is taking this file now',
  changed: 'it changed while it was read',
} as const;

/** Batches of lines stay invisible until one commit, with the audit entry. A file is taken only once. */
export async function importSettlementFile(
  tools: ImportTools,
  path: string,
  actor: Actor,
  open: OpenFile = (each) => createReadStream(each),
): Promise<ImportResult> {
  await clearLeftFiles(tools.database);
  const sha256 = await hashOf(open(path));
  const hash = sha256.toString('hex');
  const known = await findTakenFile(tools.database, sha256);
  if (known !== null) return { kind: 'known', file: await fileOf(tools.database, known), sha256: hash };
  try {
    const file = { name: keptName(basename(path)), bytes: open(path), sha256 };
    return { ...(await takeFile(tools, file, actor)), sha256: hash };
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    const { faults, reason } = error;
    const isBeingTaken = reason === REFUSALS.beingTaken;
    const mayBecomeWhole = reason === null || reason === REFUSALS.changed;
    return { kind: 'refused', faults, reason, isBeingTaken, mayBecomeWhole, sha256: hash };
  }
}

class FileRefused extends Error {
  readonly reason: string | null;
  readonly faults: readonly SettlementFault[];
  constructor(reason: string | null, faults: readonly SettlementFault[] = []) {
    super(reason ?? 'the file is refused');
    this.reason = reason;
    this.faults = faults;
  }
}

async function clearLeftFiles(database: Database): Promise<void> {
  for (let cleared = 0; cleared < MOST_LEFT_CLEARED; cleared += 1) {
    const left = await holdLeftFile(database, LEASE_MILLISECONDS);
    if (left === null) return;
    await abandonFile(database, left);
  }
}

type GivenFile = {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly sha256: Buffer;
};

async function takeFile(
  tools: ImportTools,
  { name, bytes, sha256 }: GivenFile,
  actor: Actor,
): Promise<Taken> {
  const { database } = tools;
  const events = readSettlementEvents(bytes);
  const head = await headOf(events);
  const takenBy = actor.actor.slice(0, 100);
  const file = await beginFile(database, { sha256, name, head, takenBy }, LEASE_MILLISECONDS);
  if (file === null) throw new FileRefused(REFUSALS.beingTaken);
  try {
    await deleteLines(database, file);
    const { sums, end } = await writeEntries(tools, { ...file, format: head.format }, events);
    if (end.sha256 !== sha256.toString('hex')) throw new FileRefused(REFUSALS.changed);
    const { otherEstablishments } = end;
    return await makeVisible(tools, file, { head, sums, sha256, name, actor, otherEstablishments });
  } catch (error) {
    await abandonFile(database, file).catch(() => {});
    throw error;
  }
}

async function headOf(events: AsyncIterator<SettlementEvent>): Promise<SettlementFileHead> {
  const { value } = await events.next();
  const event = value as SettlementEvent | undefined;
  if (event?.type === 'head') return event.head;
  throw new FileRefused(null, event?.type === 'refused' ? event.faults : []);
}

async function writeEntries(
  { database, report }: ImportTools,
  file: HeldFile & Pick<SettlementFileHead, 'format'>,
  events: AsyncIterable<SettlementEvent>,
): Promise<{ readonly sums: FileSums; readonly end: SettlementFileEnd }> {
  const sums = { entries: 0, gross: 0, net: 0 };
  const pays = PAYING_FORMATS.includes(file.format);
  const writer = openLineWriter(database, file);
  try {
    for await (const event of events) {
      if (event.type === 'refused') throw new FileRefused(null, event.faults);
      if (event.type === 'end') {
        await writer.end();
        return { sums: { ...sums, from: event.end.from, to: event.end.to }, end: event.end };
      }
      if (event.type !== 'entry') continue;
      const { entry, maskedLine } = event;
      sums.entries += 1;
      if (pays && isMoney(entry.kind)) {
        sums.gross += entry.gross;
        sums.net += entry.net ?? entry.gross;
      }
      await writer.write({ entry, line: maskedLine });
      if (sums.entries % REPORT_LINES === 0) report(sums.entries);
    }
    throw new Error('the reader ended without an end');
  } catch (error) {
    await writer.settle();
    throw error;
  }
}

function openLineWriter(database: Database, file: HeldFile) {
  let batch: FiledLine[] = [];
  const underWay = new Set<Promise<void>>();

  async function writeBatch(): Promise<void> {
    const lines = batch;
    batch = [];
    while (underWay.size >= WRITES_AT_ONCE) await Promise.race(underWay);
    const writing = (async () => {
      const isHeld = await writeLines(database, file, lines, LEASE_MILLISECONDS);
      if (!isHeld) throw new Error('another process took the file over');
    })();
    underWay.add(writing);
    // A failed write stays: the next write or the end throws its error.
    writing.then(
      () => underWay.delete(writing),
      () => {},
    );
  }

  return {
    async write(line: FiledLine): Promise<void> {
      batch.push(line);
      if (batch.length >= LINES_AT_ONCE) await writeBatch();
    },
    async end(): Promise<void> {
      if (batch.length > 0) await writeBatch();
      await Promise.all(underWay);
    },
    settle: async () => void (await Promise.allSettled(underWay)),
  };
}

type ToFinish = {
  readonly head: SettlementFileHead;
  readonly sums: FileSums;
  readonly sha256: Buffer;
  readonly name: string;
  readonly actor: Actor;
  readonly otherEstablishments: Taken['otherEstablishments'];
};

async function makeVisible(
  { database, audit, notify }: ImportTools,
  file: HeldFile,
  { head, sums, sha256, name, actor, otherEstablishments }: ToFinish,
): Promise<Taken> {
  const { format, establishment } = head;
  const { entries, gross, net } = sums;
  const detail = { name, sha256: sha256.toString('hex'), format, establishment, entries, gross, net };
  const place = await audit.transaction(async (tx) => {
    const place = await finishFile(tx, file, head, sums);
    if (place?.ok === true)
      tx.record({
        ...actor,
        action: 'settlement.import',
        outcome: 'success',
        resource: `settlement-files/${file.fileNumber}`,
        detail,
      });
    return place;
  });
  if (place === null) throw new Error('another process took the file over');
  if (!place.ok) throw new FileRefused(REFUSALS[place.refusal]);
  notify();
  const { replaces } = place;
  return { kind: 'taken', file: await fileOf(database, file.fileNumber), replaces, otherEstablishments };
}

async function fileOf(database: Database, fileNumber: number): Promise<SettlementFile> {
  const file = await readFile(database, fileNumber);
  if (file === null) throw new Error(`the file ${fileNumber} is gone`);
  return file;
}

async function hashOf(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest();
}

/** A file with one fault often has it in every line. */
const MOST_FAULTS = 20;

/** Lets an operator explain a missing file without the log. */
export async function rememberRefusedFile(
  { database }: { readonly database: Database },
  path: string,
  { sha256, reason, faults }: Extract<ImportResult, { kind: 'refused' }>,
  refusedBy: string,
): Promise<void> {
  const found = await lstat(path).catch(() => null);
  await keepRefusedFile(database, {
    sha256,
    name: keptName(basename(path)),
    sizeBytes: found?.size ?? 0,
    reason,
    faults: faults.slice(0, MOST_FAULTS),
    refusedBy,
  });
}
