import type { Log } from '../../platform/log.ts';
import { counter, databaseGauge, histogram, type Metrics } from '../../platform/metrics.ts';
import type { Module, ModuleContext } from '../../platform/module.ts';
import { openReminder } from '../../platform/reminder.ts';
import { countingWhenRead } from '../../platform/work/every-so-often.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import { deliverDue } from './deliver-due.ts';
import type { Deliverer } from './delivery.ts';
import { countDeliveries, type DeliveryCounts } from './endpoint-changes.sql.ts';
import { type SendTools, TRY_MILLISECONDS } from './send-delivery.ts';
import { triesWrite } from './tries.sql.ts';
import type { EndpointChange, TryTools } from './try-delivery.ts';

const ENDPOINT_NEWS: Readonly<Record<EndpointChange, string>> = {
  failing: 'a webhook endpoint fails',
  opened: 'a webhook endpoint fails too often: nothing is sent there for a while',
  stillAway: 'a webhook endpoint is still away',
  disabled:
    'a webhook endpoint is disabled: nothing is sent there until a test succeeds or it is registered anew',
  returned: 'a webhook endpoint is back',
};

const AWAY = ['failing', 'opened', 'stillAway'] as const;

/** Between two log lines of one endpoint: if it is unreachable, it is tried every minute. */
const LINE_MILLISECONDS = 600_000;

/** URLs are not logged: paths and queries may contain secrets. */
export function logEndpoints(
  log: Pick<Log, 'info' | 'warn'>,
  now = () => performance.now(),
): TryTools['observeEndpoint'] {
  const remind = (change: EndpointChange, level: 'info' | 'warn') =>
    openReminder<object>(
      (reason, times, fields) => log[level]({ ...(fields ?? { reason }), times }, ENDPOINT_NEWS[change]),
      { pauseMilliseconds: LINE_MILLISECONDS, now },
    );
  const reminders = {
    failing: remind('failing', 'info'),
    opened: remind('opened', 'warn'),
    stillAway: remind('stillAway', 'info'),
    returned: remind('returned', 'info'),
  };
  return (change, { merchantId, endpoint }, detail) => {
    const fields = { merchantId, endpoint, ...detail };
    const reason = `${merchantId} ${endpoint}`;
    const ended = change === 'returned' ? AWAY : (['returned'] as const);
    for (const other of ended) reminders[other].drop(reason);
    if (change === 'disabled') log.warn(fields, ENDPOINT_NEWS.disabled);
    else reminders[change].report(reason, fields);
  };
}

const WEBHOOK_DELIVERIES = counter(
  'parcela_webhook_deliveries_total',
  'Tries to deliver, by what became of them.',
  ['outcome'],
);
const WEBHOOK_TRY_DURATION_SECONDS = histogram(
  'parcela_webhook_try_duration_seconds',
  'Duration of tries to deliver.',
  [0.01, 0.025, 0.1, 0.25, 0.5, 1, 2, 5, 10, 15],
  ['result'],
);
const WEBHOOK_LEASES = counter(
  'parcela_webhook_leases_total',
  'Commits with deliveries: `now`, sent at once by this process; `later`, claimed in their turn for lack of a free slot.',
  ['outcome'],
);
const WEBHOOK_DELIVERIES_WAITING = databaseGauge(
  'parcela_webhook_deliveries_waiting',
  'Deliveries that wait to be taken or given up.',
);
const WEBHOOK_DELIVERIES_OLDEST_AGE = databaseGauge(
  'parcela_webhook_deliveries_oldest_age_seconds',
  'Age of the oldest delivery that waits, also for a system of a merchant that is away; 0: none.',
);
const WEBHOOK_DELIVERIES_LAG = databaseGauge(
  'parcela_webhook_deliveries_lag_seconds',
  'By how much a delivery is late whose endpoint takes deliveries; 0: none.',
);
const WEBHOOK_ENDPOINTS = databaseGauge(
  'parcela_webhook_endpoints',
  'Endpoints: working, open (their breaker is), or disabled.',
  ['state'],
);

const COUNT_MILLISECONDS = 10_000;
/** In a jump of the test clock days pass in seconds, so no try waits long for an answer. */
const TRY_MILLISECONDS_IN_JUMP = 1_000;

export type Deliveries = Module & { readonly deliverer: Deliverer };

export function openDeliveries(context: ModuleContext, send: SendTools): Deliveries {
  const { database, batched, clock, isJumping, log, metrics } = context;
  const delivering = deliverDue({
    ...send,
    database,
    clock,
    wakeSignal: createWakeSignal(),
    chance: Math.random,
    tryMilliseconds: (merchantId) => (isJumping(merchantId) ? TRY_MILLISECONDS_IN_JUMP : TRY_MILLISECONDS),
    writeTry: batched(triesWrite(database)),
    observeTry: observeTries(metrics),
    observeEndpoint: logEndpoints(log),
  });
  const leases = metrics.counter(WEBHOOK_LEASES);
  const leaseForNow = () => {
    const milliseconds = delivering.deliverer.leaseForNow();
    leases.inc({ outcome: milliseconds > 0 ? 'now' : 'later' });
    return milliseconds;
  };
  const observe = observeCounts(metrics);
  const counting = countingWhenRead('countDeliveries', COUNT_MILLISECONDS, metrics, async () =>
    observe(await countDeliveries(database)),
  );
  return {
    deliverer: { ...delivering.deliverer, leaseForNow },
    endpoints: [],
    works: [delivering.work, counting],
    clockedWork: [{ name: 'deliveries', earliestDue: delivering.earliestDueOf, runDue: delivering.runDueOf }],
  };
}

/**
 * Outcomes: delivered, failed (tried again), givenUp, ahead (failed before its time: not counted), takenOver
 * (another process had claimed it).
 */
function observeTries(metrics: Metrics): TryTools['observeTry'] {
  const tries = metrics.counter(WEBHOOK_DELIVERIES);
  const durations = metrics.histogram(WEBHOOK_TRY_DURATION_SECONDS);
  return (outcome, { response, milliseconds }) => {
    tries.inc({ outcome });
    durations.observe({ result: response }, milliseconds / 1_000);
  };
}

/** The numbers are of the whole database, not of this process, and count a hundred thousand rows at most. */
function observeCounts(metrics: Metrics): (counts: DeliveryCounts) => void {
  const waitingGauge = metrics.gauge(WEBHOOK_DELIVERIES_WAITING);
  const endpointsGauge = metrics.gauge(WEBHOOK_ENDPOINTS);
  const oldestGauge = metrics.gauge(WEBHOOK_DELIVERIES_OLDEST_AGE);
  const lagGauge = metrics.gauge(WEBHOOK_DELIVERIES_LAG);
  return ({ waiting, oldestAge, lag, endpoints }) => {
    waitingGauge.set(waiting);
    oldestGauge.set(oldestAge);
    lagGauge.set(lag);
    for (const [state, count] of Object.entries(endpoints)) endpointsGauge.set({ state }, count);
  };
}
