import { callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { askForEvent, type EventTools } from './ask-for-event.ts';
import { FORCE_EVENT, writeEvent } from './contract.ts';
import { EVENT_REFUSALS } from './refusals.ts';

export const EVENT_ENDPOINTS: readonly Endpoint<EventTools>[] = [
  endpoint(FORCE_EVENT, async (tools: EventTools, call) => {
    const { type: event, installmentNumber, amount = null } = call.body;
    const wanted = { paymentId: call.parameters.paymentId, installmentNumber, event, amount };
    const result = await askForEvent(tools, callerOf(call).merchantId, wanted);
    if (result.kind === 'happened') return { status: 200, body: writeEvent(wanted, result.state) };
    const { refusal } = result;
    const shape = refusal === 'notFound' ? FAILURES.unknownPath : EVENT_REFUSALS[refusal];
    return refusalAnswer(shape, call.language);
  }),
];
