import type { Work } from '../../platform/work/due-work.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import { type ApplyBankTools, applyBankChanges } from './apply-bank-changes.ts';
import { millisecondsUntilDueBankChange } from './bank-changes.sql.ts';
import {
  claimBankCursors,
  millisecondsUntilDueBankPull,
  openBankCursor,
  openCursorsOfIssuers,
} from './bank-cursors.sql.ts';
import { type PullBankTools, pullBankChanges } from './pull-bank-changes.ts';

/** Requests at the same time: issuing needs the other connections to the bank. */
const PULLS_AT_ONCE = 4;
const LEASE_MARGIN_MILLISECONDS = 5_000;
/** How soon a merchant's first boleto is followed by its first request. */
const LOOK_FOR_ISSUERS_MILLISECONDS = 2_000;

export function pullingWork(tools: PullBankTools): Work {
  const { database, isForAllMerchants } = tools;
  const lease = tools.bankTimeoutMilliseconds + LEASE_MARGIN_MILLISECONDS;
  let looksAt = 0;

  async function openCursors(): Promise<void> {
    if (performance.now() < looksAt) return;
    if (isForAllMerchants) await openBankCursor(database, null);
    else await openCursorsOfIssuers(database);
    looksAt = isForAllMerchants
      ? Number.POSITIVE_INFINITY
      : performance.now() + LOOK_FOR_ISSUERS_MILLISECONDS;
  }

  return {
    name: 'pullBankChanges',
    wakeSignal: createWakeSignal(),
    async runDue() {
      await openCursors();
      const cursors = await claimBankCursors(database, PULLS_AT_ONCE, lease);
      await Promise.all(cursors.map((cursor) => pullBankChanges(tools, cursor)));
      return cursors.length;
    },
    async millisecondsUntilDue() {
      const untilLook = Math.max(0, looksAt - performance.now());
      return Math.min(untilLook, (await millisecondsUntilDueBankPull(database)) ?? Number.POSITIVE_INFINITY);
    },
  };
}

export function applyingWork(tools: ApplyBankTools): Work {
  return {
    name: 'applyBankChanges',
    wakeSignal: tools.wakeSignal,
    runDue: (signal) => applyBankChanges(tools, signal),
    millisecondsUntilDue: () => millisecondsUntilDueBankChange(tools.database),
  };
}
