import {
  type CommitStep,
  type Database,
  type Reader,
  type Row,
  statement,
} from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import type { Day, Instant } from '../../values/instant.ts';
import { referenceTail } from '../order-reference.ts';
import type { SettlementEntry, SettlementFileHead, SettlementFormat } from '../settlement-entry.ts';
import type { FileSpan } from './file-coverage.ts';
import { type FilePlace, placeOfFile, type SettlementFile } from './settlement-file.ts';

/*
 * A file is taken in many commits and becomes visible in one. Until `taken_at` is set nothing reads
 * its lines. A process that dies leaves its row with a lease that ends: whoever takes the same file
 * next goes on under a new fence, from the beginning, and an import of any other clears it away.
 */

const FIND_TAKEN = statement(
  'settlement_files.find_taken',
  'select file_number from settlement_files where sha256 = $1 and taken_at is not null',
);

/** The number under which this very content was taken; null: it was not. */
export async function findTakenFile(database: Database, sha256: Buffer): Promise<number | null> {
  const [row] = await database.query(FIND_TAKEN, [sha256]);
  return (row?.file_number as number | undefined) ?? null;
}

const BEGIN = statement(
  'settlement_files.begin',
  `insert into settlement_files
     (sha256, name, format, version, establishment, made_on, from_on, to_on, sequence, is_repetition, taken_by, due_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now() + $12 * interval '1 millisecond')
   on conflict (sha256) do update set name = excluded.name, taken_by = excluded.taken_by, due_at = excluded.due_at,
     fence = settlement_files.fence + 1, began_at = now()
   where settlement_files.taken_at is null and settlement_files.due_at <= now()
   returning file_number, fence`,
);

/** A file that is to be taken. */
export type NewFile = {
  readonly sha256: Buffer;
  readonly name: string;
  readonly head: SettlementFileHead;
  readonly takenBy: string;
};

/** A file under the lease of this process. */
export type HeldFile = { readonly fileNumber: number; readonly fence: number };

/** Null: another process is taking it, or has taken it. */
export async function beginFile(
  database: Database,
  { sha256, name, head, takenBy }: NewFile,
  leaseMilliseconds: number,
): Promise<HeldFile | null> {
  const about = [head.format, head.version, head.establishment, head.madeOn, head.from, head.to];
  const values = [sha256, name, ...about, head.sequence, head.isRepetition, takenBy, leaseMilliseconds];
  return held(await database.query(BEGIN, values));
}

const HOLD_LEFT = statement(
  'settlement_files.hold_left',
  `update settlement_files set due_at = now() + $1 * interval '1 millisecond', fence = fence + 1
   where file_number = (
     select file_number from settlement_files where taken_at is null and due_at <= now()
     order by due_at limit 1 for update skip locked
   )
   returning file_number, fence`,
);

/** Takes a file from a process that died at it. */
export async function holdLeftFile(database: Database, leaseMilliseconds: number): Promise<HeldFile | null> {
  return held(await database.query(HOLD_LEFT, [leaseMilliseconds]));
}

function held([row]: readonly Row[]): HeldFile | null {
  return row === undefined ? null : { fileNumber: row.file_number as number, fence: row.fence as number };
}

const ABANDON = statement(
  'settlement_files.abandon',
  'delete from settlement_files where file_number = $1 and fence = $2 and taken_at is null',
);

/** Gives up a file that was not taken to its end. */
export async function abandonFile(database: Database, file: HeldFile): Promise<void> {
  await deleteLines(database, file);
  await database.query(ABANDON, [file.fileNumber, file.fence]);
}

const DELETE_LINES = statement(
  'settlement_entries.delete_some',
  `with gone as (
     delete from settlement_entries where ctid = any (array(
       select e.ctid from settlement_files f cross join lateral (
         select ctid from settlement_entries where file_number = f.file_number order by line_number limit 10000
       ) e
       where f.file_number = $1 and f.fence = $2 and f.taken_at is null
     ))
     returning true
   )
   select count(*) as count from gone`,
);

/** Deletes the lines of a file that is not taken. */
export async function deleteLines(database: Database, { fileNumber, fence }: HeldFile): Promise<void> {
  for (let count = 1; count > 0; ) {
    const [row] = await database.query(DELETE_LINES, [fileNumber, fence]);
    count = row?.count as number;
  }
}

/** An entry with its line, the digits of cards masked. */
export type FiledLine = { readonly entry: SettlementEntry; readonly line: string };

const LONGEST_LINE = 800;

const ENTRIES = inputRows<FiledLine>(
  {
    line_number: ['integer', ({ entry }) => entry.lineNumber],
    kind: ['text', ({ entry }) => entry.kind],
    establishment: ['text', ({ entry }) => entry.establishment],
    order_reference: ['text', ({ entry }) => entry.orderReference],
    reference_tail: ['text', ({ entry }) => referenceTail(entry.orderReference)?.toString() ?? null],
    tid: ['text', ({ entry }) => entry.tid],
    nsu: ['text', ({ entry }) => entry.nsu],
    authorization_code: ['text', ({ entry }) => entry.authorizationCode],
    brand: ['text', ({ entry }) => entry.brand],
    card_last_four: ['text', ({ entry }) => entry.cardLastFour],
    sold_on: ['date', ({ entry }) => entry.soldOn],
    installment_number: ['smallint', ({ entry }) => entry.installmentNumber],
    installment_count: ['smallint', ({ entry }) => entry.installmentCount],
    gross: ['bigint', ({ entry }) => entry.gross],
    fee: ['bigint', ({ entry }) => entry.fee],
    net: ['bigint', ({ entry }) => entry.net],
    anticipation_fee: ['bigint', ({ entry }) => entry.anticipationFee],
    bank_on: ['date', ({ entry }) => entry.bankOn],
    batch: ['text', ({ entry }) => entry.batch],
    receivable_unit: ['text', ({ entry }) => entry.receivableUnit],
    description: ['text', ({ entry }) => entry.description],
    document: ['text', ({ entry }) => entry.document],
    line: ['text', ({ line }) => line.slice(0, LONGEST_LINE)],
  },
  { after: 3 },
);

/** Lines of a file that is being taken, under its lease, which they renew. */
const WRITE_LINES = statement(
  'settlement_entries.write',
  `with held as (
     update settlement_files set due_at = now() + $2 * interval '1 millisecond'
     where file_number = $1 and fence = $3 and taken_at is null returning file_number
   ), written as (
     insert into settlement_entries (file_number, line_number, kind, establishment, order_reference, reference_tail, tid,
       nsu, authorization_code, brand, card_last_four, sold_on, installment_number, installment_count, gross, fee, net,
       anticipation_fee, bank_on, batch, receivable_unit, description, document, line)
     select h.file_number, i.line_number, i.kind, i.establishment, i.order_reference, i.reference_tail::bigint, i.tid,
       i.nsu, i.authorization_code, i.brand, i.card_last_four, i.sold_on, i.installment_number, i.installment_count,
       i.gross, i.fee, i.net, i.anticipation_fee, i.bank_on, i.batch, i.receivable_unit, i.description, i.document, i.line
     from held h, ${ENTRIES.sql}
   )
   select file_number from held`,
);

/** False: another process has the file now, and nothing was written. */
export async function writeLines(
  database: Database,
  { fileNumber, fence }: HeldFile,
  lines: readonly FiledLine[],
  leaseMilliseconds: number,
): Promise<boolean> {
  const values = [fileNumber, leaseMilliseconds, fence, ...ENTRIES.values(lines)];
  return (await database.query(WRITE_LINES, values)).length === 1;
}

/** One file of an establishment after the other gets its place. */
const TAKE_TURN = statement(
  'settlement_files.take_turn',
  `select pg_advisory_xact_lock(hashtextextended('settlement|' || $1::text || '|' || $2::text, 0))`,
);

const FIND_BEFORE = statement(
  'settlement_files.find_before',
  `select
     (select file_number from settlement_files
      where format = $1 and establishment = $2 and sequence = $3 and taken_at is not null and replaced_by is null
      limit 1) as same,
     (select case when count(*) = 1 then min(file_number) end from settlement_files
      where format = $1 and establishment = $2 and from_on = $4::date and to_on = $5::date and taken_at is not null
        and replaced_by is null) as of_days,
     (select sequence from settlement_files
      where format = $1 and establishment = $2 and sequence < $3 and taken_at is not null
      order by sequence desc limit 1) as highest_below`,
);

const FINISH = statement(
  'settlement_files.finish',
  `with replaced as (
     update settlement_files set replaced_by = $1, matched_at = coalesce(matched_at, now()), due_at = null,
       fence = fence + 1
     where file_number = $5 and replaced_by is null
   )
   update settlement_files set taken_at = now(), due_at = now(), from_on = $8, to_on = $9, entries = $2, gross = $3, net = $4, replaces = $5,
     missing_before = $6
   where file_number = $1 and fence = $7 and taken_at is null
   returning file_number`,
);

export type FileSums = {
  readonly entries: number;
  /** Cents of what it pays and takes. */
  readonly gross: number;
  readonly net: number;
  /** The movement as its lines have it. */
  readonly from: Day;
  readonly to: Day;
};

/** The steps that make a whole file visible; `onPlace` is called with the place it gets. */
export function finishSteps(
  { fileNumber, fence }: HeldFile,
  head: SettlementFileHead,
  sums: FileSums,
  onPlace: (place: FilePlace) => void,
): CommitStep[] {
  const key = [head.format, head.establishment];
  return [
    { statement: TAKE_TURN, values: key },
    { statement: FIND_BEFORE, values: [...key, head.sequence, sums.from, sums.to] },
    ([, before = []]) => {
      const [{ same: ofSequence, of_days, highest_below } = {} as Row] = before;
      const same = head.sequence !== null ? ofSequence : head.isRepetition ? of_days : null;
      const place = placeOfFile(head, {
        same: (same ?? null) as number | null,
        highestBelow: (highest_below ?? null) as number | null,
      });
      onPlace(place);
      if (!place.ok) return null;
      const { entries, gross, net, from, to } = sums;
      const { replaces, missingBefore } = place;
      const values = [fileNumber, entries, gross, net, replaces, missingBefore, fence, from, to];
      return { statement: FINISH, values };
    },
  ];
}

const FILE_COLUMNS = `file_number, name, format, version, establishment, to_char(made_on, 'YYYY-MM-DD') as made_on,
  to_char(from_on, 'YYYY-MM-DD') as from_on, to_char(to_on, 'YYYY-MM-DD') as to_on, sequence, is_repetition,
  missing_before, entries, gross, net, taken_at, matched_at`;

const FIND = statement(
  'settlement_files.find',
  `select ${FILE_COLUMNS} from settlement_files where file_number = $1 and taken_at is not null`,
);

export async function readFile(database: Database, fileNumber: number): Promise<SettlementFile | null> {
  const [row] = await database.query(FIND, [fileNumber]);
  return row === undefined ? null : parseFile(row);
}

const LIST = statement(
  'settlement_files.list',
  `select ${FILE_COLUMNS}, replaced_by, matched_line from settlement_files
   where taken_at is not null and file_number < $1 order by file_number desc limit $2`,
);

/** `replacedBy`: the number of the file that took its place; `matchedLine`: up to where it is matched. */
export type ListedFile = SettlementFile & {
  readonly replacedBy: number | null;
  readonly matchedLine: number;
};

/** Those with a lower number, the newest first. */
export async function listFiles(database: Reader, before: number, limit: number): Promise<ListedFile[]> {
  const rows = await database.query(LIST, [before, limit]);
  return rows.map((row) => ({
    ...parseFile(row),
    replacedBy: row.replaced_by as number | null,
    matchedLine: row.matched_line as number,
  }));
}

const LIST_UNDER_WAY = statement(
  'settlement_files.list_under_way',
  `select f.file_number, f.name, f.format, f.establishment, f.taken_by, f.began_at, f.due_at <= now() as is_left,
     coalesce((select e.line_number from settlement_entries e where e.file_number = f.file_number
       order by e.line_number desc limit 1), 0) as line_number
   from settlement_files f where f.taken_at is null order by f.file_number desc limit $1`,
);

/** A file that is being taken now: nothing of it counts yet. */
export type FileUnderWay = {
  readonly fileNumber: number;
  readonly name: string;
  readonly format: SettlementFormat;
  readonly establishment: string;
  readonly takenBy: string;
  readonly beganAt: Instant;
  /** Its process died: the next import clears it away, or takes it anew. */
  readonly isLeft: boolean;
  /** The last line that was written. */
  readonly lineNumber: number;
};

/** The newest first. */
export async function listFilesUnderWay(database: Reader, limit: number): Promise<FileUnderWay[]> {
  const rows = await database.query(LIST_UNDER_WAY, [limit]);
  return rows.map((row) => ({
    fileNumber: row.file_number as number,
    name: row.name as string,
    format: row.format as SettlementFormat,
    establishment: row.establishment as string,
    takenBy: row.taken_by as string,
    beganAt: row.began_at as Instant,
    isLeft: row.is_left as boolean,
    lineNumber: row.line_number as number,
  }));
}

const LIST_SPANS = statement(
  'settlement_files.list_spans',
  `select distinct format, establishment, to_char(from_on, 'YYYY-MM-DD') as from_on, to_char(to_on, 'YYYY-MM-DD') as to_on
   from settlement_files
   where taken_at is not null and replaced_by is null and to_on >= $1::date and from_on <= $2::date
   order by format, establishment, from_on limit $3`,
);

/** The days of the files that are about any of these days, by establishment. */
export async function listFileSpans(
  database: Reader,
  from: Day,
  to: Day,
  limit: number,
): Promise<FileSpan[]> {
  const rows = await database.query(LIST_SPANS, [from, to, limit]);
  return rows.map((row) => ({
    format: row.format as SettlementFormat,
    establishment: row.establishment as string,
    from: row.from_on as Day,
    to: row.to_on as Day,
  }));
}

function parseFile(row: Row): SettlementFile {
  return {
    fileNumber: row.file_number as number,
    name: row.name as string,
    format: row.format as SettlementFormat,
    version: row.version as string,
    establishment: row.establishment as string,
    madeOn: row.made_on as Day,
    from: row.from_on as Day,
    to: row.to_on as Day,
    sequence: row.sequence as number | null,
    isRepetition: row.is_repetition as boolean,
    missingBefore: row.missing_before as number,
    entries: row.entries as number,
    gross: row.gross as number,
    net: row.net as number,
    takenAt: row.taken_at as Instant,
    matchedAt: row.matched_at as Instant | null,
  };
}
