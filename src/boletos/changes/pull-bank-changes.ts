import { type Bank, type BankChangesAnswer, MOST_BANK_CHANGES } from '../../banks/bank.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { type ApplyBankTools, applyWaitingOf } from './apply-bank-changes.ts';
import {
  type BankCursor,
  type BankPace,
  keepBankPage,
  openBankCursor,
  postponeBankPull,
  type UnreadableBankChange,
} from './bank-cursors.sql.ts';

export type PullBankTools = ApplyBankTools & {
  readonly bank: Bank;
  readonly clock: BusinessClock;
  readonly bankTimeoutMilliseconds: number;
  readonly pace: BankPace;
  /**
   * Production: one request brings the changes of all merchants. Homologation: one for each, by its
   * own clock.
   */
  readonly isForAllMerchants: boolean;
  /** Called with the result of each request; a reason when it brought no page. */
  readonly observePull: (outcome: BankChangesAnswer['kind'], reason: string | null) => void;
  readonly observeUnreadable: (change: UnreadableBankChange) => void;
};

/** `none`: no clear answer. `kept`: how many changes this request brought. */
export type PullResult = { readonly state: 'more' | 'done' | 'none'; readonly kept: number };

/** Of one merchant in one go; the work continues beyond it. */
const MOST_PAGES = 10_000;

/**
 * Requests one page behind the cursor and keeps it in the commit that moves the cursor, so that any
 * number of processes may ask.
 */
export async function pullBankChanges(tools: PullBankTools, cursor: BankCursor): Promise<PullResult> {
  const { merchantId } = cursor;
  const until = tools.clock.now(merchantId ?? '');
  const request = { merchantId, cursor: cursor.cursor, until, limit: MOST_BANK_CHANGES };
  const answer = await tools.bank.changesSince(request, tools.bankTimeoutMilliseconds);
  if (answer.kind !== 'changes') {
    tools.observePull(answer.kind, answer.reason);
    await postponeBankPull(tools.database, cursor, tools.pace.pauseSeconds);
    return { state: 'none', kept: 0 };
  }
  const isKept = await keepBankPage(tools.database, cursor, answer, tools.pace);
  tools.observePull(answer.kind, null);
  if (isKept) for (const unreadable of answer.unreadable) tools.observeUnreadable(unreadable);
  if (answer.changes.length > 0) tools.wakeSignal.notify();
  // Dropped: the process that moved the cursor may have stopped short of what this answer had.
  return { state: answer.hasMore || !isKept ? 'more' : 'done', kept: isKept ? answer.changes.length : 0 };
}

/**
 * Brings this merchant's changes up to its business time, and applies them, before it resolves: for
 * forced events and for jumps of the test clock. Throws when the bank does not answer. Gives how
 * many it brought.
 */
export async function pullAndApplyOf(tools: PullBankTools, merchantId: string): Promise<number> {
  let brought = 0;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const cursor = await openBankCursor(tools.database, tools.isForAllMerchants ? null : merchantId);
    const { state, kept } = await pullBankChanges(tools, cursor);
    if (state === 'none') throw new Error('the bank did not report its changes');
    await applyWaitingOf(tools, merchantId);
    brought += kept;
    if (state === 'done') break;
  }
  return brought;
}
