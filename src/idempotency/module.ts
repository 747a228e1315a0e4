import type { Module, ModuleContext } from '../platform/module.ts';
import { batchReads } from '../platform/postgres/batched-reads.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Work } from '../platform/work/due-work.ts';
import { forgetInBatches } from '../platform/work/every-so-often.ts';
import type { FindRequestTools } from './answer-once.ts';
import { DAYS_KEPT } from './idempotency-key.ts';
import { deleteOldKeys, requestsRead } from './idempotency-keys.sql.ts';

function forgetOldKeys(database: Database): Work {
  return forgetInBatches('forgetOldKeys', (limit) => deleteOldKeys(database, limit, DAYS_KEPT));
}

export type Idempotency = Module & Pick<FindRequestTools, 'findRequest'>;

export function openIdempotency({ database }: Pick<ModuleContext, 'database'>): Idempotency {
  return {
    findRequest: batchReads(requestsRead(database)),
    endpoints: [],
    works: [forgetOldKeys(database)],
    clockedWork: [],
  };
}
