import { callerOf, type Endpoint, endpoint } from '../platform/http/endpoint.ts';
import { ACQUIRER_CHARGES } from './contract.ts';
import { readAcquirerLedger } from './read-acquirer-ledger.ts';

type LedgerTools = { readonly simulatorUrl: string };

export const LEDGER_ENDPOINTS: readonly Endpoint<LedgerTools>[] = [
  endpoint(ACQUIRER_CHARGES, async ({ simulatorUrl }: LedgerTools, call) => ({
    status: 200,
    body: { items: await readAcquirerLedger(simulatorUrl, callerOf(call).merchantId, call.query) },
  })),
];
