import { serve } from '../platform/http/endpoint.ts';
import type { Module, Published } from '../platform/module.ts';
import { merchantLines } from '../platform/work/waiting-line.ts';
import { createWakeSignal } from '../platform/work/wake-signal.ts';
import { alertEndpointMovesWrite, alertEndpointsWrite } from './alerts/alert-endpoints.sql.ts';
import { ALERT_ENDPOINT_ENDPOINTS } from './alerts/endpoints.ts';
import { ALERT_ENDPOINT_REFUSALS } from './alerts/refusals.ts';
import { clockedExpiries, expiryWork } from './alerts/work.ts';
import { billingCancelsWrite } from './billings/billing-cancels.sql.ts';
import { BILLING_ENDPOINTS } from './billings/endpoints.ts';
import { BILLING_CANCEL_REFUSALS, BILLING_SEARCH_REFUSALS } from './billings/refusals.ts';
import { MANUAL_CHARGE_ENDPOINTS } from './collection/endpoints.ts';
import { type BelowCollection, type CollectionContext, openCollection } from './collection/module.ts';
import { HAND_CHARGE_LIMITS, HAND_CHARGE_REFUSALS } from './collection/refusals.ts';
import { PLAN_CALENDAR_ENDPOINTS } from './plans/calendar-endpoints.ts';
import { PLAN_FAULTS } from './plans/contract.ts';
import { PLAN_ENDPOINTS } from './plans/endpoints.ts';
import { planEditsWrite, planMovesWrite, plansWrite } from './plans/plan-changes.sql.ts';
import { PLAN_REFUSALS } from './plans/refusals.ts';
import { subscriptionChangesWrite } from './subscriptions/changes.sql.ts';
import { SUBSCRIPTION_ENDPOINTS } from './subscriptions/endpoints.ts';
import { PLAN_STATUS_ENDPOINTS } from './subscriptions/plan-status-endpoints.ts';
import { SUBSCRIPTION_CREATION_REFUSALS, SUBSCRIPTION_REFUSALS } from './subscriptions/refusals.ts';
import { newSubscriptionsWrite } from './subscriptions/subscription-creation.sql.ts';
import { planEndingWork } from './subscriptions/work.ts';

export const RECURRENCE: Published = {
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
      refusals: HAND_CHARGE_LIMITS,
    },
    {
      title: 'Notifiers',
      text: 'Why nobody more is told of failed charges and expiring cards.',
      refusals: ALERT_ENDPOINT_REFUSALS,
    },
  ],
};

/** Searches of one merchant, which may read very many rows. */
const SEARCH_LINE = { name: 'searches', atOnce: 2, waiting: 50, longestWaitMilliseconds: 5_000 };
/** Those of all merchants together: payments need the other connections to the database. */
const SEARCHES_LINE = { name: 'all searches', atOnce: 4, waiting: 200, longestWaitMilliseconds: 5_000 };

/**
 * Requests that cancel a plan and its subscriptions; one whose turn does not come leaves it to the work
 * behind it.
 */
const ENDING_LINE = { name: 'plan endings', atOnce: 1, waiting: 20, longestWaitMilliseconds: 5_000 };
const ENDINGS_LINE = { name: 'all plan endings', atOnce: 3, waiting: 100, longestWaitMilliseconds: 5_000 };

type InLine = <T>(merchantId: string, task: () => Promise<T>) => Promise<T>;

/** Plans, subscriptions and billings, the engine that charges them, and who is notified of them. */
export function openRecurrence(context: CollectionContext, below: BelowCollection): Module {
  const { database, batched, clock, keyring } = context;
  const { findRequest } = below.idempotency;
  const inLine = merchantLines(SEARCH_LINE, SEARCHES_LINE);
  const mayBeDue = createWakeSignal();
  const parts = [
    openPlans(context, below, inLine),
    openCollection(context, below, { inLine }, mayBeDue),
    openAlerts(context, below, inLine),
  ];
  return {
    endpoints: [
      ...parts.flatMap(({ endpoints }) => endpoints),
      ...serve(SUBSCRIPTION_ENDPOINTS, {
        database,
        keyring,
        clock,
        findRequest,
        inLine,
        notify: mayBeDue.notify,
        writeNewSubscription: batched(newSubscriptionsWrite(database)),
        writeChange: batched(subscriptionChangesWrite(database)),
      }),
      ...serve(BILLING_ENDPOINTS, {
        database,
        clock,
        inLine,
        writeCancel: batched(billingCancelsWrite(database)),
      }),
    ],
    works: parts.flatMap(({ works }) => works),
    clockedWork: parts.flatMap(({ clockedWork }) => clockedWork),
  };
}

function openPlans(
  { database, batched, clock, keyring }: CollectionContext,
  { idempotency }: BelowCollection,
  inLine: InLine,
): Module {
  const { findRequest } = idempotency;
  const wakeSignal = createWakeSignal();
  return {
    endpoints: [
      ...serve(PLAN_ENDPOINTS, {
        database,
        keyring,
        clock,
        findRequest,
        inLine,
        writePlan: batched(plansWrite(database)),
        editPlan: batched(planEditsWrite(database)),
      }),
      ...serve(PLAN_CALENDAR_ENDPOINTS, { database, clock }),
      ...serve(PLAN_STATUS_ENDPOINTS, {
        database,
        clock,
        wakeSignal,
        endInLine: merchantLines(ENDING_LINE, ENDINGS_LINE),
        movePlan: batched(planMovesWrite(database)),
      }),
    ],
    works: [planEndingWork(database, wakeSignal)],
    clockedWork: [],
  };
}

function openAlerts(
  { database, batched, clock, keyring }: CollectionContext,
  { idempotency, webhooks }: BelowCollection,
  inLine: InLine,
): Module {
  const { findRequest } = idempotency;
  const wakeSignal = createWakeSignal();
  const expiries = { database, clock, notify: () => webhooks.deliverer.notify() };
  const { earliestDueOf, runDueOf } = clockedExpiries(expiries);
  return {
    endpoints: serve(ALERT_ENDPOINT_ENDPOINTS, {
      database,
      keyring,
      clock,
      findRequest,
      inLine,
      urlRules: webhooks.urlRules,
      rememberCallbackEndpoint: webhooks.rememberCallbackEndpoint,
      writeAlertEndpoint: batched(alertEndpointsWrite(database)),
      moveAlertEndpoint: batched(alertEndpointMovesWrite(database)),
      notifyAlerts: wakeSignal.notify,
    }),
    works: [expiryWork(expiries, wakeSignal)],
    clockedWork: [{ name: 'notices', earliestDue: earliestDueOf, runDue: runDueOf }],
  };
}
