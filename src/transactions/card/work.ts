import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { forgetInBatches } from '../../platform/work/forgetting.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { deleteForgottenDeclines } from './declined-verifications.sql.ts';
import { type ResolveTools, resolveUnresolvedCharges } from './resolve-unresolved-charges.ts';

export function resolvingWork(tools: ResolveTools, wakeSignal: WakeSignal): Work {
  return resolveUnresolvedCharges(tools, wakeSignal);
}

export function forgetDeclinedVerifications(database: Database): Work {
  return forgetInBatches('forgetDeclinedVerifications', (limit) => deleteForgottenDeclines(database, limit));
}
