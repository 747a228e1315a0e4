import { type Answer, callerAt, callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer, tooManyAnswer, writeOnce } from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import { writePage } from '../../platform/pages.ts';
import type { MoveResult } from './alert-endpoints.sql.ts';
import { type ChangeAlertEndpointTools, changeAlertEndpoint } from './change-alert-endpoint.ts';
import {
  CHANGE_ALERT_ENDPOINT,
  LIST_ALERT_ENDPOINTS,
  REGISTER_ALERT_ENDPOINT,
  readAlertEndpointSearch,
  readAlertEndpointState,
  writeAlertEndpoint,
} from './contract.ts';
import { type ListAlertEndpointsTools, listAlertEndpoints } from './list-alert-endpoints.ts';
import { ALERT_ENDPOINT_REFUSALS } from './refusals.ts';
import {
  checkAlertEndpoint,
  type RegisterAlertEndpointResult,
  type RegisterAlertEndpointTools,
  registerAlertEndpoint,
} from './register-alert-endpoint.ts';

export type AlertEndpointTools = RegisterAlertEndpointTools &
  ChangeAlertEndpointTools &
  ListAlertEndpointsTools;

export const ALERT_ENDPOINT_ENDPOINTS: readonly Endpoint<AlertEndpointTools>[] = [
  endpoint(
    REGISTER_ALERT_ENDPOINT,
    async (tools: RegisterAlertEndpointTools, call) => {
      const once = await registerAlertEndpoint(tools, callerAt(call), call.body, call, call.deadlineAt);
      return writeOnce(call, once, (result) => writeRegistered(result, call.language));
    },
    {
      lookBeside: async (tools, body) => {
        const fault = checkAlertEndpoint(tools, body);
        return fault === null ? [] : [ALERT_ENDPOINT_REFUSALS[fault]];
      },
    },
  ),
  endpoint(LIST_ALERT_ENDPOINTS, async (tools: ListAlertEndpointsTools, call) => {
    const { filter, wanted } = readAlertEndpointSearch(call.query);
    const found = await listAlertEndpoints(tools, callerOf(call).merchantId, filter, wanted);
    return { status: 200, body: writePage(wanted, found, writeAlertEndpoint) };
  }),
  endpoint(CHANGE_ALERT_ENDPOINT, async (tools: ChangeAlertEndpointTools, call) => {
    const { notifierId: alertEndpointId } = call.parameters;
    const state = readAlertEndpointState(call.body.status);
    const result = await changeAlertEndpoint(tools, callerAt(call), alertEndpointId, state, call.deadlineAt);
    return writeMoved(result, alertEndpointId, call.language);
  }),
];

function writeRegistered(result: RegisterAlertEndpointResult, language: Language): Answer {
  if (result.kind === 'registered') return { status: 200, body: result.alertEndpointId };
  if (result.kind === 'tooMany') return tooManyAnswer(result.secondsToWait, language);
  return refusalAnswer(ALERT_ENDPOINT_REFUSALS[result.refusal], language);
}

function writeMoved(result: MoveResult, alertEndpointId: string, language: Language): Answer {
  if (result === 'done') return { status: 200, body: { id: alertEndpointId.toLowerCase() } };
  const shape = result === 'notFound' ? FAILURES.unknownPath : ALERT_ENDPOINT_REFUSALS[result];
  return refusalAnswer(shape, language);
}
