import pg from 'pg';
import type { Auditor } from './service.ts';

/** What a piece of work did in the database: figures that do not depend on the machine. */
export type Work = {
  /** By name. Commands of transactions have none. */
  readonly statements: Readonly<Record<string, number>>;
  /** Rows written or locked, by table and kind: `transactions insert`. */
  readonly rows: Readonly<Record<string, number>>;
  /** By index. */
  readonly entries: Readonly<Record<string, number>>;
  /** Of rows and index entries, without copies of whole pages. */
  readonly walBytes: number;
};

/** With the bytes of one record of each: the least that was seen. */
export type MeasuredWork = Work & { readonly bytes: Readonly<Record<string, number>> };

type Counts = Record<string, number>;

/** What services and PostgreSQL write for themselves, a jump of a clock, and what is kept for seconds. */
const BESIDE = /^(service_beats|process_reports|audit_|pg_|merchant_clocks)/;
const ASKED_BESIDE =
  /^(clock|notices|platform|access_tokens)\.|^merchants\.list_clocks$|^changes\.find_unprocessed_chargeback$|^(?!fees).*_of_merchant$/;

const WRITTEN = `select c.relname as name, c.relkind = 'i' as is_index, b.record_type as kind, count(*)::integer as count,
    array_agg(b.record_length::integer) filter (where coalesce(b.block_fpi_length, 0) = 0) as lengths
  from pg_get_wal_block_info($1, $2, false) b join pg_class c on pg_relation_filenode(c.oid) = b.relfilenode
  where b.reldatabase = (select oid from pg_database where datname = current_database())
    and b.block_id = 0 and (b.resource_manager = 'Heap' or b.resource_manager = 'Btree')
  group by 1, 2, 3`;

const ROW_KINDS: Readonly<Record<string, string>> = {
  INSERT: 'insert',
  'INSERT+INIT': 'insert',
  UPDATE: 'update',
  'UPDATE+INIT': 'update',
  HOT_UPDATE: 'update in place',
  DELETE: 'delete',
  LOCK: 'lock',
};
/** A page that is split takes an entry too, but its bytes are of the page. */
const ENTRY_KINDS = ['INSERT_LEAF', 'INSERT_POST', 'SPLIT_L', 'SPLIT_R'];
const SPLIT = /^SPLIT/;

export type Counted = {
  /** Made before each run, and not counted. */
  readonly prepare?: () => Promise<unknown>;
  readonly run: () => Promise<unknown>;
};

export type WorkCounter = {
  /** Each count is the least of `times` runs: what the service does beside them counts for nothing. */
  readonly count: (times: number, counted: Counted) => Promise<MeasuredWork>;
  readonly close: () => void;
};

/** Counts what this process asks of PostgreSQL and what the server logs of it. */
export async function openWorkCounter(auditor: Auditor): Promise<WorkCounter> {
  await auditor.query('create extension if not exists pg_walinspect');
  let asked: Counts = {};
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [wanted] = given as [string | { readonly name?: string }];
    const name = typeof wanted === 'string' ? wanted : (wanted.name ?? '');
    if (/^[a-z_]+\.[a-z_]+$/.test(name) && !ASKED_BESIDE.test(name)) asked[name] = (asked[name] ?? 0) + 1;
    return Reflect.apply(query, this, given);
  } as typeof query;
  const readEnd = async () => (await auditor.query('select pg_current_wal_flush_lsn() as lsn'))[0]?.lsn;

  async function countOnce(
    { prepare, run }: Counted,
    seen: Map<string, number[]>,
  ): Promise<Omit<Work, 'walBytes'>> {
    await prepare?.();
    const from = await readEnd();
    asked = {};
    await run();
    const statements = asked;
    const rows: Counts = {};
    const entries: Counts = {};
    for (const { name, is_index, kind, count, lengths } of await auditor.query(WRITTEN, [
      from,
      await readEnd(),
    ])) {
      if (BESIDE.test(name as string)) continue;
      const rowKind = ROW_KINDS[kind as string];
      if (is_index === true ? !ENTRY_KINDS.includes(kind as string) : rowKind === undefined) continue;
      const [counts, key] = is_index === true ? [entries, name as string] : [rows, `${name} ${rowKind}`];
      counts[key] = (counts[key] ?? 0) + (count as number);
      if (!SPLIT.test(kind as string))
        seen.set(key, [...(seen.get(key) ?? []), ...((lengths as number[]) ?? [])]);
    }
    return { statements, rows, entries };
  }

  return {
    async count(times, counted) {
      const runs: Omit<Work, 'walBytes'>[] = [];
      // A record with a copy of its page leaves its own data out: lengths are those of the others.
      const seen = new Map<string, number[]>();
      while (runs.length < times) runs.push(await countOnce(counted, seen));
      const rows = leastOf(runs.map((run) => run.rows));
      const entries = leastOf(runs.map((run) => run.entries));
      const counts = Object.entries({ ...rows, ...entries });
      const bytes = Object.fromEntries(counts.map(([name]) => [name, leastLength(seen.get(name) ?? [])]));
      return {
        statements: leastOf(runs.map(({ statements }) => statements)),
        rows,
        entries,
        walBytes: counts.reduce((sum, [name, count]) => sum + count * (bytes[name] ?? 0), 0),
        bytes,
      };
    },
    close() {
      pg.Client.prototype.query = query;
    },
  };
}

function leastOf(runs: readonly Counts[]): Counts {
  const [first = {}, ...others] = runs;
  const least = Object.entries(first).map(([name, count]): [string, number] => [
    name,
    Math.min(count, ...others.map((run) => run[name] ?? 0)),
  ]);
  return Object.fromEntries(least.filter(([, count]) => count > 0).sort());
}

/** An update whose row finds no room in its page is logged whole, in whichever run that happens. */
function leastLength(lengths: readonly number[]): number {
  return lengths.length === 0 ? 0 : Math.min(...lengths);
}
