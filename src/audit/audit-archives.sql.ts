import { type Database, statement, type Tx } from '../platform/postgres/database.ts';
import { column, rowCodec } from '../platform/postgres/row-codec.ts';
import type { AuditArchive } from './archive.ts';

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

/** By the clock that stamps entries, in seconds since the epoch. */
export async function secondsOfDaysAgo(database: Database, days: number): Promise<number> {
  const [row = {}] = await database.query(READ_DAYS_AGO, [days]);
  return DAYS_AGO.parse(row).seconds;
}

/** Only after the last archive: of two commands at once, one anchors nothing. */
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

/** Lowest first: the rest is a chain that begins later. */
const DELETE = statement(
  'audit.delete_archived',
  `delete from audit_entries where ctid = any (array(
     select e.ctid from audit_entries e where e.entry_number <= $1 order by e.entry_number limit $2
   )) returning entry_number`,
);

/** Deletes up to `limit` archived entries; gives how many. */
export async function deleteArchived(database: Database, lastNumber: number, limit: number): Promise<number> {
  return (await database.query(DELETE, [lastNumber, limit])).length;
}
