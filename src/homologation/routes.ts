import { callerOf, type Route, route } from '../platform/http/endpoint.ts';
import { ACQUIRER_CHARGES } from './contract.ts';
import { readAcquirerLedger } from './read-acquirer-ledger.ts';

export function homologationRoutes(simulatorUrl: string): Route[] {
  return [
    route(ACQUIRER_CHARGES, async (call) => ({
      status: 200,
      body: { items: await readAcquirerLedger(simulatorUrl, callerOf(call).merchantId, call.query) },
    })),
  ];
}
