import { newId } from '../../platform/chance.ts';
import {
  type Database,
  type Reader,
  type Row,
  type Statement,
  statement,
  type Tx,
} from '../../platform/postgres/database.ts';
import { column, firstOf, onlyOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { type Instant, utcText } from '../../values/instant.ts';
import type { EndOfLost, Place, RestoreRun, RestoreTally } from './restored-charge.ts';

/** Without a renewal another process may take over. */
export const WALK_LEASE_MILLISECONDS = 20_000;

const RUN = rowCodec({
  runNumber: column.whole(),
  since: column.instant(),
  stoppedAt: column.nullable(column.instant()),
  lastSaleAt: column.nullable(column.instant()),
  ofMerchant: column.nullable(column.text()),
  cursor: column.nullable(column.text()),
  alsoMerchants: column.listOf(column.text()),
  providers: column.listOf(column.text()),
  unlisted: column.listOf(column.text()),
  finishedAt: column.nullable(column.instant()),
});

const WALKED_RUN = rowCodec({ ...RUN.fields, walker: column.text() });

function runOf({ ofMerchant, cursor, ...run }: RowOf<typeof RUN>): RestoreRun {
  return { ...run, place: { merchantId: ofMerchant, cursor } };
}

/** Only one walk begins, or one database is accepted, at a time. */
const LOCK = statement(
  'restore_runs.lock',
  `select pg_advisory_xact_lock(hashtextextended('restore runs', 0))`,
);
const FIND_WALK = statement(
  'restore_runs.find_walk',
  'select run_number from restore_runs where walking_until > now() limit 1',
);
/** Each acceptance changes the stamp's token. */
const IS_STILL_HELD = `$1::text is not distinct from (select token::text from database_stamp)
     and not exists (select from restore_runs where walking_until > now())`;
const OPEN_RUN = statement(
  'restore_runs.open',
  `insert into restore_runs (since, stopped_at, last_sale_at, also_merchants, providers, unlisted, walker, walking_until)
   select $4::timestamptz, $5::timestamptz, $6::timestamptz, $7::text[], $8::text[], $9::text[], $2::uuid, now() + $3 * interval '1 millisecond'
   where ${IS_STILL_HELD}
   returning ${WALKED_RUN.columns}`,
);
const RESUME_RUN = statement(
  'restore_runs.resume',
  `update restore_runs set walker = $2::uuid, walking_until = now() + $3 * interval '1 millisecond'
   where run_number = $4 and finished_at is null and ${IS_STILL_HELD}
   returning ${WALKED_RUN.columns}`,
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
  `select ${RUN.columns} from restore_runs
   where begun_at > coalesce((select stamped_at from database_stamp), '-infinity')
   order by run_number desc limit 1`,
);

export type WalkedRun = RestoreRun & { readonly walker: string };

export type RunToOpen = EndOfLost & Pick<RestoreRun, 'since' | 'alsoMerchants' | 'providers' | 'unlisted'>;

/** null: another process walks, or the database was accepted since. */
export async function openRestoreRun(
  tx: Tx,
  stampToken: string | null,
  { since, stoppedAt, lastSaleAt, alsoMerchants, providers, unlisted }: RunToOpen,
): Promise<WalkedRun | null> {
  const moments = [utcText(since), ...textsOf([stoppedAt, lastSaleAt])];
  return takeRun(tx, OPEN_RUN, stampToken, [...moments, alsoMerchants, providers, unlisted]);
}

export async function resumeRestoreRun(
  tx: Tx,
  stampToken: string | null,
  { runNumber }: Pick<RestoreRun, 'runNumber'>,
): Promise<WalkedRun | null> {
  return takeRun(tx, RESUME_RUN, stampToken, [runNumber]);
}

async function takeRun(
  tx: Tx,
  take: Statement,
  stampToken: string | null,
  others: readonly unknown[],
): Promise<WalkedRun | null> {
  await tx.query(LOCK, []);
  const [row] = await tx.query(take, [stampToken, newId(), WALK_LEASE_MILLISECONDS, ...others]);
  if (row === undefined) return null;
  const { walker, ...run } = WALKED_RUN.parse(row);
  return { ...runOf(run), walker };
}

/** False if this process has lost the walk. */
export async function keepWalking(
  database: Database,
  { runNumber, walker }: Pick<WalkedRun, 'runNumber' | 'walker'>,
): Promise<boolean> {
  return (await database.query(KEEP, [runNumber, walker, WALK_LEASE_MILLISECONDS])).length === 1;
}

export async function leaveRun(
  database: Database,
  { runNumber, walker }: Pick<WalkedRun, 'runNumber' | 'walker'>,
): Promise<void> {
  await database.query(LEAVE, [runNumber, walker]);
}

export async function isWalked(reader: Reader): Promise<boolean> {
  return (await reader.query(FIND_WALK, [])).length > 0;
}

/** Until the end of the transaction no `restore reconcile` begins, goes on, or writes into the books. */
export async function holdRuns(
  tx: Tx,
): Promise<{ readonly isWalked: boolean; readonly run: RestoreRun | null }> {
  await tx.query(LOCK, []);
  return { isWalked: await isWalked(tx), run: await newestRestoreRun(tx) };
}

const LOCK_SHARED = statement(
  'restore_runs.lock_shared',
  `select pg_advisory_xact_lock_shared(hashtextextended('restore runs', 0))`,
);
/** By the wall clock: the commit may have waited for the lock. */
const IS_HELD = statement(
  'restore_runs.is_held',
  `select run_number from restore_runs
   where run_number = $1 and walker = $2 and finished_at is null and walking_until > clock_timestamp()`,
);

/** Until the transaction ends nobody takes over and no database is accepted. */
export async function holdWalk(
  tx: Tx,
  { runNumber, walker }: Pick<WalkedRun, 'runNumber' | 'walker'>,
): Promise<boolean> {
  await tx.query(LOCK_SHARED, []);
  return (await tx.query(IS_HELD, [runNumber, walker])).length === 1;
}

/** null: nothing was compared since the database was last accepted. */
export async function newestRestoreRun(reader: Reader): Promise<RestoreRun | null> {
  return firstOf(await reader.query(NEWEST_RUN, []), (row) => runOf(RUN.parse(row)));
}

function textsOf(moments: readonly (Instant | null)[]): (string | null)[] {
  return moments.map((moment) => (moment === null ? null : utcText(moment)));
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

export type PageTally = Pick<RestoreTally, 'seen' | 'ended' | 'leftToServices' | 'notOurs'>;

/** False if this process has lost the walk. */
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

const COUNTED = rowCodec({
  seen: column.whole('r.seen'),
  ended: column.whole('r.ended'),
  leftToServices: column.whole('r.left_to_services'),
  notOurs: column.whole('r.not_ours'),
  filled: column.whole('c.filled'),
  voided: column.whole('c.voided'),
  undecided: column.whole('c.undecided'),
  unfinished: column.whole('c.unfinished'),
});

const COUNT = statement(
  'restore_runs.count',
  `select ${COUNTED.columns}
   from restore_runs r cross join lateral (
     select count(*) filter (where o.decision = 'filled') as filled, count(*) filter (where o.decision = 'voided') as voided,
       count(*) filter (where o.decision = 'undecided') as undecided, count(*) filter (where o.decision = 'unfinished') as unfinished
     from restored_charges o where o.run_number = r.run_number
   ) c where r.run_number = $1`,
);

export async function tallyOfRun(database: Database, runNumber: number): Promise<RestoreTally> {
  const [row] = await database.query(COUNT, [runNumber]);
  const { seen, ...others } = COUNTED.parse(row as Row);
  return { seen, inBooks: Object.values(others).reduce((left, count) => left - count, seen), ...others };
}

const NEXT = rowCodec({ merchantId: column.nullable(column.text('min(n.merchant_id)')) });

const NEXT_MERCHANT = statement(
  'restore_runs.next_merchant',
  `select ${NEXT.columns} from (
     (select merchant_id from merchants where $1::text is null or merchant_id > $1 order by merchant_id limit 1)
     union all select a.merchant_id from unnest($2::text[]) a (merchant_id) where $1::text is null or a.merchant_id > $1
   ) n`,
);

export async function nextMerchant(
  database: Database,
  after: string | null,
  alsoMerchants: readonly string[],
): Promise<string | null> {
  return onlyOf(await database.query(NEXT_MERCHANT, [after, alsoMerchants]), NEXT.parse).merchantId;
}

const REPLAYED = rowCodec({ until: column.nullable(column.instant('pg_last_xact_replay_timestamp()')) });

const REPLAYED_UNTIL = statement('restore_runs.replayed_until', `select ${REPLAYED.columns}`);

/** The newest commit replayed in recovery; null: no recovery since the server's start. */
export async function replayedUntil(database: Database): Promise<Instant | null> {
  return onlyOf(await database.query(REPLAYED_UNTIL, []), REPLAYED.parse).until;
}
