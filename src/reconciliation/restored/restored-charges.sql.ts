import type { ListedCharge } from '../../acquirers/listed-charge.ts';
import { type Database, type Row, type Step, statement } from '../../platform/postgres/database.ts';
import { type Instant, instant, utcText } from '../../values/instant.ts';
import type {
  EndOfLost,
  RestoredCharge,
  RestoredDecision,
  RestoreRun,
  RestoreTally,
} from './restored-charge.ts';

const RUN = 'run_number, since, stopped_at, last_sale_at, cursor, finished_at';

const OPEN_RUN = statement(
  'restore_runs.open',
  `insert into restore_runs (since, stopped_at, last_sale_at) values ($1::timestamptz, $2::timestamptz, $3::timestamptz)
   returning ${RUN}`,
);

const NEWEST_RUN = statement(
  'restore_runs.newest',
  `select ${RUN} from restore_runs
   where begun_at > coalesce((select stamped_at from database_stamp), '-infinity')
   order by run_number desc limit 1`,
);

export async function openRestoreRun(
  database: Database,
  since: Instant,
  end: EndOfLost,
): Promise<RestoreRun> {
  const [row] = await database.query(OPEN_RUN, [utcText(since), ...textsOf([end.stoppedAt, end.lastSaleAt])]);
  return parseRun(row ?? {});
}

/** Null: this database was not compared with the acquirer's books since it was accepted last. */
export async function newestRestoreRun(database: Database): Promise<RestoreRun | null> {
  const [row] = await database.query(NEWEST_RUN, []);
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
    cursor: row.cursor as string | null,
    finishedAt: row.finished_at as Instant | null,
  };
}

const ADVANCE = statement(
  'restore_runs.advance',
  `update restore_runs set cursor = $3, seen = seen + $4, ended = ended + $5, left_to_services = left_to_services + $6,
     not_ours = not_ours + $7, finished_at = case when $8::boolean then now() end
   where run_number = $1 and cursor is not distinct from $2 and finished_at is null
   returning run_number`,
);

/** Of a page that is done. */
export type PageTally = Pick<RestoreTally, 'seen' | 'ended' | 'leftToServices' | 'notOurs'>;

/** False: somebody else goes on with the run. */
export async function advanceRestoreRun(
  database: Database,
  { runNumber, cursor }: Pick<RestoreRun, 'runNumber' | 'cursor'>,
  { next, isLast }: { readonly next: string; readonly isLast: boolean },
  { seen, ended, leftToServices, notOurs }: PageTally,
): Promise<boolean> {
  const values = [runNumber, cursor, next, seen, ended, leftToServices, notOurs, isLast];
  return (await database.query(ADVANCE, values)).length === 1;
}

const COUNT = statement(
  'restore_runs.count',
  `select r.seen, r.ended, r.left_to_services, r.not_ours, c.filled, c.voided, c.undecided
   from restore_runs r cross join lateral (
     select count(*) filter (where o.decision = 'filled') as filled, count(*) filter (where o.decision = 'voided') as voided,
       count(*) filter (where o.decision = 'undecided') as undecided
     from restored_charges o where o.run_number = r.run_number
   ) c where r.run_number = $1`,
);

export async function tallyOfRun(database: Database, runNumber: number): Promise<RestoreTally> {
  const [row = {}] = await database.query(COUNT, [runNumber]);
  const numberOf = (name: string) => Number(row[name] ?? 0);
  const differing = numberOf('filled') + numberOf('voided') + numberOf('undecided');
  const others = numberOf('ended') + numberOf('left_to_services') + numberOf('not_ours');
  return {
    seen: numberOf('seen'),
    inBooks: numberOf('seen') - others - differing,
    ended: numberOf('ended'),
    leftToServices: numberOf('left_to_services'),
    notOurs: numberOf('not_ours'),
    filled: numberOf('filled'),
    voided: numberOf('voided'),
    undecided: numberOf('undecided'),
  };
}

const NOTE = statement(
  'restored_charges.note',
  `insert into restored_charges (merchant_id, transaction_id, run_number, decision, reason, charge, decided_at, decided_by)
   values ($1, $2, $3, $4, $5, $6, case when $4 <> 'undecided' then now() end,
     case when $4 <> 'undecided' then 'reconcile' end)
   on conflict (merchant_id, transaction_id) do nothing`,
);

/** Notes what was done with a charge; one that is noted already stays as it is. */
export function noteStep(
  runNumber: number,
  charge: ListedCharge,
  decision: RestoredDecision,
  reason: string,
): Step {
  const { merchantId, reference } = charge;
  return {
    statement: NOTE,
    values: [merchantId, reference, runNumber, decision, reason, JSON.stringify(charge)],
  };
}

const DECIDE = statement(
  'restored_charges.decide',
  `update restored_charges set decision = $3, decided_at = now(), decided_by = $4
   where merchant_id = $1 and transaction_id = $2 and decision = 'undecided'
   returning transaction_id`,
);

/** Returns a row when it was undecided. */
export function decideStep(
  { merchantId, transactionId }: Pick<RestoredCharge, 'merchantId' | 'transactionId'>,
  decision: Exclude<RestoredDecision, 'undecided'>,
  by: string,
): Step {
  return { statement: DECIDE, values: [merchantId, transactionId, decision, by] };
}

const LIST = statement(
  'restored_charges.list_undecided',
  `select merchant_id, transaction_id, decision, reason, charge, found_at from restored_charges
   where decision = 'undecided' and ($1::text is null or merchant_id = $1)
     and ($2::uuid[] is null or transaction_id = any($2::uuid[]))
   order by found_at, merchant_id, transaction_id limit $3`,
);

export type UndecidedFilter = {
  /** Null: of all merchants. */
  readonly merchantId: string | null;
  /** Null: all. */
  readonly transactionIds: readonly string[] | null;
};

/** Oldest first. */
export async function listUndecided(
  database: Database,
  { merchantId, transactionIds }: UndecidedFilter,
  limit: number,
): Promise<RestoredCharge[]> {
  const rows = await database.query(LIST, [merchantId, transactionIds, limit]);
  return rows.map((row) => ({
    merchantId: row.merchant_id as string,
    transactionId: row.transaction_id as string,
    decision: row.decision as RestoredDecision,
    reason: row.reason as string,
    charge: row.charge as ListedCharge,
    foundAt: row.found_at as Instant,
  }));
}

const COUNT_UNDECIDED = statement(
  'restored_charges.count_undecided',
  `select count(*)::int as undecided, count(*) filter (where reason = 'billing')::int as of_billings
   from restored_charges where decision = 'undecided'`,
);

export async function countUndecided(
  database: Database,
): Promise<{ readonly undecided: number; readonly ofBillings: number }> {
  const [row = {}] = await database.query(COUNT_UNDECIDED, []);
  return { undecided: row.undecided as number, ofBillings: row.of_billings as number };
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
