import {
  type Database,
  type Reader,
  type Row,
  statement,
  type Tx,
} from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Day } from '../../values/instant.ts';
import { referenceTail, type SettlementEntry, type SettlementFileHead } from '../settlement-entry.ts';

import type { FileSpan } from './file-coverage.ts';
import { type FilePlace, placeOfFile, type SettlementFile } from './settlement-file.ts';

/*
 * A file is written in many commits and becomes visible in one: nothing reads its lines until `taken_at` is
 * set. If the process dies, the lease of the row ends. The next import of the same file starts again under a
 * new fence; an import of another file clears the row.
 */

const NUMBER = rowCodec({ fileNumber: column.whole() });

const FIND_TAKEN = statement(
  'settlement_files.find_taken',
  `select ${NUMBER.columns} from settlement_files where sha256 = $1 and taken_at is not null`,
);

export async function findTakenFile(database: Database, sha256: Buffer): Promise<number | null> {
  return firstOf(await database.query(FIND_TAKEN, [sha256]), NUMBER.parse)?.fileNumber ?? null;
}

const HELD = rowCodec({ fileNumber: column.whole(), fence: column.whole() });

export type HeldFile = RowOf<typeof HELD>;

const BEGIN = statement(
  'settlement_files.begin',
  `insert into settlement_files
     (sha256, name, format, version, establishment, made_on, from_on, to_on, sequence, is_repetition, taken_by, due_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now() + $12 * interval '1 millisecond')
   on conflict (sha256) do update set name = excluded.name, taken_by = excluded.taken_by, due_at = excluded.due_at,
     fence = settlement_files.fence + 1, began_at = now()
   where settlement_files.taken_at is null and settlement_files.due_at <= now()
   returning ${HELD.columns}`,
);

export type NewFile = {
  readonly sha256: Buffer;
  readonly name: string;
  readonly head: SettlementFileHead;
  readonly takenBy: string;
};

/** null: another process is taking the file or has taken it. */
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
   returning ${HELD.columns}`,
);

export async function holdLeftFile(database: Database, leaseMilliseconds: number): Promise<HeldFile | null> {
  return held(await database.query(HOLD_LEFT, [leaseMilliseconds]));
}

function held([row]: readonly Row[]): HeldFile | null {
  return row === undefined ? null : HELD.parse(row);
}

const ABANDON = statement(
  'settlement_files.abandon',
  'delete from settlement_files where file_number = $1 and fence = $2 and taken_at is null',
);

export async function abandonFile(database: Database, file: HeldFile): Promise<void> {
  await deleteLines(database, file);
  await database.query(ABANDON, [file.fileNumber, file.fence]);
}

const COUNT = rowCodec({ count: column.whole('count(*)') });

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
   select ${COUNT.columns} from gone`,
);

export async function deleteLines(database: Database, { fileNumber, fence }: HeldFile): Promise<void> {
  for (let count = 1; count > 0; ) {
    const [deleted] = (await database.query(DELETE_LINES, [fileNumber, fence])).map(COUNT.parse);
    count = deleted?.count ?? 0;
  }
}

/** Card digits are masked. */
export type FiledLine = { readonly entry: SettlementEntry; readonly line: string };

const LONGEST_LINE = 800;

const ENTRIES = inputRows<FiledLine>(
  {
    line_number: ['integer', ({ entry }) => entry.lineNumber],
    kind: ['text', ({ entry }) => entry.kind],
    establishment: ['text', ({ entry }) => entry.establishment],
    order_reference: ['text', ({ entry }) => entry.orderReference],
    reference_tail: ['bigint', ({ entry }) => referenceTail(entry.orderReference)],
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

const WRITE_LINES = statement(
  'settlement_entries.write',
  `with held as (
     update settlement_files set due_at = now() + $2 * interval '1 millisecond'
     where file_number = $1 and fence = $3 and taken_at is null returning file_number
   ), written as (
     insert into settlement_entries (file_number, ${ENTRIES.names}) select h.file_number, ${ENTRIES.selected}
     from held h, ${ENTRIES.sql}
   )
   select file_number from held`,
);

/** False if another process has the file now: nothing was written. */
export async function writeLines(
  database: Database,
  { fileNumber, fence }: HeldFile,
  lines: readonly FiledLine[],
  leaseMilliseconds: number,
): Promise<boolean> {
  const values = [fileNumber, leaseMilliseconds, fence, ...ENTRIES.values(lines)];
  return (await database.query(WRITE_LINES, values)).length === 1;
}

const TAKE_TURN = statement(
  'settlement_files.take_turn',
  `select pg_advisory_xact_lock(hashtextextended('settlement|' || $1::text || '|' || $2::text, 0))`,
);

const BEFORE = rowCodec({
  ofSequence: column.nullable(
    column.whole(`(select file_number from settlement_files
      where format = $1 and establishment = $2 and sequence = $3 and taken_at is not null and replaced_by is null
      limit 1)`),
  ),
  ofDays: column.nullable(
    column.whole(`(select case when count(*) = 1 then min(file_number) end from settlement_files
      where format = $1 and establishment = $2 and from_on = $4::date and to_on = $5::date and taken_at is not null
        and replaced_by is null)`),
  ),
  highestBelow: column.nullable(
    column.whole(`(select sequence from settlement_files
      where format = $1 and establishment = $2 and sequence < $3 and taken_at is not null
      order by sequence desc limit 1)`),
  ),
});

const FIND_BEFORE = statement('settlement_files.find_before', `select ${BEFORE.columns}`);

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
  readonly gross: number;
  readonly net: number;
  readonly from: Day;
  readonly to: Day;
};

/** null: another process has the file now. */
export async function finishFile(
  tx: Tx,
  { fileNumber, fence }: HeldFile,
  head: SettlementFileHead,
  { entries, gross, net, from, to }: FileSums,
): Promise<FilePlace | null> {
  const key = [head.format, head.establishment];
  await tx.query(TAKE_TURN, key);
  const [row] = await tx.query(FIND_BEFORE, [...key, head.sequence, from, to]);
  const { ofSequence, ofDays, highestBelow } = BEFORE.parse(row as Row);
  const same = head.sequence !== null ? ofSequence : head.isRepetition ? ofDays : null;
  const place = placeOfFile(head, { same, highestBelow });
  if (!place.ok) return place;
  const { replaces, missingBefore } = place;
  const values = [fileNumber, entries, gross, net, replaces, missingBefore, fence, from, to];
  return (await tx.query(FINISH, values)).length === 1 ? place : null;
}

const FILE = rowCodec<SettlementFile>({
  fileNumber: column.whole(),
  name: column.text(),
  format: column.text(),
  version: column.text(),
  establishment: column.text(),
  madeOn: column.day(),
  from: column.day('from_on'),
  to: column.day('to_on'),
  sequence: column.nullable(column.whole()),
  isRepetition: column.boolean(),
  missingBefore: column.whole(),
  entries: column.whole(),
  gross: column.whole(),
  net: column.whole(),
  takenAt: column.instant(),
  matchedAt: column.nullable(column.instant()),
});

const FIND = statement(
  'settlement_files.find',
  `select ${FILE.columns} from settlement_files where file_number = $1 and taken_at is not null`,
);

export async function readFile(database: Database, fileNumber: number): Promise<SettlementFile | null> {
  return firstOf(await database.query(FIND, [fileNumber]), FILE.parse);
}

const LISTED_FILE = rowCodec({
  ...FILE.fields,
  replacedBy: column.nullable(column.whole()),
  matchedLine: column.whole(),
});

export type ListedFile = RowOf<typeof LISTED_FILE>;

const LIST = statement(
  'settlement_files.list',
  `select ${LISTED_FILE.columns} from settlement_files
   where taken_at is not null and file_number < $1 order by file_number desc limit $2`,
);

export async function listFiles(database: Reader, before: number, limit: number): Promise<ListedFile[]> {
  return (await database.query(LIST, [before, limit])).map(LISTED_FILE.parse);
}

const UNDER_WAY = rowCodec(
  {
    fileNumber: column.whole(),
    name: column.text(),
    format: column.text(),
    establishment: column.text(),
    takenBy: column.text(),
    beganAt: column.instant(),
    /** Its process died. The next import clears it or takes it again. */
    isLeft: column.boolean('f.due_at <= now()'),
    lineNumber:
      column.whole(`coalesce((select e.line_number from settlement_entries e where e.file_number = f.file_number
       order by e.line_number desc limit 1), 0)`),
  },
  'f',
);

export type FileUnderWay = RowOf<typeof UNDER_WAY>;

const LIST_UNDER_WAY = statement(
  'settlement_files.list_under_way',
  `select ${UNDER_WAY.columns} from settlement_files f where f.taken_at is null order by f.file_number desc limit $1`,
);

export async function listFilesUnderWay(database: Reader, limit: number): Promise<FileUnderWay[]> {
  return (await database.query(LIST_UNDER_WAY, [limit])).map(UNDER_WAY.parse);
}

const SPAN = rowCodec<FileSpan>({
  format: column.text(),
  establishment: column.text(),
  from: column.day('from_on'),
  to: column.day('to_on'),
});

const LIST_SPANS = statement(
  'settlement_files.list_spans',
  `select distinct ${SPAN.columns} from settlement_files
   where taken_at is not null and replaced_by is null and to_on >= $1::date and from_on <= $2::date
   order by format, establishment, from_on limit $3`,
);

export async function listFileSpans(
  database: Reader,
  from: Day,
  to: Day,
  limit: number,
): Promise<FileSpan[]> {
  return (await database.query(LIST_SPANS, [from, to, limit])).map(SPAN.parse);
}
