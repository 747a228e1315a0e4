import { requestsRead } from '../idempotency/idempotency-keys.sql.ts';
import type { Route } from '../platform/http/endpoint.ts';
import { batchReads } from '../platform/postgres/batched-reads.ts';
import type { Work } from '../platform/work/due-work.ts';
import { type WaitingLineLimits, waitingLine, waitingLines } from '../platform/work/waiting-line.ts';
import { createWakeSignal, type WakeSignal } from '../platform/work/wake-signal.ts';
import { alertEndpointMovesWrite, alertEndpointsWrite } from '../recurrence/alerts/alert-endpoints.sql.ts';
import { alertEndpointRoutes } from '../recurrence/alerts/routes.ts';
import { clockedExpiries, expiryWork } from '../recurrence/alerts/work.ts';
import { billingCancelsWrite } from '../recurrence/billings/billing-cancels.sql.ts';
import { billingRoutes } from '../recurrence/billings/routes.ts';
import { chargeIntentsWrite } from '../recurrence/collection/charge-intents.sql.ts';
import { chargeOutcomesWrite } from '../recurrence/collection/charge-outcomes.sql.ts';
import { chargebackWork } from '../recurrence/collection/chargeback-work.ts';
import type { ChargeDueTools, DueCharger } from '../recurrence/collection/open-collector.ts';
import { isAcquirerThere } from '../recurrence/collection/result-facts.ts';
import { handChargeRoutes } from '../recurrence/collection/routes.ts';
import { chargingWorks } from '../recurrence/collection/work.ts';
import { planCalendarRoutes } from '../recurrence/plans/calendar-routes.ts';
import { planEditsWrite, planMovesWrite, plansWrite } from '../recurrence/plans/plan-changes.sql.ts';
import { planRoutes } from '../recurrence/plans/routes.ts';
import { subscriptionChangesWrite } from '../recurrence/subscriptions/changes.sql.ts';
import { planEndingRoutes } from '../recurrence/subscriptions/plan-status-routes.ts';
import { subscriptionRoutes } from '../recurrence/subscriptions/routes.ts';
import { newSubscriptionsWrite } from '../recurrence/subscriptions/subscription-creation.sql.ts';
import { planEndingWork } from '../recurrence/subscriptions/work.ts';
import type { LimitTools } from '../transactions/limits/check-network-limits.ts';
import type { Ground } from './infrastructure.ts';
import { type Base, batchedFor } from './money-modules.ts';
import type { WebhookRooms } from './webhook-modules.ts';

/** Searches of one merchant, which may read very many rows. */
const SEARCH_LINE = { name: 'searches', atOnce: 2, waiting: 50, longestWaitMilliseconds: 5_000 };
/** Those of all merchants together: payments need the other connections to the database. */
const SEARCHES_LINE = { name: 'all searches', atOnce: 4, waiting: 200, longestWaitMilliseconds: 5_000 };

/** Requests that cancel a plan and see to the end of its subscriptions; whose turn does not come leaves it to the work behind it. */
const ENDING_LINE = { name: 'plan endings', atOnce: 1, waiting: 20, longestWaitMilliseconds: 5_000 };
const ENDINGS_LINE = { name: 'all plan endings', atOnce: 3, waiting: 100, longestWaitMilliseconds: 5_000 };

/** How billings are charged. */
type Charging = Pick<
  ChargeDueTools,
  | 'acquirer'
  | 'wakeSignal'
  | 'acquirerTimeoutMilliseconds'
  | 'observe'
  | 'outage'
  | 'writeUnsent'
  | 'findVaultCard'
  | keyof LimitTools
> & { readonly settled: WakeSignal };

/** How what comes of it is told. */
type Telling = Pick<WebhookRooms, 'deliverer' | 'rememberCallbackEndpoint' | 'urlRules'>;

export type RecurrenceRooms = {
  readonly routes: Route[];
  readonly works: Work[];
  /** For the test clock: what is due of a merchant, and what its notifiers are to be told of. */
  readonly charger: DueCharger;
  readonly notices: ReturnType<typeof clockedExpiries>;
};

/** Plans, subscriptions and billings, the engine that charges them, and who is told of them. */
export function openRecurrenceRooms(
  ground: Ground,
  base: Base,
  charging: Charging,
  telling: Telling,
): RecurrenceRooms {
  const { database, keyring, clock } = base;
  const batched = batchedFor(ground.metrics);
  const mayBeDue = createWakeSignal();
  const shared = {
    database,
    keyring,
    clock,
    findRequest: batchReads(requestsRead(database)),
    inLine: twoLines(SEARCH_LINE, SEARCHES_LINE),
  };
  const plans = {
    ...shared,
    wakeSignal: createWakeSignal(),
    endInLine: twoLines(ENDING_LINE, ENDINGS_LINE),
    writePlan: batched(plansWrite(database)),
    editPlan: batched(planEditsWrite(database)),
    movePlan: batched(planMovesWrite(database)),
  };
  const subscriptions = {
    ...shared,
    notify: mayBeDue.notify,
    writeNewSubscription: batched(newSubscriptionsWrite(database)),
    writeChange: batched(subscriptionChangesWrite(database)),
  };
  const { tools, works, charger } = openCharging(
    ground,
    base,
    { ...charging, deliverer: telling.deliverer },
    mayBeDue,
  );
  const notifiers = {
    ...shared,
    urlRules: telling.urlRules,
    rememberCallbackEndpoint: telling.rememberCallbackEndpoint,
    writeAlertEndpoint: batched(alertEndpointsWrite(database)),
    moveAlertEndpoint: batched(alertEndpointMovesWrite(database)),
  };
  const expiries = { database, clock, notify: () => telling.deliverer.notify() };
  const alertSignal = createWakeSignal();
  return {
    charger,
    routes: [
      ...planRoutes(plans),
      ...planCalendarRoutes(plans),
      ...planEndingRoutes(plans),
      ...subscriptionRoutes(subscriptions),
      ...billingRoutes({ ...shared, writeCancel: batched(billingCancelsWrite(database)) }),
      ...handChargeRoutes({ ...shared, ...tools }),
      ...alertEndpointRoutes({ ...notifiers, notifyAlerts: () => alertSignal.notify() }),
    ],
    works: [planEndingWork(database, plans.wakeSignal), ...works, expiryWork(expiries, alertSignal)],
    notices: clockedExpiries(expiries),
  };
}

function openCharging(
  { configuration, log, metrics }: Ground,
  { database, keyring, clock, isJumping }: Base,
  { deliverer, settled, ...charging }: Charging & Pick<Telling, 'deliverer'>,
  wakeSignal: WakeSignal,
) {
  const batched = batchedFor(metrics);
  const { outage } = charging;
  const tools: ChargeDueTools = {
    ...charging,
    observe(outcome, brand) {
      charging.observe(outcome, brand);
      const isThere = isAcquirerThere(outcome, outage.isAway());
      if (isThere !== null) outage.hear(isThere);
    },
    database,
    keyring,
    clock,
    writeTake: batched(chargeIntentsWrite(database)),
    writeEnd: batched(chargeOutcomesWrite(database, deliverer)),
    window: configuration.chargeWindow,
    chargesAtOnce: configuration.chargesAtOnce,
    patienceFor: chargePatience(configuration, isJumping),
    stopMilliseconds: configuration.requestDeadlineMilliseconds,
    hasMovedClocks: configuration.environment === 'homologation',
    chance: Math.random,
    observeKeyAbsent: (dataKeyId, isToBeTold) => {
      metrics.billingsWaitingForKey.inc();
      if (isToBeTold) log.error({ dataKeyId }, 'billings wait for a data key that is not there');
    },
    observeCharge: (rule) => metrics.charges.inc({ rule: rule ?? 'none' }),
    warnOfSentAgain: (merchantId, billingId, times) => {
      metrics.chargesSentAgainOften.inc();
      log.warn({ merchantId, billingId, times }, 'a billing is sent again and again, and never answered');
    },
  };
  const { works, charger } = chargingWorks(tools, { wakeSignal, resolved: settled });
  const isEngine = configuration.chargesAtOnce > 0;
  return { tools, charger, works: isEngine ? [...works, chargebackWork(tools, settled)] : works };
}

/**
 * How long a charge on schedule may take, for each merchant. Nobody waits for it, so a slow acquirer has time; while the clock of its
 * merchant jumps somebody does wait, and it has what a request has.
 */
function chargePatience(
  {
    acquirerTimeoutMilliseconds,
    requestDeadlineMilliseconds,
    billings,
  }: Pick<
    Ground['configuration'],
    'acquirerTimeoutMilliseconds' | 'requestDeadlineMilliseconds' | 'billings'
  >,
  isJumping: (merchantId: string) => boolean,
): ChargeDueTools['patienceFor'] {
  const forCommits = requestDeadlineMilliseconds - acquirerTimeoutMilliseconds;
  const ofRequest = { acquirerTimeoutMilliseconds, chargeMilliseconds: requestDeadlineMilliseconds };
  const ofBilling = {
    acquirerTimeoutMilliseconds: billings.acquirerTimeoutMilliseconds,
    chargeMilliseconds: billings.acquirerTimeoutMilliseconds + forCommits,
  };
  return (merchantId) => (isJumping(merchantId) ? ofRequest : ofBilling);
}

/** Whoever comes waits for the merchant's turn, and then for one among all. */
function twoLines(ofEach: WaitingLineLimits, together: WaitingLineLimits) {
  const ofMerchant = waitingLines(ofEach);
  const ofAll = waitingLine(together);
  return <T>(merchantId: string, task: () => Promise<T>) => ofMerchant(merchantId, () => ofAll(task));
}
