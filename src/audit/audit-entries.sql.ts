import { type Database, type Row, type Step, statement } from '../platform/postgres/database.ts';
import type { AuditEntry, AuditHead } from './audit-chain.ts';
import type { AuditAction } from './audit-event.ts';

/** The end of the chain, held by this transaction. */
export type HeldHead = AuditHead & {
  /**
   * The audit keys that may seal now: not retired, or retired by this very transaction, which is
   * its own record.
   */
  readonly usableKeyIds: readonly number[];
  /** The clock, read after the lock was given: it rises from writer to writer. */
  readonly occurredAtSeconds: string;
};

/**
 * Locks the key before the head, in the same order as an audited retirement of a key. The clock is
 * read above the lock, when no other transaction can write any more.
 */
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
   select entry_number, seal, head_seal, data_key_id, (select ids from usable_keys) as usable_key_ids,
     extract(epoch from clock_timestamp())::text as occurred_at_seconds
   from held`,
);

export const holdHead: Step = { statement: HOLD_HEAD, values: [] };

/** Null when there is no head. */
export function parseHeldHead([row]: readonly Row[]): HeldHead | null {
  if (row === undefined) return null;
  return {
    ...parseHead(row),
    usableKeyIds: row.usable_key_ids as number[],
    occurredAtSeconds: row.occurred_at_seconds as string,
  };
}

const APPEND = statement(
  'audit.append',
  `with appended as (
     insert into audit_entries (entry_number, occurred_at, actor, action, outcome, origin, resource, detail,
       data_key_id, previous_seal, seal)
     select e.entry_number, to_timestamp($1::double precision), e.actor, e.action, e.outcome, e.origin, e.resource,
       e.detail, $2, e.previous_seal, e.seal
     from unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bytea[],
       $11::bytea[]) as e (entry_number, actor, action, outcome, origin, resource, detail, previous_seal, seal)
   )
   update audit_head set entry_number = $12, seal = $13, head_seal = $14, data_key_id = $2
   where is_only and entry_number = $15
   returning entry_number`,
);

/** Appends entries that follow `held`, and moves the head, in the transaction that holds it. */
export function appendEntries(
  held: HeldHead,
  entries: readonly AuditEntry[],
  head: Omit<AuditHead, 'dataKeyId'> & { readonly dataKeyId: number },
): Step {
  const column = <Name extends keyof AuditEntry>(name: Name) => entries.map((entry) => entry[name]);
  return {
    statement: APPEND,
    values: [
      held.occurredAtSeconds,
      head.dataKeyId,
      column('entryNumber'),
      column('actor'),
      column('action'),
      column('outcome'),
      column('origin'),
      column('resource'),
      column('detail'),
      column('previousSeal'),
      column('seal'),
      head.entryNumber,
      head.seal,
      head.headSeal,
      held.entryNumber,
    ],
  };
}

const FIND_SEALS = statement(
  'audit.find_seals',
  'select entry_number, seal from audit_entries where entry_number = any($1::bigint[])',
);

/** What stands at these numbers. */
export function findSeals(entryNumbers: readonly number[]): Step {
  return { statement: FIND_SEALS, values: [entryNumbers] };
}

export function parseSeals(rows: readonly Row[]): Map<number, Buffer> {
  return new Map(rows.map((row) => [row.entry_number as number, row.seal as Buffer]));
}

const BEGIN = statement(
  'audit.begin',
  `insert into audit_head (entry_number, seal, head_seal, data_key_id)
   select 0, '', $1, $2 where not exists (select from audit_entries)
   on conflict (is_only) do nothing`,
);

/**
 * Makes the head of a chain that has no entry yet; a head that was taken away from a longer one is
 * not made again.
 */
export async function beginChain(database: Database, headSeal: Buffer, dataKeyId: number): Promise<void> {
  await database.query(BEGIN, [headSeal, dataKeyId]);
}

const FIND_ENDS = statement(
  'audit.find_ends',
  `select h.entry_number, h.seal, h.head_seal, h.data_key_id,
     coalesce((select min(entry_number) from audit_entries), 0) as first_number,
     coalesce((select max(entry_number) from audit_entries), 0) as last_number
   from (select true) as always left join audit_head h on h.is_only`,
);

export type ChainEnds = {
  readonly head: AuditHead | null;
  /** Of the entries that are there; 0: none. */
  readonly firstNumber: number;
  readonly lastNumber: number;
};

/** All of one moment. */
export async function findEnds(database: Database): Promise<ChainEnds> {
  const [row] = await database.query(FIND_ENDS, []);
  return {
    head: row?.entry_number === null ? null : parseHead(row as Row),
    firstNumber: row?.first_number as number,
    lastNumber: row?.last_number as number,
  };
}

function parseHead(row: Row): AuditHead {
  return {
    entryNumber: row.entry_number as number,
    seal: row.seal as Buffer,
    headSeal: row.head_seal as Buffer,
    dataKeyId: row.data_key_id as number | null,
  };
}

const COLUMNS = `entry_number, extract(epoch from occurred_at)::text as occurred_at_seconds, actor, action, outcome,
  origin, resource, detail, data_key_id, previous_seal, seal`;

const PAGE = statement(
  'audit.page',
  `select ${COLUMNS} from audit_entries where entry_number >= $1 order by entry_number limit $2`,
);

/** The entries from a number on, in order. */
export async function pageOfEntries(database: Database, from: number, limit: number): Promise<AuditEntry[]> {
  return (await database.query(PAGE, [from, limit])).map(parseEntry);
}

/** Which entries somebody wants to see; null: not asked for. */
export type EntryFilter = {
  /** Milliseconds since the epoch: from this moment on, and before that one. */
  readonly from: number | null;
  readonly to: number | null;
  readonly action: string | null;
  readonly actor: string | null;
};

/** The entries behind the first number, up to the second. */
export type EntrySpan = { readonly after: number; readonly upTo: number };

const SEARCH = statement(
  'audit.search',
  `select ${COLUMNS} from audit_entries
   where entry_number > $1 and entry_number <= $2
     and ($3::double precision is null or occurred_at >= to_timestamp($3))
     and ($4::double precision is null or occurred_at < to_timestamp($4))
     and ($5::text is null or action = $5) and ($6::text is null or actor = $6)
   order by entry_number limit $7`,
);

/** Up to `limit` entries of the span that fit, oldest first. */
export async function searchEntries(
  database: Database,
  span: EntrySpan,
  filter: EntryFilter,
  limit: number,
): Promise<AuditEntry[]> {
  return (await database.query(SEARCH, searchValues(span, filter, limit))).map(parseEntry);
}

function searchValues({ after, upTo }: EntrySpan, { from, to, action, actor }: EntryFilter, limit: number) {
  const seconds = (moment: number | null) => (moment === null ? null : moment / 1_000);
  return [after, upTo, seconds(from), seconds(to), action, actor, limit];
}

const SEARCH_NEWEST = statement(
  'audit.search_newest',
  `select ${COLUMNS} from audit_entries
   where entry_number > $1 and entry_number <= $2
     and ($3::double precision is null or occurred_at >= to_timestamp($3))
     and ($4::double precision is null or occurred_at < to_timestamp($4))
     and ($5::text is null or action = $5) and ($6::text is null or actor = $6)
   order by entry_number desc limit $7`,
);

/** The same, newest first. */
export async function searchNewestEntries(
  database: Database,
  span: EntrySpan,
  filter: EntryFilter,
  limit: number,
): Promise<AuditEntry[]> {
  return (await database.query(SEARCH_NEWEST, searchValues(span, filter, limit))).map(parseEntry);
}

const FIND_ABOUT = statement(
  'audit.find_about',
  `select ${COLUMNS} from audit_entries
   where occurred_at >= to_timestamp($1::double precision) and occurred_at < to_timestamp($2::double precision)
     and resource = $3
   order by occurred_at, entry_number limit $4`,
);

/**
 * Up to `limit` entries about one thing within a span of time (milliseconds since the epoch),
 * oldest first.
 */
export async function findEntriesAbout(
  database: Database,
  resource: string,
  span: { readonly from: number; readonly to: number },
  limit: number,
): Promise<AuditEntry[]> {
  const rows = await database.query(FIND_ABOUT, [span.from / 1_000, span.to / 1_000, resource, limit]);
  return rows.map(parseEntry);
}

function parseEntry(row: Row): AuditEntry {
  return {
    entryNumber: row.entry_number as number,
    occurredAtSeconds: row.occurred_at_seconds as string,
    actor: row.actor as string,
    action: row.action as AuditAction,
    outcome: row.outcome as 'success' | 'failure',
    origin: row.origin as string,
    resource: row.resource as string,
    detail: row.detail as string,
    dataKeyId: row.data_key_id as number,
    previousSeal: row.previous_seal as Buffer,
    seal: row.seal as Buffer,
  };
}
