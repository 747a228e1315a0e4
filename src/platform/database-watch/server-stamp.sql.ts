import { randomUUID } from 'node:crypto';
import { type Database, type Row, statement, type Tx } from '../postgres/database.ts';
import { column, firstOf, type RowOf, rowCodec } from '../postgres/row-codec.ts';
import { ALL_FACTS, FEWER_FACTS, isIdentityHidden, parseFacts } from './server-facts.sql.ts';
import type { ServerFacts, ServerIdentity } from './server-facts.ts';
import type { Found, Stamp } from './server-stamp.ts';

/** After this time the rows of ended processes are deleted. */
const FORGET_AFTER = '30 days';

/** The beat number only rises. It is written only if the last acknowledged beat is still there. */
const BEATING = `
  with beaten as (
    update service_beats set beat = greatest(beat, $2), beaten_at = now()
    where service_id = $1 and beat >= $3 returning service_id
  ), begun as (
    insert into service_beats (service_id, beat, beaten_at) select $1, $2, now() where $3 = 0
    on conflict (service_id) do nothing returning service_id
  )
  select (select count(*) from beaten) + (select count(*) from begun) > 0 as is_last_beat_there`;
const STAMPED = rowCodec({
  token: column.text('s.token'),
  stampedSystemIdentifier: column.nullable(column.text('s.system_identifier')),
  stampedDatabaseOid: column.whole('s.database_oid'),
  stampedTableOid: column.whole('s.table_oid'),
  stampedTimeline: column.nullable(column.whole('s.timeline')),
  doubt: column.nullable(column.text('s.doubt')),
});
const FROM_STAMP = 'from (select) one left join database_stamp s on true';
const BEAT = statement('platform.beat', `${BEATING}, ${STAMPED.columns}, ${ALL_FACTS.columns} ${FROM_STAMP}`);
const BEAT_WITH_FEWER_FACTS = statement(
  'platform.beat_with_fewer_facts',
  `${BEATING}, ${STAMPED.columns}, ${FEWER_FACTS.columns} ${FROM_STAMP}`,
);
const READ_STAMP = statement(
  'platform.read_stamp',
  `select ${STAMPED.columns}, ${ALL_FACTS.columns} ${FROM_STAMP}`,
);
const READ_STAMP_AND_FEWER_FACTS = statement(
  'platform.read_stamp_and_fewer_facts',
  `select ${STAMPED.columns}, ${FEWER_FACTS.columns} ${FROM_STAMP}`,
);
const FIRST_STAMP = statement(
  'platform.stamp_first',
  `insert into database_stamp (system_identifier, database_oid, timeline, token, table_oid, stamped_at)
   values ($1, $2, $3, $4, $5, now()) on conflict do nothing`,
);
const ACCEPT = statement(
  'platform.stamp_accepted',
  `insert into database_stamp (system_identifier, database_oid, timeline, token, table_oid, stamped_at)
   values ($1, $2, $3, $4, $5, now())
   on conflict (only_row) do update set system_identifier = excluded.system_identifier, doubt = null, token = excluded.token,
     database_oid = excluded.database_oid, table_oid = excluded.table_oid, timeline = excluded.timeline, stamped_at = excluded.stamped_at
   returning token`,
);
const VOUCH = statement(
  'platform.vouch',
  `update database_stamp set timeline = $1, stamped_at = now()
   where timeline = $2 and token = $3 and doubt is null`,
);
const DOUBT = statement('platform.doubt', 'update database_stamp set doubt = coalesce(doubt, $1)');
const FORGET = statement(
  'platform.forget_beats',
  `delete from service_beats where beaten_at < now() - interval '${FORGET_AFTER}'`,
);

const LAST_BEAT = rowCodec({
  beatenAt: column.instant('max(beaten_at)'),
  ageSeconds: column.real('extract(epoch from now() - max(beaten_at))::float8'),
});
const READ_LAST_BEAT = statement(
  'platform.read_last_beat',
  `select ${LAST_BEAT.columns} from service_beats having count(*) > 0`,
);

/** Null: no process ran lately. */
export async function readLastBeat(database: Database): Promise<RowOf<typeof LAST_BEAT> | null> {
  return firstOf(await database.query(READ_LAST_BEAT, []), LAST_BEAT.parse);
}

function parseStamp(row: Row): Stamp | null {
  if (row.token === null) return null;
  const { token, doubt, ...stamped } = STAMPED.parse(row);
  return {
    token,
    systemIdentifier: stamped.stampedSystemIdentifier,
    databaseOid: stamped.stampedDatabaseOid,
    tableOid: stamped.stampedTableOid,
    timeline: stamped.stampedTimeline,
    doubt,
  };
}

const stampOf = ({ systemIdentifier, databaseOid, timeline, tableOid }: ServerIdentity) => [
  systemIdentifier,
  databaseOid,
  timeline,
  randomUUID(),
  tableOid,
];

export async function readStamp(database: Database): Promise<{ stamp: Stamp | null; facts: ServerFacts }> {
  const [row = {}] = await database.query(READ_STAMP, []).catch((error) => {
    if (!isIdentityHidden(error)) throw error;
    return database.query(READ_STAMP_AND_FEWER_FACTS, []);
  });
  return { stamp: parseStamp(row), facts: parseFacts(row) };
}

export async function acceptDatabase(tx: Tx, identity: ServerIdentity): Promise<void> {
  await tx.query(ACCEPT, stampOf(identity));
}

export type Beat = {
  readonly serviceId: string;
  readonly beat: number;
  readonly lastBeat: number;
};

export async function writeBeat(
  database: Database,
  { serviceId, beat, lastBeat }: Beat,
  hasAllFacts: boolean,
): Promise<Found & { readonly facts: ServerFacts }> {
  const asked = hasAllFacts ? BEAT : BEAT_WITH_FEWER_FACTS;
  const [row = {}] = await database.query(asked, [serviceId, beat, lastBeat]);
  const facts = parseFacts(row);
  return {
    facts,
    identity: facts,
    stamp: parseStamp(row),
    isLastBeatThere: row.is_last_beat_there === true,
  };
}

export async function forgetBeats(database: Database): Promise<void> {
  await database.query(FORGET, []);
}

/** When several processes start at once, the first stamp stays. */
export async function stampFirst(database: Database, identity: ServerIdentity): Promise<void> {
  await database.query(FIRST_STAMP, stampOf(identity));
}

/** Vouches for all processes. Changes nothing if another process was faster. */
export async function vouch(database: Database, from: Stamp, timeline: number | null): Promise<void> {
  await database.query(VOUCH, [timeline, from.timeline, from.token]);
}

/** Shows all processes the fault that one of them found. */
export async function writeDoubt(database: Database, words: string): Promise<void> {
  await database.query(DOUBT, [words]);
}
