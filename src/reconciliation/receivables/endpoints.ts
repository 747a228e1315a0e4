import { callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES, RETRY_AFTER_SECONDS } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { RECEIVABLE_REFUSALS } from '../period-contract.ts';
import { readCode, SEARCH_BY_CODE, writeReceivable } from './contract.ts';
import { type FindReceivablesTools, findReceivables } from './find-receivables.ts';

const RETRY = { 'retry-after': RETRY_AFTER_SECONDS };

export const RECEIVABLE_ENDPOINTS: readonly Endpoint<FindReceivablesTools>[] = [
  endpoint(SEARCH_BY_CODE, async (tools: FindReceivablesTools, call) => {
    const found = await findReceivables(tools, callerOf(call).merchantId, readCode(call.query, call.body));
    if (found === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    if (typeof found === 'string') return refusalAnswer(RECEIVABLE_REFUSALS[found], call.language, RETRY);
    return { status: 200, body: found.map(writeReceivable) };
  }),
];
