import { callerOf, type Route, route } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { GET_PLAN_CALENDAR, readCalendarQuery, writePlannedBilling } from './calendar-contract.ts';
import { type ReadCalendarTools, readPlanCalendar } from './read-plan-calendar.ts';
import { PLAN_REFUSALS } from './refusals.ts';

export function planCalendarRoutes(tools: ReadCalendarTools): Route[] {
  return [
    route(GET_PLAN_CALENDAR, async (call) => {
      const wanted = readCalendarQuery(call.query);
      const { planId } = call.parameters;
      const found = await readPlanCalendar(tools, callerOf(call).merchantId, planId, wanted);
      if (found === 'notFound') return refusalAnswer(FAILURES.unknownPath, call.language);
      if (found === 'behindCalendar') return refusalAnswer(PLAN_REFUSALS.behindCalendar, call.language);
      const { billings, ...of } = found;
      return { status: 200, body: { ...of, items: billings.map(writePlannedBilling) } };
    }),
  ];
}
