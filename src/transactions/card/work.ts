import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { everySoOften } from '../../platform/work/every-so-often.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { deleteForgottenDeclines } from './declined-verifications.sql.ts';
import { type ResolveTools, resolveUnresolvedCharges } from './resolve-unresolved-charges.ts';

const FORGETTING_PAUSE_MILLISECONDS = 60_000;
const FORGOTTEN_AT_ONCE = 1_000;

export function resolvingWork(tools: ResolveTools, wakeSignal: WakeSignal): Work {
  return resolveUnresolvedCharges(tools, wakeSignal);
}

/** Forgets declined verifications that no network remembers. */
export function forgetDeclinedVerifications(database: Database): Work {
  return everySoOften('forgetDeclinedVerifications', FORGETTING_PAUSE_MILLISECONDS, async () => {
    await deleteForgottenDeclines(database, FORGOTTEN_AT_ONCE);
  });
}
