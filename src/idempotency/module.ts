import type { Module, ModuleContext } from '../platform/module.ts';
import { batchReads } from '../platform/postgres/batched-reads.ts';
import type { FindRequestTools } from './find-earlier-request.ts';
import { requestsRead } from './idempotency-keys.sql.ts';
import { forgetOldKeys } from './work.ts';

export type Idempotency = Module & Pick<FindRequestTools, 'findRequest'>;

export function openIdempotency({ database }: Pick<ModuleContext, 'database'>): Idempotency {
  return {
    findRequest: batchReads(requestsRead(database)),
    endpoints: [],
    works: [forgetOldKeys(database)],
    clockedWork: [],
  };
}
