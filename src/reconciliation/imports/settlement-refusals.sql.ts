import { type Database, type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import type { Instant } from '../../values/instant.ts';
import type { SettlementFault } from '../settlement-entry.ts';

const FORGET_AFTER = '400 days';

const KEEP = statement(
  'settlement_refusals.keep',
  `with old as (delete from settlement_refusals where refused_at < now() - interval '${FORGET_AFTER}' and sha256 <> $1)
   insert into settlement_refusals (sha256, name, size_bytes, reason, faults, refused_by)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (sha256) do update set name = excluded.name, size_bytes = excluded.size_bytes, reason = excluded.reason,
     faults = excluded.faults, refused_by = excluded.refused_by, refused_at = now(),
     times = least(settlement_refusals.times + 1, 1000000)`,
);

/** A file that was not taken, as it is kept. */
export type RefusedFile = {
  /** Hexadecimal. */
  readonly sha256: string;
  readonly name: string;
  readonly sizeBytes: number;
  /** What is wrong with the whole; null: its lines are. */
  readonly reason: string | null;
  readonly faults: readonly SettlementFault[];
  readonly refusedBy: string;
};

/** Each content once: one that comes again counts one more. */
export async function keepRefusedFile(database: Database, file: RefusedFile): Promise<void> {
  const { sha256, name, sizeBytes, reason, faults, refusedBy } = file;
  const values = [
    Buffer.from(sha256, 'hex'),
    name,
    sizeBytes,
    reason,
    JSON.stringify(faults),
    refusedBy.slice(0, 100),
  ];
  await database.query(KEEP, values);
}

const LIST = statement(
  'settlement_refusals.list',
  `select encode(r.sha256, 'hex') as sha256, r.name, r.size_bytes, r.reason, r.faults, r.refused_by, r.refused_at, r.times,
     f.file_number as taken_as
   from settlement_refusals r
   left join settlement_files f on f.sha256 = r.sha256 and f.taken_at is not null
   order by r.refused_at desc limit $1`,
);

export type ListedRefusal = RefusedFile & {
  readonly refusedAt: Instant;
  /** How often this content came. */
  readonly times: number;
  /** The number under which it was taken after all; null: it was not. */
  readonly takenAs: number | null;
};

/** The newest first. */
export async function listRefusedFiles(database: Reader, limit: number): Promise<ListedRefusal[]> {
  return (await database.query(LIST, [limit])).map(parseRefusal);
}

function parseRefusal(row: Row): ListedRefusal {
  return {
    sha256: row.sha256 as string,
    name: row.name as string,
    sizeBytes: row.size_bytes as number,
    reason: row.reason as string | null,
    faults: JSON.parse(row.faults as string) as SettlementFault[],
    refusedBy: row.refused_by as string,
    refusedAt: row.refused_at as Instant,
    times: row.times as number,
    takenAs: row.taken_as as number | null,
  };
}
