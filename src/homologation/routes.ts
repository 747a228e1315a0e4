import { callerOf, type Route, route } from '../platform/http/endpoint.ts';
import { ACQUIRER_CHARGES } from './contract.ts';
import type { EventTools } from './events/ask-for-event.ts';
import { eventRoutes } from './events/routes.ts';
import { readAcquirerLedger } from './read-acquirer-ledger.ts';

export function homologationRoutes(tools: EventTools): Route[] {
  return [
    route(ACQUIRER_CHARGES, async (call) => ({
      status: 200,
      body: { items: await readAcquirerLedger(tools.simulatorUrl, callerOf(call).merchantId, call.query) },
    })),
    ...eventRoutes(tools),
  ];
}
