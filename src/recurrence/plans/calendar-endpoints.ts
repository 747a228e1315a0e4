import { callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { GET_PLAN_CALENDAR, readCalendarQuery, writePlannedBilling } from './calendar-contract.ts';
import { type ReadCalendarTools, readPlanCalendar } from './read-plan-calendar.ts';
import { PLAN_REFUSALS } from './refusals.ts';

export const PLAN_CALENDAR_ENDPOINTS: readonly Endpoint<ReadCalendarTools>[] = [
  endpoint(GET_PLAN_CALENDAR, async (tools: ReadCalendarTools, call) => {
    const wanted = readCalendarQuery(call.query);
    const { planId } = call.parameters;
    const found = await readPlanCalendar(tools, callerOf(call).merchantId, planId, wanted);
    if (found === 'notFound') return refusalAnswer(FAILURES.unknownPath, call.language);
    if (found === 'behindCalendar') return refusalAnswer(PLAN_REFUSALS.behindCalendar, call.language);
    const { billings, ...of } = found;
    return { status: 200, body: { ...of, items: billings.map(writePlannedBilling) } };
  }),
];
