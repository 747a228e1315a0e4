import {
  type Acquirer,
  type ChangesAnswer,
  MOST_CHANGES,
  type UnreadableChange,
} from '../../acquirers/acquirer.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { type ApplyTools, applyWaitingOf } from './apply-due-changes.ts';
import {
  type ChangeCursor,
  keepPage,
  openChangeCursor,
  type PullPace,
  postponePull,
} from './change-cursors.sql.ts';

export type PullTools = ApplyTools & {
  readonly acquirer: Acquirer;
  readonly clock: BusinessClock;
  readonly acquirerTimeoutMilliseconds: number;
  readonly pace: PullPace;
  /**
   * Production: one request brings the changes of all merchants. Homologation: one for each, by its
   * own clock.
   */
  readonly isForAllMerchants: boolean;
  readonly wakeSignal: WakeSignal;
  /** Called with the result of each request; a reason when it brought no page. */
  readonly observePull: (outcome: ChangesAnswer['kind'], reason: string | null) => void;
  /** Called for each item that was kept as unreadable. */
  readonly observeUnreadable: (change: UnreadableChange) => void;
};

/**
 * `more`: asking again at once brings more. `none`: no clear answer, or this acquirer reports no
 * changes. `kept`: how many changes this request brought.
 */
export type PullResult = { readonly state: 'more' | 'done' | 'none'; readonly kept: number };

/**
 * A jump of two years of a merchant with thousands of open installments; the work continues beyond
 * it.
 */
const MOST_PAGES = 10_000;

/**
 * Requests one page behind the cursor and keeps it in the commit that moves the cursor. A change
 * that is reported twice is kept once, and a page that comes after the cursor was moved elsewhere
 * is dropped, so that any number of processes may ask.
 */
export async function pullChanges(tools: PullTools, cursor: ChangeCursor): Promise<PullResult> {
  const { merchantId } = cursor;
  const until = tools.clock.now(merchantId ?? '');
  const request = { merchantId, cursor: cursor.cursor, until, limit: MOST_CHANGES };
  const answer = await tools.acquirer.changesSince(request, tools.acquirerTimeoutMilliseconds);
  if (answer.kind !== 'changes') {
    const reason = answer.kind === 'unknown' ? answer.reason : 'the acquirer reports no changes';
    tools.observePull(answer.kind, reason);
    await postponePull(tools.database, cursor, tools.pace.pauseSeconds);
    return { state: 'none', kept: 0 };
  }
  const isKept = await keepPage(tools.database, cursor, answer, tools.pace);
  tools.observePull(answer.kind, null);
  if (isKept) for (const unreadable of answer.unreadable) tools.observeUnreadable(unreadable);
  if (answer.changes.length > 0) tools.wakeSignal.notify();
  // Dropped: the process that moved the cursor may have stopped short of what this answer had.
  return { state: answer.hasMore || !isKept ? 'more' : 'done', kept: isKept ? answer.changes.length : 0 };
}

/**
 * Brings this merchant's changes up to its business time, and applies them, before it resolves: for
 * forced events and for jumps of the test clock. What waits for a cancel goes on waiting. Throws
 * when the acquirer does not answer. Returns how many it brought.
 */
export async function pullAndApplyOf(tools: PullTools, merchantId: string): Promise<number> {
  let brought = 0;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const cursor = await openChangeCursor(tools.database, tools.isForAllMerchants ? null : merchantId);
    const { state, kept } = await pullChanges(tools, cursor);
    if (state === 'none') throw new Error('the acquirer did not report its changes');
    await applyWaitingOf(tools, merchantId);
    brought += kept;
    if (state === 'done') break;
  }
  return brought;
}
