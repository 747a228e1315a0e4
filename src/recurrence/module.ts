import type { Audit } from '../audit/audit-event.ts';
import type { Vault } from '../cards/vault/module.ts';
import { serve } from '../platform/http/endpoint.ts';
import { counter } from '../platform/metrics.ts';
import type { Module, Published } from '../platform/module.ts';
import type { Work } from '../platform/work/due-work.ts';
import { forgetPersonalData } from '../platform/work/every-so-often.ts';
import { fairLine } from '../platform/work/fair-line.ts';
import type { OutageWatch } from '../platform/work/outage-watch.ts';
import { createWakeSignal, type WakeSignal } from '../platform/work/wake-signal.ts';
import type { PixBanks } from '../providers/open-pix-banks.ts';
import type { PixSettings } from '../providers/pix/pix-settings.ts';
import { leadDaysAt } from '../providers/pix/recurring-pix.ts';
import { openTryLimit } from '../transactions/payers/answer-payer.ts';
import { openPayersLine } from '../transactions/payers/open-payers-line.ts';
import { readPageScript } from '../transactions/payers/read-page-script.ts';
import { type Instant, saoPauloDay, startOfSaoPauloDay } from '../values/instant.ts';
import { cardMonths, UPCOMING_DAYS } from './alerts/alert.ts';
import { type AlertDayTools, alertDay } from './alerts/alert-day.ts';
import {
  ALERTS_DUE,
  type DueAlertEndpoint,
  findDueAlertEndpoints,
  findDueAlertEndpointsOf,
  findEarliestAlert,
  listMerchantsAhead,
} from './alerts/alert-deliveries.sql.ts';
import { ALERT_ENDPOINT_ENDPOINTS, ALERT_ENDPOINT_REFUSALS } from './alerts/endpoints.ts';
import { ALERT_MESSAGES } from './alerts/messages-contract.ts';
import { findEarliestUpcoming } from './alerts/upcoming-alerts.sql.ts';
import { pendingSubscriptionsWrite } from './automatic/enrolment.sql.ts';
import { alarmOfUnanswered, openAutomaticPix } from './automatic/module.ts';
import { openObservedBanks } from './automatic/open-observed-banks.ts';
import { billingCancelsWrite } from './billings/billing-cancels.sql.ts';
import { BILLING_CANCEL_REFUSALS, BILLING_ENDPOINTS, BILLING_SEARCH_REFUSALS } from './billings/endpoints.ts';
import {
  HAND_CHARGE_REFUSALS,
  MANUAL_CHARGE_ENDPOINTS,
  MANUAL_CHARGE_LIMITS,
} from './collection/endpoints.ts';
import { type BelowCollection, type CollectionContext, openCollection } from './collection/module.ts';
import { PLAN_CALENDAR_ENDPOINTS } from './plans/calendar-endpoints.ts';
import { PLAN_ENDPOINTS, PLAN_REFUSALS } from './plans/endpoints.ts';
import { PLAN_FAULTS } from './plans/faults-contract.ts';
import { planEditsWrite, planMovesWrite, plansWrite } from './plans/plan-changes.sql.ts';
import { SUBSCRIBER_PAGE_ENDPOINTS } from './subscriber-pages/endpoints.ts';
import { SHOWN_PAGE_ENDPOINTS } from './subscriber-pages/page-endpoints.ts';
import { type EndingTools, endWithPlan } from './subscriptions/cancel-with-plan.ts';
import { subscriptionChangesWrite } from './subscriptions/changes.sql.ts';
import { CUSTOMERS } from './subscriptions/customers.sql.ts';
import {
  PLAN_STATUS_ENDPOINTS,
  SUBSCRIPTION_CREATION_REFUSALS,
  SUBSCRIPTION_ENDPOINTS,
  SUBSCRIPTION_REFUSALS,
  SUBSCRIPTION_SEARCH_REFUSALS,
} from './subscriptions/endpoints.ts';
import { claimPlanCancellations, EARLIEST_CANCELLATION } from './subscriptions/plan-cancellations.sql.ts';
import { newSubscriptionsWrite } from './subscriptions/subscription-creation.sql.ts';
import type { LeadDaysOf } from './subscriptions/subscriptions.sql.ts';
import TEXTS from './texts.json' with { type: 'json' };

const PLANS_AT_ONCE = 4;
/** The time of one run; a batch under way takes some seconds more. */
const RUN_MILLISECONDS = 10_000;
const LEASE_MILLISECONDS = 30_000;

/** Ends subscriptions of canceled plans if the request died or ran out of time. */
function planCancellationWork(
  tools: Pick<EndingTools, 'database' | 'deliverer'>,
  wakeSignal: WakeSignal,
): Work {
  const { database } = tools;
  return {
    name: 'endWithPlan',
    wakeSignal,
    async runDue(signal) {
      const claimed = await claimPlanCancellations(database, PLANS_AT_ONCE, LEASE_MILLISECONDS);
      const endsAt = performance.now() + RUN_MILLISECONDS;
      const goOn = () => !signal.aborted && performance.now() < endsAt;
      const done = await Promise.allSettled(claimed.map((ending) => endWithPlan(tools, ending, goOn)));
      const failed = done.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      return claimed.length;
    },
    look: { piece: EARLIEST_CANCELLATION },
  };
}

const NOTIFIERS_OF_RUN = 20;

/**
 * Sends alerts about cards that expire soon and billings due soon, once on each business day of the merchant.
 */
function dailyAlertsWork(tools: AlertDayTools, wakeSignal: WakeSignal): Work {
  return {
    name: 'alertDay',
    wakeSignal,
    async runDue(signal) {
      let reached = 0;
      for (const notifier of await dueAlertEndpoints(tools)) {
        if (signal.aborted) break;
        if ((await alertDay(tools, notifier, signal)) !== null) reached += 1;
      }
      return reached;
    },
    look: { piece: ALERTS_DUE, values: () => [saoPauloDay(tools.clock.unmoved())] },
  };
}

async function dueAlertEndpoints({ database, clock }: AlertDayTools): Promise<DueAlertEndpoint[]> {
  const due = await findDueAlertEndpoints(database, saoPauloDay(clock.unmoved()), NOTIFIERS_OF_RUN);
  const ahead = await listMerchantsAhead(database);
  for (const { merchantId, alertedOn } of ahead) {
    if (due.length >= NOTIFIERS_OF_RUN) break;
    const today = saoPauloDay(clock.now(merchantId));
    if (alertedOn < today) due.push(...(await findDueAlertEndpointsOf(database, merchantId, today)));
  }
  return due;
}

/** Parts of a `ClockedWork`. */
function clockedAlerts(tools: AlertDayTools) {
  const { database, clock } = tools;
  return {
    /** The earliest instant up to `until` with an alert, past ones included; null: there is none. */
    async earliestDueOf(merchantId: string, until: Instant): Promise<Instant | null> {
      const today = saoPauloDay(clock.now(merchantId));
      const months = cardMonths(today, saoPauloDay(until));
      const days = [
        await findEarliestAlert(database, merchantId, months),
        await findEarliestUpcoming(database, merchantId, today, UPCOMING_DAYS),
      ];
      const [day] = days.filter((each) => each !== null).sort();
      const at = day === undefined ? null : startOfSaoPauloDay(day);
      return at === null || at > until ? null : at;
    },
    /** Sends a merchant's alerts by its business time. Returns their number. */
    async runDueOf(merchantId: string, signal: AbortSignal): Promise<number> {
      const today = saoPauloDay(clock.now(merchantId));
      let alerted = 0;
      for (const notifier of await findDueAlertEndpointsOf(database, merchantId, today)) {
        if (signal.aborted) break;
        alerted += (await alertDay(tools, notifier, signal)) ?? 0;
      }
      return alerted;
    },
  };
}

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
    ...SUBSCRIBER_PAGE_ENDPOINTS,
    ...SHOWN_PAGE_ENDPOINTS,
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
 * Requests that cancel a plan with its subscriptions wait in this line. Without a turn in it the background
 * work ends them.
 */
const ENDINGS_LINE = { name: 'plan endings', slots: 3, waiting: 100, longestWaitMilliseconds: 5_000 };

type RecurrenceContext = CollectionContext & {
  readonly audit: Audit;
  readonly configuration: {
    readonly cell: string | null;
    readonly customerRetentionDays: number;
    readonly pix: Pick<PixSettings, 'timeoutMilliseconds'>;
  };
  readonly pixBanks: PixBanks;
};

/** `pixOutage`: whether each Pix bank answers. */
export function openRecurrence(
  context: RecurrenceContext,
  below: Omit<BelowCollection, 'leadDaysOf'> & {
    readonly vault: Pick<Vault, 'storing'>;
    readonly pixOutage: OutageWatch;
  },
): Module {
  const { database, search, lookUp, batched, clock, audit, pixBanks, configuration } = context;
  const { deliverer } = below.webhooks;
  const mayBeDue = createWakeSignal();
  const automatic = {
    database,
    clock,
    deliverer,
    pixBanks: openObservedBanks(pixBanks, below.pixOutage),
    alarmUnanswered: alarmOfUnanswered(context),
    pixTimeoutMilliseconds: configuration.pix.timeoutMilliseconds,
  };
  const leadDaysOf: LeadDaysOf = ({ bank, leadDays }) =>
    bank === null ? 0 : leadDaysAt(pixBanks.of(bank), { leadDays });
  const writeChange = batched(subscriptionChangesWrite(audit, deliverer));
  const parts = [
    openPlans(context, below),
    openCollection(context, { ...below, leadDaysOf }, mayBeDue, (charging) =>
      openAutomaticPix(context, { ...automatic, ...charging, notify: mayBeDue.notify }, below.pixOutage),
    ),
    openAlerts(context, below),
  ];
  return {
    endpoints: [
      ...parts.flatMap(({ endpoints }) => endpoints),
      ...serve(SUBSCRIPTION_ENDPOINTS, {
        ...context,
        findRequest: below.idempotency.findRequest,
        notify: mayBeDue.notify,
        ...automatic,
        cell: configuration.cell,
        writeNewSubscription: batched(newSubscriptionsWrite(database)),
        writePending: batched(pendingSubscriptionsWrite(database)),
        writeChange,
      }),
      ...serve(SUBSCRIBER_PAGE_ENDPOINTS, { audit, clock, lookUp, cell: configuration.cell }),
      ...serve(SHOWN_PAGE_ENDPOINTS, {
        clock,
        gate: context.gate,
        cardKeys: below.cards.cardKeys,
        storing: below.vault.storing,
        writeChange,
        askForPayer: openPayersLine(lookUp),
        script: readPageScript(),
        tryLimit: openTryLimit(),
      }),
      ...serve(BILLING_ENDPOINTS, {
        clock,
        search,
        lookUp,
        writeCancel: batched(billingCancelsWrite(audit, deliverer, leadDaysOf)),
      }),
    ],
    works: [
      ...parts.flatMap(({ works }) => works),
      ...forgetPersonalData('forgetOldSubscribers', CUSTOMERS, context, SUBSCRIBERS_ERASED),
    ],
    clockedWork: parts.flatMap(({ clockedWork }) => clockedWork),
  };
}

function openPlans(
  context: RecurrenceContext,
  { idempotency, webhooks }: Pick<BelowCollection, 'idempotency' | 'webhooks'>,
): Module {
  const { database, lookUp, batched, clock, audit } = context;
  const { deliverer } = webhooks;
  const wakeSignal = createWakeSignal();
  return {
    endpoints: [
      ...serve(PLAN_ENDPOINTS, {
        ...context,
        findRequest: idempotency.findRequest,
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
  { database, search, clock }: RecurrenceContext,
  { idempotency, webhooks }: Pick<BelowCollection, 'idempotency' | 'webhooks'>,
): Module {
  const { findRequest } = idempotency;
  const wakeSignal = createWakeSignal();
  const daily = { database, clock, notify: () => webhooks.deliverer.notify() };
  const { earliestDueOf, runDueOf } = clockedAlerts(daily);
  return {
    endpoints: serve(ALERT_ENDPOINT_ENDPOINTS, {
      ...webhooks.registry,
      findRequest,
      search,
      notifyAlerts: wakeSignal.notify,
    }),
    works: [dailyAlertsWork(daily, wakeSignal)],
    clockedWork: [{ name: 'notices', earliestDue: earliestDueOf, runDue: runDueOf }],
  };
}
