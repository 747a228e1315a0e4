import type { Work } from '../../platform/work/due-work.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import { applyDueChanges } from './apply-due-changes.ts';
import {
  claimCursors,
  millisecondsUntilDuePull,
  openChangeCursor,
  openCursorsOfSellers,
} from './change-cursors.sql.ts';
import { millisecondsUntilDueChange } from './changes.sql.ts';
import { type PullTools, pullChanges } from './pull-changes.ts';

/** Requests at the same time: resolving needs the other connections of the bridge. */
const PULLS_AT_ONCE = 8;
const LEASE_MARGIN_MILLISECONDS = 5_000;
/** How soon a merchant's first sale is followed by its first request. */
const LOOK_FOR_SELLERS_MILLISECONDS = 2_000;

export function pullingWork(tools: PullTools): Work {
  const { database, isForAllMerchants } = tools;
  const lease = tools.acquirerTimeoutMilliseconds + LEASE_MARGIN_MILLISECONDS;
  let looksAt = 0;

  async function openCursors(): Promise<void> {
    if (performance.now() < looksAt) return;
    if (isForAllMerchants) await openChangeCursor(database, null);
    else await openCursorsOfSellers(database);
    looksAt = isForAllMerchants
      ? Number.POSITIVE_INFINITY
      : performance.now() + LOOK_FOR_SELLERS_MILLISECONDS;
  }

  return {
    name: 'pullChanges',
    wakeSignal: createWakeSignal(),
    async runDue() {
      await openCursors();
      const cursors = await claimCursors(database, PULLS_AT_ONCE, lease);
      await Promise.all(cursors.map((cursor) => pullChanges(tools, cursor)));
      return cursors.length;
    },
    async millisecondsUntilDue() {
      const untilLook = Math.max(0, looksAt - performance.now());
      return Math.min(untilLook, (await millisecondsUntilDuePull(database)) ?? Number.POSITIVE_INFINITY);
    },
  };
}

export function applyingWork(tools: PullTools): Work {
  return {
    name: 'applyChanges',
    wakeSignal: tools.wakeSignal,
    runDue: (signal) => applyDueChanges(tools, signal),
    millisecondsUntilDue: () => millisecondsUntilDueChange(tools.database),
  };
}
