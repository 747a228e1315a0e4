import type { Actor, Audit, AuditEvent } from '../../audit/audit-event.ts';
import type { Tx } from '../../platform/postgres/database.ts';
import type { ListedCharge } from '../../providers/acquirers/listed-charge.ts';
import { hasUnfitLink } from '../../providers/acquirers/network-reference.ts';
import type { Acquirers } from '../../providers/open-acquirers.ts';
import { DEFAULT_PROVIDER, type ProviderKind, providerText } from '../../providers/provider.ts';
import { holdInDoubt } from '../../transactions/methods/card/resolutions.sql.ts';
import { skipMovementIds } from '../../transactions/movements/movements.sql.ts';
import { isUuid } from '../../values/ids.ts';
import { type Instant, instant, utcText } from '../../values/instant.ts';
import { bookKey, findBooks, findBooksOf } from './books.sql.ts';
import { claimWalk, type HeldWalk } from './claim-walk.ts';
import { type FillTools, fillCharge, type NotWritten } from './fill-charge.ts';
import { GuardLost, guardedDatabase } from './guarded-database.ts';
import { type AskedList, findListing, type Listing, listCharges, Stopped } from './list-charges.ts';
import { type AskedPix, type ReconcilePixTools, type RestoredPix, reconcilePix } from './reconcile-pix.ts';
import {
  advanceRestoreRun,
  holdWalk,
  newestRestoreRun,
  openRestoreRun,
  resumeRestoreRun,
  tallyOfRun,
} from './restore-runs.sql.ts';
import {
  type Books,
  type EndOfLost,
  endOfStanding,
  type FillReason,
  isStopContradicted,
  judgeCharge,
  NOTHING_RESTORED,
  type RestoredDecision,
  type RestoreRun,
  type RestoreTally,
  standingOf,
  type Verdict,
} from './restored-charge.ts';
import { endUnfinished, noteCharge } from './restored-charges.sql.ts';

export type ReconcileTools = FillTools & {
  readonly audit: Audit;
  readonly operator: Actor;
  readonly acquirers: Pick<Acquirers, 'all' | 'of'>;
  readonly acquirerTimeoutMilliseconds: number;
  readonly report: (line: string) => void;
} & Omit<ReconcilePixTools, 'mustBeHeld'>;

export type AskedReconciliation = {
  readonly restoredTo: Instant;
  readonly stoppedAt: Instant | null;
  readonly isDry: boolean;
  readonly ofCell: AskedList['ofCell'];
  readonly lostPix: AskedPix['lostPix'];
  /** Nothing is done if the database was accepted since it had this stamp. */
  readonly stampToken: string | null;
};

/** `stopped`: no clear answer, or another process continues. The same call resumes. */
export type Reconciled =
  | {
      readonly kind: 'finished';
      readonly tally: RestoreTally;
      readonly end: EndOfLost;
      readonly pix: RestoredPix;
      readonly unlisted: readonly string[];
    }
  | { readonly kind: 'stopped'; readonly reason: string };

/** Starts before the restored instant: clocks differ, and charges that were under way have answers by now. */
const MARGIN_MILLISECONDS = 15 * 60 * 1_000;
/** The time for a person to decide on a charge under way. Then it is voided. */
const HELD_SECONDS = 7 * 86_400;
const RECONCILE = 'reconcile';

/** A page is finished before its position is stored. Repeatable. */
export async function reconcileCharges(
  tools: ReconcileTools,
  asked: AskedReconciliation,
): Promise<Reconciled> {
  const { ofCell } = asked;
  const list = { since: instant(asked.restoredTo - MARGIN_MILLISECONDS), ofCell };
  try {
    const { acquirers, unlisted } = await findListing(tools);
    const listing = { ...tools, acquirers };
    const done = asked.isDry
      ? await judgeAll(listing, list, asked)
      : await walkAll(listing, asked, list, unlisted);
    return { kind: 'finished', ...done, unlisted };
  } catch (error) {
    if (!(error instanceof Stopped || error instanceof GuardLost)) throw error;
    return { kind: 'stopped', reason: error.message };
  }
}

type Walked = Omit<Extract<Reconciled, { kind: 'finished' }>, 'kind' | 'unlisted'>;

async function walkAll(
  tools: ReconcileTools,
  asked: AskedReconciliation,
  list: AskedList,
  unlisted: Listing['unlisted'],
): Promise<Walked> {
  const take = await runToTake(tools, asked, list, unlisted);
  return claimWalk(tools.database, take, async (held) => {
    const { since } = list;
    // First, because the walk of the acquirers' lists ends the run.
    const pix = await reconcilePix(
      { ...guarded(tools, held), ...held },
      { since, isDry: false, lostPix: asked.lostPix },
    );
    await walk(tools, list, held);
    const tally = await tallyOfRun(tools.database, held.run.runNumber);
    await tools.audit.record(runEvent(tools, 'finished', { ...tally, ...pixDetail(pix) }));
    return { tally, end: held.run, pix };
  });
}

async function runToTake(
  tools: ReconcileTools,
  { stoppedAt, stampToken }: AskedReconciliation,
  list: AskedList,
  unlistedNames: Listing['unlisted'],
): Promise<Parameters<typeof claimWalk>[1]> {
  const { database } = tools;
  const alsoMerchants = list.ofCell?.alsoMerchants ?? [];
  const providers = walkedProviders(tools);
  const unlisted = textsOf('acquirer', unlistedNames);
  const newest = await newestRestoreRun(database);
  const isUnfinished =
    newest?.finishedAt === null &&
    newest.since === list.since &&
    newest.stoppedAt === stoppedAt &&
    newest.providers.join() === providers.join() &&
    newest.unlisted.join() === unlisted.join() &&
    newest.alsoMerchants.join() === alsoMerchants.join();
  // A service of the lost database may have lived on, so a resumed run checks too.
  const lastSaleAt = isUnfinished && stoppedAt === null ? null : await findLastSale(tools, list);
  refuseContradiction({ lastSaleAt, stoppedAt });
  if (isUnfinished) return () => database.transaction((tx) => resumeRestoreRun(tx, stampToken, newest));
  // Merchants have read higher numbers. Before the run begins, so that a resumed run has it too.
  await skipMovementIds(database);
  const { since } = list;
  const stopped = stoppedAt === null ? '' : utcText(stoppedAt);
  const event = runEvent(tools, 'begun', { since: utcText(since), stoppedAt: stopped });
  return () =>
    tools.audit.transaction(async (tx) => {
      const run = await openRestoreRun(tx, stampToken, {
        ...{ since, lastSaleAt, stoppedAt, alsoMerchants, providers, unlisted },
      });
      if (run !== null) tx.record(event);
      return run;
    });
}

/** As `restore accept` compares them with the providers that exist. */
function walkedProviders({ acquirers, pixBanks }: Pick<ReconcileTools, 'acquirers' | 'pixBanks'>): string[] {
  return [...textsOf('acquirer', acquirers.all()), ...textsOf('pix', pixBanks.all())];
}

const textsOf = (kind: ProviderKind, names: readonly string[]) =>
  names.map((name) => providerText({ kind, name }));

const pixDetail = ({ brought, returned, removed, left }: RestoredPix) => ({
  ...{ pixBrought: brought, pixReturned: returned, pixRemoved: removed, pixLeft: left.length },
});

/** Writes only while this process holds the walk. */
function guarded(tools: ReconcileTools, { run }: Pick<HeldWalk, 'run'>): ReconcileTools {
  return { ...tools, database: guardedDatabase(tools.database, (tx) => holdWalk(tx, run)) };
}

function refuseContradiction(end: EndOfLost): void {
  if (isStopContradicted(end) && end.lastSaleAt !== null)
    throw new Stopped(
      `the acquirer authorized a charge at ${utcText(end.lastSaleAt)}, long after --stopped-at`,
    );
}

function runEvent(
  { operator }: ReconcileTools,
  what: 'begun' | 'finished',
  detail: Readonly<Record<string, string | number>>,
): AuditEvent {
  const of = { action: 'restore.reconcile', outcome: 'success', resource: 'database' } as const;
  return { ...operator, ...of, detail: { what, ...detail } };
}

/** The lost services lived at least until then. */
async function findLastSale(tools: ReconcileTools, list: AskedList): Promise<Instant | null> {
  let last: Instant | null = null;
  for await (const { charges } of listCharges(tools, list)) last = lastSaleOf(charges, last);
  return last;
}

function lastSaleOf(charges: readonly ListedCharge[], before: Instant | null): Instant | null {
  const moments = charges.filter(({ reference }) => isUuid(reference)).map((one) => one.authorizedAt);
  return moments.length === 0 ? before : instant(Math.max(before ?? 0, ...moments));
}

async function walk(tools: ReconcileTools, list: AskedList, held: HeldWalk): Promise<void> {
  const { run, mustBeHeld } = held;
  const writing = guarded(tools, held);
  let [seen, leftOut] = [0, 0];
  for await (const { charges, behind, isLast } of listCharges(tools, list, run.place)) {
    // This charge was made since the first check. Nothing of its page is voided.
    refuseContradiction({ stoppedAt: run.stoppedAt, lastSaleAt: lastSaleOf(charges, null) });
    const judged = await judgePage(tools, charges, run);
    for (const found of judged) {
      mustBeHeld();
      const opened = await judgeOpened(tools, found, run);
      await act(writing, run, opened.charge, opened.books, opened.verdict);
      leftOut += linksLeftOut([opened]);
    }
    const tally = { ...countOf(judged), seen: judged.length };
    if (!(await advanceRestoreRun(tools.database, run, { next: behind, isLast }, tally)))
      throw new Stopped('another restore reconcile goes on with it');
    seen += judged.length;
    tools.report(compared(seen, leftOut));
  }
}

function linksLeftOut(judged: readonly Judged[]): number {
  return judged.filter(
    ({ charge, verdict }) => verdict.kind === 'fill' && hasUnfitLink(charge.networkReference, charge.brand),
  ).length;
}

function compared(seen: number, leftOut: number): string {
  const links = leftOut === 0 ? '' : `, ${leftOut} taken without their link (TLID)`;
  return `${seen} charges of the acquirer compared${links}`;
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

/** A charge earlier on the page may have opened its billing. */
async function judgeOpened(
  { database }: Pick<ReconcileTools, 'database'>,
  found: Judged,
  end: EndOfLost,
): Promise<Judged> {
  const { charge, books, verdict } = found;
  if (verdict.kind !== 'decide' || verdict.reason !== 'billing' || books?.billing !== null) return found;
  const now = await findBooksOf(database, charge);
  return { charge, books: now, verdict: judgeCharge(charge, now, end) };
}

function countOf(judged: readonly Judged[]) {
  const unnoted = judged.filter(({ books }) => books?.decision !== 'unfinished');
  const count = (kind: Verdict['kind']) => unnoted.filter(({ verdict }) => verdict.kind === kind).length;
  return { ended: count('ended'), leftToServices: count('leftToServices'), notOurs: count('notOurs') };
}

async function act(
  tools: ReconcileTools,
  run: RestoreRun,
  charge: ListedCharge,
  books: Books | null,
  verdict: Verdict,
): Promise<void> {
  if (books === null) return;
  const { database } = tools;
  const { merchantId, reference } = charge;
  const note = (tx: Tx, decision: RestoredDecision, reason: string) =>
    noteCharge(tx, run.runNumber, charge, decision, reason);
  switch (verdict.kind) {
    case 'fill':
      return fill(tools, run, charge, { books, reason: verdict.reason });
    case 'follow':
      return database.transaction((tx) => note(tx, 'unfinished', 'left'));
    case 'void':
      // Throws if this process no longer holds the walk.
      await database.transaction(async () => {});
      await voidAtAcquirer(tools, charge);
      return database.transaction((tx) => note(tx, 'voided', verdict.reason));
    case 'decide':
      return database.transaction(async (tx) => {
        await note(tx, 'undecided', verdict.reason);
        if (books.transaction?.state === 'charging') await holdForPerson(tx, merchantId, reference);
      });
    case 'inBooks':
    case 'leftToServices':
      // A killed walk had not ended it.
      if (books.decision === 'unfinished') await endFill(tools, charge, { isToBeKept: false, faults: [] });
      return;
    default:
      return;
  }
}

async function holdForPerson(tx: Tx, merchantId: string, reference: string): Promise<void> {
  await holdInDoubt(tx, merchantId, reference, HELD_SECONDS);
}

/** After a crash, the same call or a service completes it. */
async function fill(
  tools: ReconcileTools,
  { runNumber }: RestoreRun,
  charge: ListedCharge,
  { books, reason }: { readonly books: Books; readonly reason: FillReason },
): Promise<void> {
  const faults = await fillCharge(tools, charge, books, reason, (tx) =>
    noteCharge(tx, runNumber, charge, 'unfinished', reason),
  );
  if (faults === null)
    await tools.database.transaction((tx) => noteCharge(tx, runNumber, charge, 'undecided', 'billing'));
  else await endFill(tools, charge, { isToBeKept: reason === 'payment' || reason === 'underWay', faults });
}

async function endFill(
  { database }: ReconcileTools,
  charge: ListedCharge,
  { isToBeKept, faults }: { readonly isToBeKept: boolean; readonly faults: NotWritten },
): Promise<void> {
  const { merchantId, reference } = charge;
  const { transaction: known } = await findBooksOf(database, charge);
  const standing = standingOf(charge, known, isToBeKept);
  const end = endOfStanding(standing, faults);
  if (end === null) return;
  const key = { merchantId, transactionId: reference };
  const isToBeHeld = known?.state === 'charging' && standing.kind === 'undecided';
  // Otherwise the services would void the charge while a person decides.
  await database.transaction(async (tx) => {
    await endUnfinished(tx, key, { ...end, faults, by: RECONCILE });
    if (isToBeHeld) await holdForPerson(tx, merchantId, reference);
  });
}

async function voidAtAcquirer(
  { acquirers, acquirerTimeoutMilliseconds }: ReconcileTools,
  { acquirer: name, merchantId, reference }: ListedCharge,
): Promise<void> {
  const acquirer = acquirers.of(name ?? DEFAULT_PROVIDER);
  const answer = await acquirer.voidCharge(merchantId, reference, acquirerTimeoutMilliseconds);
  if (answer.kind === 'voided' || answer.kind === 'declined') return;
  throw new Stopped(`the void of ${reference} was not acknowledged: ${answer.reason}`);
}

/** Only a real run shows whether a billing refuses its charge. */
async function judgeAll(
  tools: ReconcileTools,
  list: AskedList,
  { stoppedAt, lostPix }: AskedReconciliation,
): Promise<Walked> {
  const end: EndOfLost = { lastSaleAt: await findLastSale(tools, list), stoppedAt };
  refuseContradiction(end);
  const tally = { ...NOTHING_RESTORED };
  let leftOut = 0;
  for await (const { charges } of listCharges(tools, list)) {
    const judged = await judgePage(tools, charges, end);
    const count = (kind: Verdict['kind']) => judged.filter(({ verdict }) => verdict.kind === kind).length;
    const page = { ...countOf(judged), seen: judged.length, inBooks: count('inBooks') };
    const acts = {
      ...{ filled: count('fill'), voided: count('void'), unfinished: count('follow') },
      undecided: count('decide'),
    };
    for (const [name, added] of Object.entries({ ...page, ...acts }) as [keyof RestoreTally, number][])
      (tally as Record<keyof RestoreTally, number>)[name] += added;
    leftOut += linksLeftOut(judged);
    tools.report(compared(tally.seen, leftOut));
  }
  const pix = await reconcilePix({ ...tools, mustBeHeld() {} }, { since: list.since, isDry: true, lostPix });
  return { tally, end, pix };
}
