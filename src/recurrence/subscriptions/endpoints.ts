import { type Answer, callerAt, callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer, refusalsAnswer, writeOnce } from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import { pageFor, writePage } from '../../platform/pages.ts';
import { type ChangeSubscriptionTools, changeSubscription } from './change-subscription.ts';
import type { ChangeResult } from './changes.sql.ts';
import { checkNewSubscription } from './check-new-subscription.ts';
import {
  CHANGE_SUBSCRIPTION_CARD,
  CHANGE_SUBSCRIPTION_CUSTOMER,
  CHANGE_SUBSCRIPTION_STATUS,
  CREATE_SUBSCRIPTION,
  GET_SUBSCRIPTION,
  LIST_SUBSCRIPTIONS,
  readListQuery,
  STATUS_EVENTS,
  writeSubscription,
  writeWholeSubscription,
} from './contract.ts';
import {
  type CreateSubscriptionResult,
  type CreateSubscriptionTools,
  createSubscription,
} from './create-subscription.ts';
import { listSubscriptions, type ReadSubscriptionsTools, readSubscription } from './list-subscriptions.ts';
import {
  SUBSCRIPTION_CREATION_REFUSALS,
  SUBSCRIPTION_REFUSALS,
  SUBSCRIPTION_SEARCH_REFUSALS,
} from './refusals.ts';

export type SubscriptionTools = CreateSubscriptionTools & ReadSubscriptionsTools & ChangeSubscriptionTools;

export const SUBSCRIPTION_ENDPOINTS: readonly Endpoint<SubscriptionTools>[] = [
  endpoint(
    CREATE_SUBSCRIPTION,
    async (tools: SubscriptionTools, call) => {
      const once = await createSubscription(tools, callerOf(call), call.body, call, call.deadlineAt);
      return writeOnce(call, once, (result) => writeCreated(result, call.language));
    },
    {
      lookBeside: async (tools: SubscriptionTools, body, { merchantId }) => {
        const refusals = await checkNewSubscription(tools, merchantId, body);
        return refusals.map((refusal) => SUBSCRIPTION_CREATION_REFUSALS[refusal]);
      },
    },
  ),
  endpoint(LIST_SUBSCRIPTIONS, async (tools: ReadSubscriptionsTools, call) => {
    const { filter, wanted: asked } = readListQuery(call.query);
    const wanted = pageFor(call, asked);
    const found = await listSubscriptions(tools, callerOf(call).merchantId, filter, wanted);
    if (typeof found === 'string') return refusalAnswer(SUBSCRIPTION_SEARCH_REFUSALS[found], call.language);
    return { status: 200, body: writePage(wanted, found, writeSubscription) };
  }),
  endpoint(GET_SUBSCRIPTION, async (tools: ReadSubscriptionsTools, call) => {
    const { subscriptionId } = call.parameters;
    const found = await readSubscription(tools, callerOf(call).merchantId, subscriptionId);
    if (found === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    return { status: 200, body: writeWholeSubscription(found, call.language) };
  }),
  endpoint(CHANGE_SUBSCRIPTION_STATUS, async (tools: ChangeSubscriptionTools, call) => {
    const { subscriptionId } = call.parameters;
    const wanted = { kind: 'status', event: STATUS_EVENTS[call.body.status] } as const;
    const result = await changeSubscription(tools, callerAt(call), subscriptionId, wanted, call.deadlineAt);
    return writeChanged(result, subscriptionId, call.language);
  }),
  endpoint(CHANGE_SUBSCRIPTION_CARD, async (tools: ChangeSubscriptionTools, call) => {
    const { subscriptionId } = call.parameters;
    const wanted = { kind: 'card', vaultId: call.body.vaultId } as const;
    const result = await changeSubscription(tools, callerAt(call), subscriptionId, wanted, call.deadlineAt);
    return writeChanged(result, subscriptionId, call.language);
  }),
  endpoint(CHANGE_SUBSCRIPTION_CUSTOMER, async (tools: ChangeSubscriptionTools, call) => {
    const { subscriptionId } = call.parameters;
    const wanted = { kind: 'customer', customer: call.body } as const;
    const result = await changeSubscription(tools, callerAt(call), subscriptionId, wanted, call.deadlineAt);
    return writeChanged(result, subscriptionId, call.language);
  }),
];

/**
 * A name of nothing is answered with the status of a malformed request, whatever else is in the
 * way.
 */
function writeCreated(result: CreateSubscriptionResult, language: Language): Answer {
  if (result.kind === 'created') return { status: 200, body: result.subscriptionId };
  const shapes = result.refusals.map((refusal) => SUBSCRIPTION_CREATION_REFUSALS[refusal]);
  return refusalsAnswer(
    shapes.sort((one, other) => one.status - other.status),
    language,
  );
}

function writeChanged(result: ChangeResult, subscriptionId: string, language: Language): Answer {
  if (result === 'changed') return { status: 200, body: { id: subscriptionId.toLowerCase() } };
  const shape = result === 'notFound' ? FAILURES.unknownPath : SUBSCRIPTION_REFUSALS[result];
  return refusalAnswer(shape, language);
}
