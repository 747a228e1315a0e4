import { type Database, type Reader, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
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

export type RefusedFile = {
  /** Hexadecimal. */
  readonly sha256: string;
  readonly name: string;
  readonly sizeBytes: number;
  /** null: the lines are at fault. */
  readonly reason: string | null;
  readonly faults: readonly SettlementFault[];
  readonly refusedBy: string;
};

/** One row for each content. */
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

const REFUSAL = rowCodec(
  {
    sha256: column.text("encode(r.sha256, 'hex')"),
    name: column.text(),
    sizeBytes: column.whole(),
    reason: column.nullable(column.text()),
    faults: column.parsedBy((value) =>
      typeof value === 'string' ? (JSON.parse(value) as SettlementFault[]) : undefined,
    ),
    refusedBy: column.text(),
    refusedAt: column.instant(),
    times: column.whole(),
    /** Its number, if it was taken later. */
    takenAs: column.nullable(column.whole('f.file_number')),
  },
  'r',
);

export type ListedRefusal = RowOf<typeof REFUSAL>;

const LIST = statement(
  'settlement_refusals.list',
  `select ${REFUSAL.columns}
   from settlement_refusals r
   left join settlement_files f on f.sha256 = r.sha256 and f.taken_at is not null
   order by r.refused_at desc limit $1`,
);

export async function listRefusedFiles(database: Reader, limit: number): Promise<ListedRefusal[]> {
  return (await database.query(LIST, [limit])).map(REFUSAL.parse);
}
