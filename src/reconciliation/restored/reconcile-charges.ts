import type { Acquirer } from '../../acquirers/acquirer.ts';
import { type ChargesPage, type ListedCharge, MOST_LISTED_CHARGES } from '../../acquirers/listed-charge.ts';
import type { Actor, Audit } from '../../audit/audit-event.ts';
import { holdInDoubtStep } from '../../transactions/card/charges-in-doubt.sql.ts';
import { skipMovementIds } from '../../transactions/movements/movements.sql.ts';
import { isUuid } from '../../values/ids.ts';
import { type Instant, instant, utcText } from '../../values/instant.ts';
import { bookKey, findBooks } from './books.sql.ts';
import { type FillTools, fillCharge } from './fill-charge.ts';
import {
  type Books,
  type EndOfLost,
  isStopContradicted,
  judgeCharge,
  NOTHING_RESTORED,
  type RestoreRun,
  type RestoreTally,
  type Verdict,
} from './restored-charge.ts';
import {
  advanceRestoreRun,
  newestRestoreRun,
  noteStep,
  openRestoreRun,
  tallyOfRun,
} from './restored-charges.sql.ts';

export type ReconcileTools = FillTools & {
  readonly audit: Audit;
  readonly operator: Actor;
  readonly acquirer: Pick<Acquirer, 'listCharges' | 'voidCharge'>;
  readonly acquirerTimeoutMilliseconds: number;
  /** Called for each page. */
  readonly report: (line: string) => void;
};

export type AskedReconciliation = {
  /** The instant to which the database was restored. */
  readonly restoredTo: Instant;
  readonly stoppedAt: Instant | null;
  /** Only says what would be done. */
  readonly isDry: boolean;
};

/**
 * `stopped`: the acquirer gave no clear answer, or somebody else goes on with it; the same again
 * goes on from there.
 */
export type Reconciled =
  | { readonly kind: 'finished'; readonly tally: RestoreTally; readonly end: EndOfLost }
  | { readonly kind: 'stopped'; readonly reason: string };

/**
 * The acquirer is asked from so long before the restored instant on: clocks differ, and what was
 * under way then has an answer that the books lack.
 */
const MARGIN_MILLISECONDS = 15 * 60 * 1_000;
/**
 * A person has so long to decide on a charge that was under way; then it is voided, as without a
 * decision.
 */
const HELD_SECONDS = 7 * 86_400;
const TRIES_OF_A_PAGE = 3;
/** Ten million charges: a list that does not end is none. */
const MOST_PAGES = 100_000;

class Stopped extends Error {
  override readonly name = 'Stopped';
}

/**
 * Brings the books of a restored database to what the acquirer has, page by page: what a page needs
 * is done before the place behind it is kept, and doing it again changes nothing.
 */
export async function reconcileCharges(
  tools: ReconcileTools,
  asked: AskedReconciliation,
): Promise<Reconciled> {
  const since = instant(asked.restoredTo - MARGIN_MILLISECONDS);
  try {
    if (asked.isDry) return await judgeAll(tools, since, asked.stoppedAt);
    const newest = await newestRestoreRun(tools.database);
    const isUnfinished =
      newest?.finishedAt === null && newest.since === since && newest.stoppedAt === asked.stoppedAt;
    const run = isUnfinished ? newest : await beginRun(tools, since, asked.stoppedAt);
    await walk(tools, run);
    const tally = await tallyOfRun(tools.database, run.runNumber);
    await auditRun(tools, 'finished', { ...tally });
    return { kind: 'finished', tally, end: run };
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    return { kind: 'stopped', reason: error.message };
  }
}

async function beginRun(
  tools: ReconcileTools,
  since: Instant,
  stoppedAt: Instant | null,
): Promise<RestoreRun> {
  const lastSaleAt = await findLastSale(tools, since);
  refuseContradiction({ lastSaleAt, stoppedAt });
  // Merchants have read movements of higher numbers than the restored database knows.
  await skipMovementIds(tools.database);
  const run = await openRestoreRun(tools.database, since, { lastSaleAt, stoppedAt });
  await auditRun(tools, 'begun', {
    since: utcText(since),
    stoppedAt: stoppedAt === null ? '' : utcText(stoppedAt),
  });
  return run;
}

function refuseContradiction(end: EndOfLost): void {
  if (isStopContradicted(end) && end.lastSaleAt !== null)
    throw new Stopped(
      `the acquirer authorized a charge at ${utcText(end.lastSaleAt)}, long after --stopped-at`,
    );
}

async function auditRun(
  { audit, operator }: ReconcileTools,
  what: 'begun' | 'finished',
  detail: Readonly<Record<string, string | number>>,
): Promise<void> {
  const event = {
    ...operator,
    action: 'restore.reconcile',
    outcome: 'success',
    resource: 'database',
  } as const;
  await audit.record({ ...event, detail: { what, ...detail } });
}

/** The newest authorization of ours that the acquirer has: until then the lost services lived. */
async function findLastSale(tools: ReconcileTools, since: Instant): Promise<Instant | null> {
  let last: Instant | null = null;
  for await (const { charges } of pagesSince(tools, since, null))
    for (const { reference, authorizedAt } of charges)
      if (isUuid(reference)) last = instant(Math.max(last ?? 0, authorizedAt));
  return last;
}

async function* pagesSince(
  tools: Pick<ReconcileTools, 'acquirer' | 'acquirerTimeoutMilliseconds'>,
  since: Instant,
  from: string | null,
): AsyncGenerator<ChargesPage> {
  let cursor = from;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page = await pageBehind(tools, since, cursor);
    yield page;
    if (!page.hasMore) return;
    cursor = page.cursor;
  }
  throw new Stopped(`the acquirer's list has more than ${MOST_PAGES} pages`);
}

async function pageBehind(
  { acquirer, acquirerTimeoutMilliseconds }: Pick<ReconcileTools, 'acquirer' | 'acquirerTimeoutMilliseconds'>,
  since: Instant,
  cursor: string | null,
): Promise<ChargesPage> {
  const request = { since, cursor, limit: MOST_LISTED_CHARGES };
  let reason = 'the acquirer does not list charges';
  for (let tries = 0; tries < TRIES_OF_A_PAGE; tries += 1) {
    const answer = await acquirer.listCharges(request, acquirerTimeoutMilliseconds);
    if (answer.kind === 'charges') return answer;
    if (answer.kind === 'notOffered') break;
    reason = answer.reason;
  }
  throw new Stopped(reason);
}

async function walk(tools: ReconcileTools, run: RestoreRun): Promise<void> {
  let place = run.cursor;
  let seen = 0;
  for await (const page of pagesSince(tools, run.since, run.cursor)) {
    const judged = await judgePage(tools, page.charges, run);
    for (const { charge, books, verdict } of judged) await act(tools, run, charge, books, verdict);
    const next = { next: page.cursor, isLast: !page.hasMore };
    const tally = { ...countOf(judged), seen: judged.length };
    if (!(await advanceRestoreRun(tools.database, { ...run, cursor: place }, next, tally)))
      throw new Stopped('another restore reconcile goes on with it');
    place = page.cursor;
    seen += judged.length;
    tools.report(`${seen} charges of the acquirer compared`);
  }
}

type Judged = { readonly charge: ListedCharge; readonly books: Books | null; readonly verdict: Verdict };

async function judgePage(
  { database }: Pick<ReconcileTools, 'database'>,
  charges: readonly ListedCharge[],
  end: EndOfLost,
): Promise<Judged[]> {
  const ours = charges.filter(({ reference }) => isUuid(reference));
  const found = ours.length === 0 ? new Map<string, Books>() : await findBooks(database, ours);
  return charges.map((charge) => {
    const books = found.get(bookKey(charge)) ?? null;
    return { charge, books, verdict: books === null ? { kind: 'notOurs' } : judgeCharge(charge, books, end) };
  });
}

function countOf(judged: readonly Judged[]) {
  const count = (kind: Verdict['kind']) => judged.filter(({ verdict }) => verdict.kind === kind).length;
  return { ended: count('ended'), leftToServices: count('leftToServices'), notOurs: count('notOurs') };
}

async function act(
  tools: ReconcileTools,
  { runNumber }: RestoreRun,
  charge: ListedCharge,
  books: Books | null,
  verdict: Verdict,
): Promise<void> {
  if (books === null) return;
  const { database } = tools;
  switch (verdict.kind) {
    case 'fill': {
      const note = noteStep(runNumber, charge, 'filled', verdict.reason);
      const isFilled = await fillCharge(tools, charge, books, verdict.reason, [note]);
      if (!isFilled) await database.commit([noteStep(runNumber, charge, 'undecided', 'billing')]);
      return;
    }
    case 'void': {
      await voidAtAcquirer(tools, charge);
      await database.commit([noteStep(runNumber, charge, 'voided', verdict.reason)]);
      return;
    }
    case 'decide': {
      const { merchantId, reference } = charge;
      const isUnderWay = books.transaction?.state === 'charging';
      const holds = isUnderWay ? [holdInDoubtStep(merchantId, reference, HELD_SECONDS)] : [];
      await database.commit([noteStep(runNumber, charge, 'undecided', verdict.reason), ...holds]);
      return;
    }
    default:
      return;
  }
}

async function voidAtAcquirer(
  { acquirer, acquirerTimeoutMilliseconds }: ReconcileTools,
  { merchantId, reference }: ListedCharge,
): Promise<void> {
  const answer = await acquirer.voidCharge(merchantId, reference, acquirerTimeoutMilliseconds);
  if (answer.kind === 'voided' || answer.kind === 'declined') return;
  throw new Stopped(`the void of ${reference} was not acknowledged: ${answer.reason}`);
}

/** What would be done. A billing that cannot take its charge is found out only when it is tried. */
async function judgeAll(
  tools: ReconcileTools,
  since: Instant,
  stoppedAt: Instant | null,
): Promise<Reconciled> {
  const end: EndOfLost = { lastSaleAt: await findLastSale(tools, since), stoppedAt };
  refuseContradiction(end);
  const tally = { ...NOTHING_RESTORED };
  for await (const { charges } of pagesSince(tools, since, null)) {
    const judged = await judgePage(tools, charges, end);
    const count = (kind: Verdict['kind']) => judged.filter(({ verdict }) => verdict.kind === kind).length;
    const page = { ...countOf(judged), seen: judged.length, inBooks: count('inBooks') };
    const acts = { filled: count('fill'), voided: count('void'), undecided: count('decide') };
    for (const [name, added] of Object.entries({ ...page, ...acts }) as [keyof RestoreTally, number][])
      (tally as Record<keyof RestoreTally, number>)[name] += added;
  }
  return { kind: 'finished', tally, end };
}
