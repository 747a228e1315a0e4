import { requestsRead } from './idempotency/idempotency-keys.sql.ts';
import { type Base, gatheredFor } from './money-rooms.ts';
import type { Route } from './platform/http/endpoint.ts';
import { gatherReads } from './platform/postgres/gathered-reads.ts';
import { type Bell, hangBell } from './platform/work/bell.ts';
import type { Work } from './platform/work/due-work.ts';
import { type WaitingLineLimits, waitingLine, waitingLines } from './platform/work/waiting-line.ts';
import { billingCancelsWrite } from './recurrence/billings/billing-cancels.sql.ts';
import { billingRoutes } from './recurrence/billings/routes.ts';
import { planCalendarRoutes } from './recurrence/calendars/routes.ts';
import { chargebackWork } from './recurrence/chargebacks/work.ts';
import { chargeEndsWrite } from './recurrence/charging/charge-ends.sql.ts';
import { chargeTakesWrite } from './recurrence/charging/charge-takes.sql.ts';
import type { ChargeDueTools, DueCharger } from './recurrence/charging/open-due-charger.ts';
import { isAcquirerThere } from './recurrence/charging/outcome-facts.ts';
import { chargingWorks } from './recurrence/charging/work.ts';
import { enrolmentsWrite } from './recurrence/enrolments/enrolments.sql.ts';
import { handChargeRoutes } from './recurrence/hand-charges/routes.ts';
import { notifierMovesWrite, notifiersWrite } from './recurrence/notices/notifiers.sql.ts';
import { notifierRoutes } from './recurrence/notices/routes.ts';
import { clockedExpiries, expiryWork } from './recurrence/notices/work.ts';
import { planEndingRoutes } from './recurrence/plan-endings/routes.ts';
import { planEndingWork } from './recurrence/plan-endings/work.ts';
import { planEditsWrite, planMovesWrite, plansWrite } from './recurrence/plans/plan-changes.sql.ts';
import { planRoutes } from './recurrence/plans/routes.ts';
import { subscriptionChangesWrite } from './recurrence/subscriptions/changes.sql.ts';
import { subscriptionRoutes } from './recurrence/subscriptions/routes.ts';
import type { Ground } from './surroundings.ts';
import type { LimitTools } from './transactions/limits/check-network-limits.ts';
import type { WebhookRooms } from './webhook-rooms.ts';

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
  | 'bell'
  | 'acquirerTimeoutMilliseconds'
  | 'observe'
  | 'outage'
  | 'writeUnsent'
  | 'findVaultCard'
  | keyof LimitTools
> & { readonly settled: Bell };

/** How what comes of it is told. */
type Telling = Pick<WebhookRooms, 'deliverer' | 'rememberCallbackTarget' | 'urlRules'>;

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
  const gathered = gatheredFor(ground.metrics);
  const mayBeDue = hangBell();
  const shared = {
    database,
    keyring,
    clock,
    findRequest: gatherReads(requestsRead(database)),
    inLine: twoLines(SEARCH_LINE, SEARCHES_LINE),
  };
  const plans = {
    ...shared,
    bell: hangBell(),
    endInLine: twoLines(ENDING_LINE, ENDINGS_LINE),
    writePlan: gathered(plansWrite(database)),
    editPlan: gathered(planEditsWrite(database)),
    movePlan: gathered(planMovesWrite(database)),
  };
  const subscriptions = {
    ...shared,
    ring: mayBeDue.ring,
    writeEnrolment: gathered(enrolmentsWrite(database)),
    writeChange: gathered(subscriptionChangesWrite(database)),
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
    rememberCallbackTarget: telling.rememberCallbackTarget,
    writeNotifier: gathered(notifiersWrite(database)),
    moveNotifier: gathered(notifierMovesWrite(database)),
  };
  const expiries = { database, clock, ring: () => telling.deliverer.ring() };
  const notifiersBell = hangBell();
  return {
    charger,
    routes: [
      ...planRoutes(plans),
      ...planCalendarRoutes(plans),
      ...planEndingRoutes(plans),
      ...subscriptionRoutes(subscriptions),
      ...billingRoutes({ ...shared, writeCancel: gathered(billingCancelsWrite(database)) }),
      ...handChargeRoutes({ ...shared, ...tools }),
      ...notifierRoutes({ ...notifiers, ringNotifiers: () => notifiersBell.ring() }),
    ],
    works: [planEndingWork(database, plans.bell), ...works, expiryWork(expiries, notifiersBell)],
    notices: clockedExpiries(expiries),
  };
}

function openCharging(
  { configuration, log, metrics }: Ground,
  { database, keyring, clock, isJumping }: Base,
  { deliverer, settled, ...charging }: Charging & Pick<Telling, 'deliverer'>,
  bell: Bell,
) {
  const gathered = gatheredFor(metrics);
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
    writeTake: gathered(chargeTakesWrite(database)),
    writeEnd: gathered(chargeEndsWrite(database, deliverer)),
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
  const { works, charger } = chargingWorks(tools, { bell, settled });
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
