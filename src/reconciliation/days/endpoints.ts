import { callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES, RETRY_AFTER_SECONDS } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { RECEIVABLE_REFUSALS } from '../period-contract.ts';
import { DAY_REFUSALS, LIST_DAYS, readDaysQuery, writeDay } from './contract.ts';
import { type ListDaysTools, listDays } from './list-days.ts';

const RETRY = { 'retry-after': RETRY_AFTER_SECONDS };

export const DAY_ENDPOINTS: readonly Endpoint<ListDaysTools>[] = [
  endpoint(LIST_DAYS, async (tools: ListDaysTools, call) => {
    const days = await listDays(tools, callerOf(call).merchantId, readDaysQuery(call.query));
    if (days === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    if (days === 'tooManyApart') return refusalAnswer(DAY_REFUSALS[days], call.language);
    if (days === 'receivablesBehind') return refusalAnswer(RECEIVABLE_REFUSALS[days], call.language, RETRY);
    return { status: 200, body: days.map(writeDay) };
  }),
];
