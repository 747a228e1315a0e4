import { callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { LIST_MOVEMENTS, readMovementsQuery, writeMovementPage } from './contract.ts';
import { type ListMovementsTools, listMovements } from './list-movements.ts';

export const MOVEMENT_ENDPOINTS: readonly Endpoint<ListMovementsTools>[] = [
  endpoint(LIST_MOVEMENTS, async (tools: ListMovementsTools, call) => {
    const page = await listMovements(tools, callerOf(call).merchantId, readMovementsQuery(call.query));
    if (page === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    return { status: 200, body: writeMovementPage(page) };
  }),
];
