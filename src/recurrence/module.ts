import type { Audit } from '../audit/audit-event.ts';
import { serve } from '../platform/http/endpoint.ts';
import { counter } from '../platform/metrics.ts';
import type { Module, Published } from '../platform/module.ts';
import type { Work } from '../platform/work/due-work.ts';
import { fairLine } from '../platform/work/fair-line.ts';
import { createWakeSignal } from '../platform/work/wake-signal.ts';
import { alertEndpointMovesWrite, alertEndpointsWrite } from './alerts/alert-endpoints.sql.ts';
import { ALERT_ENDPOINT_ENDPOINTS } from './alerts/endpoints.ts';
import { ALERT_MESSAGES } from './alerts/messages-contract.ts';
import { ALERT_ENDPOINT_REFUSALS } from './alerts/refusals.ts';
import { clockedAlerts, dailyAlertsWork } from './alerts/work.ts';
import { billingCancelsWrite } from './billings/billing-cancels.sql.ts';
import { BILLING_ENDPOINTS } from './billings/endpoints.ts';
import { BILLING_CANCEL_REFUSALS, BILLING_SEARCH_REFUSALS } from './billings/refusals.ts';
import { MANUAL_CHARGE_ENDPOINTS } from './collection/endpoints.ts';
import { type BelowCollection, type CollectionContext, openCollection } from './collection/module.ts';
import { HAND_CHARGE_REFUSALS, MANUAL_CHARGE_LIMITS } from './collection/refusals.ts';
import { PLAN_CALENDAR_ENDPOINTS } from './plans/calendar-endpoints.ts';
import { PLAN_ENDPOINTS } from './plans/endpoints.ts';
import { PLAN_FAULTS } from './plans/faults-contract.ts';
import { planEditsWrite, planMovesWrite, plansWrite } from './plans/plan-changes.sql.ts';
import { PLAN_REFUSALS } from './plans/refusals.ts';
import { subscriptionChangesWrite } from './subscriptions/changes.sql.ts';
import { SUBSCRIPTION_ENDPOINTS } from './subscriptions/endpoints.ts';
import { PLAN_STATUS_ENDPOINTS } from './subscriptions/plan-status-endpoints.ts';
import {
  SUBSCRIPTION_CREATION_REFUSALS,
  SUBSCRIPTION_REFUSALS,
  SUBSCRIPTION_SEARCH_REFUSALS,
} from './subscriptions/refusals.ts';
import { newSubscriptionsWrite } from './subscriptions/subscription-creation.sql.ts';
import { forgetOldSubscribers, planCancellationWork } from './subscriptions/work.ts';
import TEXTS from './texts.json' with { type: 'json' };

const SUBSCRIBERS_ERASED = counter(
  'parcela_subscribers_erased_total',
  "Subscriptions whose customer's data was removed because its time was over.",
);

export const RECURRENCE: Published = {
  texts: TEXTS,
  messages: ALERT_MESSAGES,
  endpoints: [
    ...PLAN_ENDPOINTS,
    ...PLAN_STATUS_ENDPOINTS,
    ...PLAN_CALENDAR_ENDPOINTS,
    ...SUBSCRIPTION_ENDPOINTS,
    ...BILLING_ENDPOINTS,
    ...MANUAL_CHARGE_ENDPOINTS,
    ...ALERT_ENDPOINT_ENDPOINTS,
  ],
  refusals: [
    {
      title: 'Fields of a plan',
      text: 'What the fields of a plan must be to each other.',
      refusals: PLAN_FAULTS,
    },
    {
      title: 'Plans',
      text: 'Why a plan is not made, changed or reckoned with. With 409 nothing was changed.',
      refusals: PLAN_REFUSALS,
    },
    {
      title: 'New subscriptions',
      text: 'Why a customer is not enrolled: nothing was made.',
      refusals: SUBSCRIPTION_CREATION_REFUSALS,
    },
    { title: 'Subscriptions', text: 'Why a subscription is not changed.', refusals: SUBSCRIPTION_REFUSALS },
    {
      title: 'Searches of subscriptions',
      text: 'Why subscriptions are not searched.',
      refusals: SUBSCRIPTION_SEARCH_REFUSALS,
    },
    {
      title: 'Searches of billings',
      text: 'Why billings are not searched.',
      refusals: BILLING_SEARCH_REFUSALS,
    },
    {
      title: 'Cancels of billings',
      text: 'Why a billing is not canceled: it stays what it is.',
      refusals: BILLING_CANCEL_REFUSALS,
    },
    {
      title: 'Charges by hand',
      text: 'Why a billing is not charged by hand: nobody was asked.',
      refusals: HAND_CHARGE_REFUSALS,
    },
    {
      title: 'Limits of charges by hand',
      text: 'Why a card is not tried by hand: nobody was asked. Declines follow below.',
      refusals: MANUAL_CHARGE_LIMITS,
    },
    {
      title: 'Notifiers',
      text: 'Why no more addresses are notified.',
      refusals: ALERT_ENDPOINT_REFUSALS,
    },
  ],
};

/**
 * Requests that cancel a plan and its subscriptions; one whose turn does not come leaves it to the
 * work behind it.
 */
const ENDINGS_LINE = { name: 'plan endings', slots: 3, waiting: 100, longestWaitMilliseconds: 5_000 };

type RecurrenceContext = CollectionContext & {
  readonly audit: Audit;
  readonly configuration: { readonly customerRetentionDays: number };
};

/** Plans, subscriptions and billings, the engine that charges them, and who is notified of them. */
export function openRecurrence(context: RecurrenceContext, below: BelowCollection): Module {
  const { database, search, lookUp, batched, clock, keyring, audit } = context;
  const { findRequest } = below.idempotency;
  const { deliverer } = below.webhooks;
  const mayBeDue = createWakeSignal();
  const parts = [
    openPlans(context, below),
    openCollection(context, below, mayBeDue),
    openAlerts(context, below),
  ];
  return {
    endpoints: [
      ...parts.flatMap(({ endpoints }) => endpoints),
      ...serve(SUBSCRIPTION_ENDPOINTS, {
        keyring,
        clock,
        findRequest,
        search,
        lookUp,
        notify: mayBeDue.notify,
        writeNewSubscription: batched(newSubscriptionsWrite(database)),
        writeChange: batched(subscriptionChangesWrite(audit, deliverer)),
      }),
      ...serve(BILLING_ENDPOINTS, {
        clock,
        search,
        lookUp,
        writeCancel: batched(billingCancelsWrite(audit, deliverer)),
      }),
    ],
    works: [...parts.flatMap(({ works }) => works), ...subscribersWork(context)],
    clockedWork: parts.flatMap(({ clockedWork }) => clockedWork),
  };
}

function subscribersWork({ configuration, database, metrics }: RecurrenceContext): Work[] {
  const erased = metrics.counter(SUBSCRIBERS_ERASED);
  return forgetOldSubscribers(database, configuration.customerRetentionDays, (count) =>
    erased.inc({}, count),
  );
}

function openPlans(
  { database, search, lookUp, batched, clock, keyring, audit }: RecurrenceContext,
  { idempotency, webhooks }: BelowCollection,
): Module {
  const { findRequest } = idempotency;
  const { deliverer } = webhooks;
  const wakeSignal = createWakeSignal();
  return {
    endpoints: [
      ...serve(PLAN_ENDPOINTS, {
        keyring,
        clock,
        findRequest,
        search,
        lookUp,
        writePlan: batched(plansWrite(audit)),
        editPlan: batched(planEditsWrite(audit)),
      }),
      ...serve(PLAN_CALENDAR_ENDPOINTS, { lookUp, clock }),
      ...serve(PLAN_STATUS_ENDPOINTS, {
        database,
        clock,
        deliverer,
        wakeSignal,
        endInLine: fairLine(ENDINGS_LINE),
        movePlan: batched(planMovesWrite(audit)),
      }),
    ],
    works: [planCancellationWork({ database, deliverer }, wakeSignal)],
    clockedWork: [],
  };
}

function openAlerts(
  { database, search, batched, clock, keyring, audit }: RecurrenceContext,
  { idempotency, webhooks }: BelowCollection,
): Module {
  const { findRequest } = idempotency;
  const wakeSignal = createWakeSignal();
  const daily = { database, clock, notify: () => webhooks.deliverer.notify() };
  const { earliestDueOf, runDueOf } = clockedAlerts(daily);
  return {
    endpoints: serve(ALERT_ENDPOINT_ENDPOINTS, {
      keyring,
      clock,
      findRequest,
      search,
      urlRules: webhooks.urlRules,
      registrationLimit: webhooks.registrationLimit,
      rememberCallbackEndpoint: webhooks.rememberCallbackEndpoint,
      writeAlertEndpoint: batched(alertEndpointsWrite(audit)),
      moveAlertEndpoint: batched(alertEndpointMovesWrite(audit)),
      notifyAlerts: wakeSignal.notify,
    }),
    works: [dailyAlertsWork(daily, wakeSignal)],
    clockedWork: [{ name: 'notices', earliestDue: earliestDueOf, runDue: runDueOf }],
  };
}
