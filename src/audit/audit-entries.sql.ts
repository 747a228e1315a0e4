import { type Database, type Reader, type Row, statement, type Tx } from '../platform/postgres/database.ts';
import { inputRows, own } from '../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../platform/postgres/row-codec.ts';
import type { AuditArchive } from './archive.ts';
import type { AuditEntry, AuditHead } from './audit-chain.ts';

const HEAD = rowCodec<AuditHead>({
  entryNumber: column.whole(),
  seal: column.bytes(),
  headSeal: column.bytes(),
  dataKeyId: column.nullable(column.whole()),
});

const HELD_HEAD = rowCodec<HeldHead>({
  ...HEAD.fields,
  usableKeyIds: column.listOf(column.whole('(select ids from usable_keys)')),
  occurredAtSeconds: column.text('extract(epoch from clock_timestamp())::text'),
});

const SEAL = rowCodec({ entryNumber: column.whole(), seal: column.bytes() });

/** The head of the chain, locked by this transaction. */
export type HeldHead = AuditHead & {
  /** Audit keys that may seal now: not retired, or retired by this very transaction. */
  readonly usableKeyIds: readonly number[];
  /** The time of new entries, read after the lock, so that it rises from writer to writer. */
  readonly occurredAtSeconds: string;
};

/** Locks the key before the head, as a retirement does. Reads the clock after both locks. */
const HOLD_HEAD = statement(
  'audit.hold_head',
  `with usable as materialized (
     select data_key_id from data_keys
     where purpose = 'audit' and (retired_at is null or retired_at = now())
     for share
   ), usable_keys as materialized (
     select coalesce(array_agg(data_key_id), '{}') as ids from usable
   ), held as materialized (
     select entry_number, seal, head_seal, data_key_id from audit_head
     where is_only and (select ids from usable_keys) is not null
     for update
   )
   select ${HELD_HEAD.columns} from held`,
);

export async function holdHead(tx: Tx): Promise<HeldHead> {
  const [row] = await tx.query(HOLD_HEAD, []);
  if (row === undefined) throw new Error('the audit log has lost its head: run parcela audit verify');
  return HELD_HEAD.parse(row);
}

export type SealedEntries = {
  readonly entries: readonly AuditEntry[];
  readonly head: AuditHead & { readonly dataKeyId: number };
};

const APPENDED = inputRows<AuditEntry>(
  {
    ...own({ entryNumber: 'bigint', actor: 'text', action: 'text', outcome: 'text', origin: 'text' }),
    ...own({ resource: 'text', detail: 'text', previousSeal: 'bytea', seal: 'bytea' }),
  },
  { as: 'e', after: 2 },
);

const APPEND = statement(
  'audit.append',
  `with appended as (
     insert into audit_entries (${APPENDED.names}, occurred_at, data_key_id)
     select ${APPENDED.selected}, to_timestamp($1::double precision), $2 from ${APPENDED.sql}
   )
   update audit_head set entry_number = $12, seal = $13, head_seal = $14, data_key_id = $2
   where is_only and entry_number = $15
   returning entry_number`,
);

export async function appendEntries(tx: Tx, held: HeldHead, { entries, head }: SealedEntries): Promise<void> {
  await tx.query(APPEND, [
    ...[held.occurredAtSeconds, head.dataKeyId, ...APPENDED.values(entries)],
    ...[head.entryNumber, head.seal, head.headSeal, held.entryNumber],
  ]);
}

const FIND_SEALS = statement(
  'audit.find_seals',
  'select entry_number, seal from audit_entries where entry_number = any($1::bigint[])',
);

export async function findSeals(
  reader: Pick<Tx, 'query'>,
  entryNumbers: readonly number[],
): Promise<ReadonlyMap<number, Buffer>> {
  const rows = (await reader.query(FIND_SEALS, [entryNumbers])).map(SEAL.parse);
  return new Map(rows.map(({ entryNumber, seal }) => [entryNumber, seal]));
}

const BEGIN = statement(
  'audit.begin',
  `insert into audit_head (entry_number, seal, head_seal, data_key_id)
   select 0, '', $1, $2 where not exists (select from audit_entries)
   on conflict (is_only) do nothing`,
);

/** Does nothing where there are entries: if their head is missing it was removed, which must be found. */
export async function beginChain(database: Database, headSeal: Buffer, dataKeyId: number): Promise<void> {
  await database.query(BEGIN, [headSeal, dataKeyId]);
}

const FIND_ENDS = statement(
  'audit.find_ends',
  `select ${HEAD.columnsOf('h')},
     coalesce((select min(entry_number) from audit_entries), 0) as first_number,
     coalesce((select max(entry_number) from audit_entries), 0) as last_number
   from (select true) as always left join audit_head h on h.is_only`,
);

const SPAN = rowCodec({ firstNumber: column.whole(), lastNumber: column.whole() });

export type ChainEnds = {
  readonly head: AuditHead | null;
  /** First and last existing entry; 0 without entries. */
  readonly firstNumber: number;
  readonly lastNumber: number;
};

/** Reads the head and the numbers from one snapshot. */
export async function findEnds(database: Database): Promise<ChainEnds> {
  const [row] = await database.query(FIND_ENDS, []);
  return { head: row?.entry_number === null ? null : HEAD.parse(row as Row), ...SPAN.parse(row as Row) };
}

const ENTRY = rowCodec<AuditEntry>({
  entryNumber: column.whole(),
  occurredAtSeconds: column.text('extract(epoch from occurred_at)::text'),
  actor: column.text(),
  // Any text: the seal shows whether the entry is unaltered.
  action: column.text(),
  outcome: column.text(),
  origin: column.text(),
  resource: column.text(),
  detail: column.text(),
  dataKeyId: column.whole(),
  previousSeal: column.bytes(),
  seal: column.bytes(),
});

const PAGE = statement(
  'audit.page',
  `select ${ENTRY.columns} from audit_entries where entry_number >= $1 order by entry_number limit $2`,
);

export async function pageOfEntries(database: Database, from: number, limit: number): Promise<AuditEntry[]> {
  return (await database.query(PAGE, [from, limit])).map(ENTRY.parse);
}

const LEAVE_UNLOGGED = statement(
  'audit.leave_unlogged',
  'insert into audit_unlogged (entry_number) select unnest($1::bigint[])',
);

/** Leaves a command's entries to a service, which logs them. */
export async function leaveUnlogged(tx: Tx, entries: readonly AuditEntry[]): Promise<void> {
  await tx.query(LEAVE_UNLOGGED, [entries.map(({ entryNumber }) => entryNumber)]);
}

/** 0 (due at once) if an entry waits to be logged; otherwise null. */
export const FIND_UNLOGGED = statement(
  'audit.find_unlogged',
  'select case when exists (select from audit_unlogged) then 0 end',
);

const LIST_UNLOGGED = statement(
  'audit.list_unlogged',
  `select ${ENTRY.columns} from audit_unlogged join audit_entries using (entry_number)
   order by entry_number limit $1`,
);

/** Oldest first. */
export async function listUnlogged(database: Database, limit: number): Promise<AuditEntry[]> {
  return (await database.query(LIST_UNLOGGED, [limit])).map(ENTRY.parse);
}

const FORGET_UNLOGGED = statement(
  'audit.forget_unlogged',
  `delete from audit_unlogged u where u.entry_number = any($1::bigint[])
     or not exists (select from audit_entries e where e.entry_number = u.entry_number)`,
);

/** Also forgets entries that were archived before they were logged. */
export async function forgetUnlogged(database: Database, entryNumbers: readonly number[]): Promise<void> {
  await database.query(FORGET_UNLOGGED, [entryNumbers]);
}

/** null fields match every entry. */
export type EntryFilter = {
  /** Milliseconds since the epoch: `from` is included, `to` is not. */
  readonly from: number | null;
  readonly to: number | null;
  readonly action: string | null;
  readonly actor: string | null;
};

/** Entries after the first number, up to the second. */
export type EntrySpan = { readonly after: number; readonly upTo: number };

const FOUND = `select ${ENTRY.columns} from audit_entries
   where entry_number > $1 and entry_number <= $2
     and ($3::double precision is null or occurred_at >= to_timestamp($3))
     and ($4::double precision is null or occurred_at < to_timestamp($4))
     and ($5::text is null or action = $5) and ($6::text is null or actor = $6)`;
const SEARCH = statement('audit.search', `${FOUND} order by entry_number limit $7`);
const SEARCH_NEWEST = statement('audit.search_newest', `${FOUND} order by entry_number desc limit $7`);

/** Oldest first. */
export async function searchEntries(
  database: Database,
  span: EntrySpan,
  filter: EntryFilter,
  limit: number,
): Promise<AuditEntry[]> {
  return (await database.query(SEARCH, searchValues(span, filter, limit))).map(ENTRY.parse);
}

function searchValues({ after, upTo }: EntrySpan, { from, to, action, actor }: EntryFilter, limit: number) {
  const seconds = (moment: number | null) => (moment === null ? null : moment / 1_000);
  return [after, upTo, seconds(from), seconds(to), action, actor, limit];
}

/** Newest first. */
export async function searchNewestEntries(
  database: Database,
  span: EntrySpan,
  filter: EntryFilter,
  limit: number,
): Promise<AuditEntry[]> {
  return (await database.query(SEARCH_NEWEST, searchValues(span, filter, limit))).map(ENTRY.parse);
}

const FIND_ABOUT = statement(
  'audit.find_about',
  `select ${ENTRY.columns} from audit_entries
   where occurred_at >= to_timestamp($1::double precision) and occurred_at < to_timestamp($2::double precision)
     and resource = $3
   order by occurred_at, entry_number limit $4`,
);

/** Entries about a resource in a span of time (milliseconds since the epoch), oldest first. */
export async function findEntriesAbout(
  database: Database,
  resource: string,
  span: { readonly from: number; readonly to: number },
  limit: number,
): Promise<AuditEntry[]> {
  const rows = await database.query(FIND_ABOUT, [span.from / 1_000, span.to / 1_000, resource, limit]);
  return rows.map(ENTRY.parse);
}

const UNAUDITED = rowCodec({ name: column.text(), appliedAt: column.instant() }, 'm');

export type UnauditedMigration = RowOf<typeof UNAUDITED>;

/**
 * Reads the log by time, from a minute before each migration to the first matching entry, which is close. The
 * minute is for a server that took over with an earlier clock. Migrations from before the first entry count
 * only if they are named: their entries may be archived, or they are older than the first key.
 */
const FIND_UNAUDITED = statement(
  'audit.find_unaudited_migrations',
  `select ${UNAUDITED.columns} from schema_migrations m
   left join lateral (
     select true as is_there from audit_entries e
     where e.occurred_at >= m.applied_at - interval '1 minute'
       and e.action = 'schema.migrate' and e.resource = 'migrations/' || m.name
     order by e.occurred_at limit 1
   ) e on true
   where e.is_there is null and (m.name = any($1::text[])
     or m.applied_at > (select occurred_at from audit_entries order by entry_number limit 1))
   order by m.number`,
);

/** Migrations without an entry, among those applied since the log begins and those named. */
export async function findUnauditedMigrations(
  reader: Reader,
  names: readonly string[],
): Promise<UnauditedMigration[]> {
  return (await reader.query(FIND_UNAUDITED, [names])).map(UNAUDITED.parse);
}

const ARCHIVE = rowCodec<AuditArchive>({
  firstNumber: column.whole(),
  lastNumber: column.whole(),
  lastSeal: column.bytes(),
  lastKeyId: column.whole(),
  fileSha256: column.bytes(),
  dataKeyId: column.whole(),
  seal: column.bytes(),
});

const LIST = statement(
  'audit.list_archives',
  `select ${ARCHIVE.columns} from audit_archives order by first_number`,
);

export async function listArchives(database: Database): Promise<AuditArchive[]> {
  return (await database.query(LIST, [])).map(ARCHIVE.parse);
}

const MAY_ARCHIVE = statement(
  'audit.may_archive',
  `select has_table_privilege('audit_archives', 'insert') and has_table_privilege('audit_entries', 'delete')
     as may_archive`,
);

/** True for the owner, and not for the service's role. */
export async function mayArchive(database: Database): Promise<boolean> {
  const [row] = await database.query(MAY_ARCHIVE, []);
  return row?.may_archive === true;
}

const DAYS_AGO = rowCodec({
  seconds: column.real(`extract(epoch from now() - $1 * interval '1 day')::float8`),
});
const READ_DAYS_AGO = statement('audit.days_ago', `select ${DAYS_AGO.columns}`);

/** Seconds since the epoch, by the clock that stamps entries. */
export async function secondsOfDaysAgo(database: Database, days: number): Promise<number> {
  const [row = {}] = await database.query(READ_DAYS_AGO, [days]);
  return DAYS_AGO.parse(row).seconds;
}

/**
 * Inserts only an archive that begins right after the last one: of two commands at once, one inserts nothing.
 */
const INSERT = statement(
  'audit.insert_archive',
  `insert into audit_archives (first_number, last_number, last_seal, last_key_id, file_sha256, data_key_id, seal)
   select $1::bigint, $2::bigint, $3::bytea, $4::integer, $5::bytea, $6::integer, $7::bytea
   where $1 = coalesce((select max(last_number) from audit_archives), 0) + 1
   returning first_number`,
);

export async function insertArchive(tx: Tx, archive: AuditArchive): Promise<boolean> {
  const { firstNumber, lastNumber, lastSeal, lastKeyId, fileSha256, dataKeyId, seal } = archive;
  const values = [firstNumber, lastNumber, lastSeal, lastKeyId, fileSha256, dataKeyId, seal];
  return (await tx.query(INSERT, values)).length === 1;
}

/** Lowest first, so that the rest is a chain that begins later. */
const DELETE = statement(
  'audit.delete_archived',
  `delete from audit_entries where ctid = any (array(
     select e.ctid from audit_entries e where e.entry_number <= $1 order by e.entry_number limit $2
   )) returning entry_number`,
);

/** Deletes up to `limit` archived entries; returns how many. */
export async function deleteArchived(database: Database, lastNumber: number, limit: number): Promise<number> {
  return (await database.query(DELETE, [lastNumber, limit])).length;
}
