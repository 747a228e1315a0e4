import { newId } from '../../platform/chance.ts';
import { type Database, type Row, type Step, statement } from '../../platform/postgres/database.ts';
import { type Instant, instant, utcText } from '../../values/instant.ts';
import type { EndOfLost, Place, RestoreRun, RestoreTally } from './restored-charge.ts';

/** A walk whose process says nothing for so long has ended, and another may go on with it. */
export const WALK_LEASE_MILLISECONDS = 20_000;

const RUN =
  'run_number, since, stopped_at, last_sale_at, of_merchant, also_merchants, cursor, finished_at, walker';

/** Walks begin, and databases are accepted, one after the other. */
const LOCK = statement(
  'restore_runs.lock',
  `select pg_advisory_xact_lock(hashtextextended('restore runs', 0))`,
);
const FIND_WALK = statement(
  'restore_runs.find_walk',
  'select run_number from restore_runs where walking_until > now() limit 1',
);
/** By the token of its stamp, which each acceptance renews. */
const IS_STILL_HELD = `$1::text is not distinct from (select token::text from database_stamp)
     and not exists (select from restore_runs where walking_until > now())`;
const OPEN_RUN = statement(
  'restore_runs.open',
  `insert into restore_runs (since, stopped_at, last_sale_at, also_merchants, walker, walking_until)
   select $4::timestamptz, $5::timestamptz, $6::timestamptz, $7::text[], $2::uuid, now() + $3 * interval '1 millisecond'
   where ${IS_STILL_HELD}
   returning ${RUN}`,
);
const RESUME_RUN = statement(
  'restore_runs.resume',
  `update restore_runs set walker = $2::uuid, walking_until = now() + $3 * interval '1 millisecond'
   where run_number = $4 and finished_at is null and ${IS_STILL_HELD}
   returning ${RUN}`,
);
const KEEP = statement(
  'restore_runs.keep',
  `update restore_runs set walking_until = now() + $3 * interval '1 millisecond'
   where run_number = $1 and walker = $2 and walking_until > now() returning run_number`,
);
const LEAVE = statement(
  'restore_runs.leave',
  'update restore_runs set walking_until = null where run_number = $1 and walker = $2',
);

const NEWEST_RUN = statement(
  'restore_runs.newest',
  `select ${RUN} from restore_runs
   where begun_at > coalesce((select stamped_at from database_stamp), '-infinity')
   order by run_number desc limit 1`,
);

/** A run that this process walks. */
export type WalkedRun = RestoreRun & { readonly walker: string };

export type RunToOpen = EndOfLost & Pick<RestoreRun, 'since' | 'alsoMerchants'>;

/** Null: another process walks, or the database was accepted since it had the stamp of this token. */
export async function openRestoreRun(
  database: Pick<Database, 'commit'>,
  stampToken: string | null,
  { since, stoppedAt, lastSaleAt, alsoMerchants }: RunToOpen,
): Promise<WalkedRun | null> {
  const moments = [utcText(since), ...textsOf([stoppedAt, lastSaleAt])];
  return takeRun(database, {
    statement: OPEN_RUN,
    values: [stampToken, newId(), WALK_LEASE_MILLISECONDS, ...moments, alsoMerchants],
  });
}

/** The same of one that was begun. */
export async function resumeRestoreRun(
  database: Database,
  stampToken: string | null,
  { runNumber }: Pick<RestoreRun, 'runNumber'>,
): Promise<WalkedRun | null> {
  const values = [stampToken, newId(), WALK_LEASE_MILLISECONDS, runNumber];
  return takeRun(database, { statement: RESUME_RUN, values });
}

async function takeRun(database: Pick<Database, 'commit'>, step: Step): Promise<WalkedRun | null> {
  const [, [row] = []] = await database.commit([{ statement: LOCK, values: [] }, step]);
  return row === undefined ? null : { ...parseRun(row), walker: row.walker as string };
}

/** False: it has ended for this process, which said nothing for too long. */
export async function keepWalking(
  database: Database,
  { runNumber, walker }: Pick<WalkedRun, 'runNumber' | 'walker'>,
): Promise<boolean> {
  return (await database.query(KEEP, [runNumber, walker, WALK_LEASE_MILLISECONDS])).length === 1;
}

/** Others need not wait for its end. */
export async function leaveRun(
  database: Database,
  { runNumber, walker }: Pick<WalkedRun, 'runNumber' | 'walker'>,
): Promise<void> {
  await database.query(LEAVE, [runNumber, walker]);
}

/** Whether a process walks the acquirer's list at this moment, or was killed just now. */
export async function isWalked(database: Database): Promise<boolean> {
  return (await database.query(FIND_WALK, [])).length > 0;
}

/**
 * What is under way and was done, behind the lock: the last two give the walks and the newest run. No walk
 * begins, and none writes, until the commit.
 */
export function holdRunsSteps(): readonly Step[] {
  return [LOCK, FIND_WALK, NEWEST_RUN].map((one) => ({ statement: one, values: [] }));
}

const LOCK_SHARED = statement(
  'restore_runs.lock_shared',
  `select pg_advisory_xact_lock_shared(hashtextextended('restore runs', 0))`,
);
/** By the clock of the moment: the commit may have waited for the lock. */
const IS_HELD = statement(
  'restore_runs.is_held',
  `select run_number from restore_runs
   where run_number = $1 and walker = $2 and finished_at is null and walking_until > clock_timestamp()`,
);

/**
 * The last gives a row while this process walks. Until the commit nobody takes the walk over, and no
 * database is accepted.
 */
export function holdWalkSteps({ runNumber, walker }: Pick<WalkedRun, 'runNumber' | 'walker'>): Step[] {
  return [
    { statement: LOCK_SHARED, values: [] },
    { statement: IS_HELD, values: [runNumber, walker] },
  ];
}

/** Null: this database was not compared with the acquirer's books since it was accepted last. */
export async function newestRestoreRun(database: Database): Promise<RestoreRun | null> {
  return parseNewestRun(await database.query(NEWEST_RUN, []));
}

export function parseNewestRun([row]: readonly Row[]): RestoreRun | null {
  return row === undefined ? null : parseRun(row);
}

function textsOf(moments: readonly (Instant | null)[]): (string | null)[] {
  return moments.map((moment) => (moment === null ? null : utcText(moment)));
}

function parseRun(row: Row): RestoreRun {
  return {
    runNumber: row.run_number as number,
    since: row.since as Instant,
    stoppedAt: row.stopped_at as Instant | null,
    lastSaleAt: row.last_sale_at as Instant | null,
    place: { merchantId: row.of_merchant as string | null, cursor: row.cursor as string | null },
    alsoMerchants: row.also_merchants as string[],
    finishedAt: row.finished_at as Instant | null,
  };
}

const ADVANCE = statement(
  'restore_runs.advance',
  `update restore_runs set of_merchant = $3, cursor = $4, seen = seen + $5, ended = ended + $6,
     left_to_services = left_to_services + $7, not_ours = not_ours + $8,
     finished_at = case when $9::boolean then now() end,
     walking_until = case when not $9::boolean then now() + $10 * interval '1 millisecond' end
   where run_number = $1 and walker = $2 and walking_until > now() and finished_at is null
   returning run_number`,
);

/** Of a page that is done. */
export type PageTally = Pick<RestoreTally, 'seen' | 'ended' | 'leftToServices' | 'notOurs'>;

/** False: it has ended for this process. */
export async function advanceRestoreRun(
  database: Database,
  { runNumber, walker }: Pick<WalkedRun, 'runNumber' | 'walker'>,
  { next, isLast }: { readonly next: Place; readonly isLast: boolean },
  { seen, ended, leftToServices, notOurs }: PageTally,
): Promise<boolean> {
  const tally = [seen, ended, leftToServices, notOurs];
  const place = [next.merchantId, next.cursor];
  const values = [runNumber, walker, ...place, ...tally, isLast, WALK_LEASE_MILLISECONDS];
  return (await database.query(ADVANCE, values)).length === 1;
}

const COUNT = statement(
  'restore_runs.count',
  `select r.seen, r.ended, r.left_to_services, r.not_ours, c.filled, c.voided, c.undecided, c.unfinished
   from restore_runs r cross join lateral (
     select count(*) filter (where o.decision = 'filled') as filled, count(*) filter (where o.decision = 'voided') as voided,
       count(*) filter (where o.decision = 'undecided') as undecided, count(*) filter (where o.decision = 'unfinished') as unfinished
     from restored_charges o where o.run_number = r.run_number
   ) c where r.run_number = $1`,
);

export async function tallyOfRun(database: Database, runNumber: number): Promise<RestoreTally> {
  const [row = {}] = await database.query(COUNT, [runNumber]);
  const numberOf = (name: string) => Number(row[name] ?? 0);
  const [unfinished, undecided] = [numberOf('unfinished'), numberOf('undecided')];
  const differing = numberOf('filled') + numberOf('voided') + unfinished + undecided;
  const others = numberOf('ended') + numberOf('left_to_services') + numberOf('not_ours');
  return {
    seen: numberOf('seen'),
    inBooks: numberOf('seen') - others - differing,
    ended: numberOf('ended'),
    leftToServices: numberOf('left_to_services'),
    notOurs: numberOf('not_ours'),
    filled: numberOf('filled'),
    voided: numberOf('voided'),
    unfinished,
    undecided,
  };
}

const NEXT_MERCHANT = statement(
  'restore_runs.next_merchant',
  `select min(n.merchant_id) as merchant_id from (
     (select merchant_id from merchants where $1::text is null or merchant_id > $1 order by merchant_id limit 1)
     union all select a.merchant_id from unnest($2::text[]) a (merchant_id) where $1::text is null or a.merchant_id > $1
   ) n`,
);

/** The merchant behind that one, in the order of their ids; null: there is none. */
export async function nextMerchant(
  database: Database,
  after: string | null,
  alsoMerchants: readonly string[],
): Promise<string | null> {
  const [row = {}] = await database.query(NEXT_MERCHANT, [after, alsoMerchants]);
  return row.merchant_id as string | null;
}

const REPLAYED = statement(
  'restore_runs.replayed_until',
  'select extract(epoch from pg_last_xact_replay_timestamp()) * 1000 as replayed',
);

/** The newest commit of the log that this server recovered from; null: it recovered none since it runs. */
export async function replayedUntil(database: Database): Promise<Instant | null> {
  const [row = {}] = await database.query(REPLAYED, []);
  return row.replayed === null ? null : instant(Math.floor(Number(row.replayed)));
}
