import packageJson from '../../package.json' with { type: 'json' };
import type { Route } from '../platform/http/endpoint.ts';
import { rateLimit } from '../platform/http/rate-limit.ts';
import type { Work } from '../platform/work/due-work.ts';
import { waitingLine, waitingLines } from '../platform/work/waiting-line.ts';
import { createWakeSignal } from '../platform/work/wake-signal.ts';
import { type Delivering, deliverDue } from '../webhooks/deliveries/deliver-due.ts';
import type { Deliverer } from '../webhooks/deliveries/delivery.ts';
import type { DeliveryCounts, EndpointTried } from '../webhooks/deliveries/endpoint-changes.sql.ts';
import { type SendTools, sendDelivery, TRY_MILLISECONDS } from '../webhooks/deliveries/send-delivery.ts';
import { triesWrite } from '../webhooks/deliveries/tries.sql.ts';
import type { EndpointChange, TryTools } from '../webhooks/deliveries/try-delivery.ts';
import { countingDeliveries } from '../webhooks/deliveries/work.ts';
import { rememberCallbackEndpoint } from '../webhooks/endpoints/remember-callback-endpoint.ts';
import { endpointRoutes } from '../webhooks/endpoints/routes.ts';
import {
  callbackEndpointsWrite,
  registrationsWrite,
  removalsWrite,
} from '../webhooks/endpoints/webhook-endpoints.sql.ts';
import { removedEndpointsWork } from '../webhooks/endpoints/work.ts';
import { deliveryHistoryRoutes } from '../webhooks/history/routes.ts';
import type { DeliverOnce } from '../webhooks/history/send-test-notification.ts';
import { forgetOldDeliveries, giveUpStaleDeliveries } from '../webhooks/history/work.ts';
import { gatedPost } from '../webhooks/posting/gated-post.ts';
import { openCarefulPost } from '../webhooks/posting/open-careful-post.ts';
import { openResolver } from '../webhooks/posting/open-resolver.ts';
import { signMessage } from '../webhooks/posting/sign-message.ts';
import type { UrlRules } from '../webhooks/posting/url-rules.ts';
import { openEndpointSecrets } from '../webhooks/secrets/open-endpoint-secrets.ts';
import { secretRoutes } from '../webhooks/secrets/routes.ts';
import { secretsWrite } from '../webhooks/secrets/secrets.sql.ts';
import { forgettingWork } from '../webhooks/secrets/work.ts';
import type { Ground } from './infrastructure.ts';
import { type Base, batchedFor } from './money-modules.ts';

export type WebhookRooms = {
  readonly routes: Route[];
  readonly works: Work[];
  readonly deliverer: Deliverer;
  /** For the test clock: what is due of one merchant. */
  readonly deliveries: Pick<Delivering, 'runDueOf' | 'earliestDueOf'>;
  /** Which addresses of merchants are taken. */
  readonly urlRules: UrlRules;
  /** Sees to it that the server behind a callback address has its row, before a payment brings it something. */
  readonly rememberCallbackEndpoint: (merchantId: string, url: string) => Promise<void>;
};

/** Lists of deliveries and repetitions of one merchant, which may touch very many rows. */
const HISTORY_LINE = { name: 'history', atOnce: 1, waiting: 20, longestWaitMilliseconds: 5_000 };
/** Those of all merchants together: payments need the other connections to the database. */
const HISTORIES_LINE = { name: 'histories', atOnce: 3, waiting: 100, longestWaitMilliseconds: 5_000 };
/** A merchant may ask for all tests of a minute at once. */
const TEST_BURST_SECONDS = 60;
/** While days pass in seconds nobody waits long for an answer. */
const TRY_MILLISECONDS_IN_JUMP = 1_000;
/** A payment has 15 s in all: one that cannot write the row of its callback in these is refused. */
const CALLBACK_ENDPOINT_MILLISECONDS = 5_000;

/** Targets and deliveries: where merchants are told, and the sending. */
export function openWebhookRooms(ground: Ground, base: Base): WebhookRooms {
  const { database } = base;
  const urlRules = urlRulesOf(ground);
  const send = openSending(ground, base, urlRules);
  const delivering = openDelivering(ground, base, send);
  const endpoints = openEndpoints(ground, base, urlRules, () => delivering.deliverer.notify());
  return {
    urlRules,
    rememberCallbackEndpoint: endpoints.rememberCallbackEndpoint,
    routes: [...endpoints.routes, ...openHistory(ground, base, send, delivering.deliverer)],
    works: [
      ...endpoints.works,
      delivering.work,
      countingDeliveries(database, observeCounts(ground.metrics)),
      forgetOldDeliveries(database, ground.configuration.webhooks.retentionDays),
      giveUpStaleDeliveries(database),
    ],
    deliverer: delivering.deliverer,
    deliveries: delivering,
  };
}

function urlRulesOf({ configuration }: Ground): UrlRules {
  const isHomologation = configuration.environment === 'homologation';
  return {
    openedNetworks: configuration.webhookNetworks,
    takesLoopback: isHomologation,
    takesHttp: isHomologation,
    resolver: openResolver(),
  };
}

/** The one way in which anything is posted to a merchant. */
function openSending({ closings, gate }: Ground, { keyring, clock }: Base, urlRules: UrlRules): SendTools {
  const carefulPost = openCarefulPost(urlRules, urlRules.resolver);
  closings.push({ name: 'connections to merchants', close: carefulPost.close });
  return {
    post: gatedPost(carefulPost, gate),
    sign: signMessage,
    clock,
    openSecrets: (delivery) => openEndpointSecrets(keyring, delivery),
    userAgent: `Parcela/${packageJson.version}`,
  };
}

/** Registrations, secrets and callback servers. */
function openEndpoints({ metrics }: Ground, base: Base, urlRules: UrlRules, notify: () => void) {
  const { database, keyring, audit } = base;
  const batched = batchedFor(metrics);
  const removed = createWakeSignal();
  const endpoints = {
    database,
    keyring,
    urlRules,
    writeRegistration: batched(registrationsWrite(audit)),
    removeRegistration: batched(removalsWrite(audit)),
    notify,
    notifyRemoved: () => removed.notify(),
  };
  const callbacks = {
    writeCallbackEndpoint: batched(callbackEndpointsWrite(database)),
    knownCallbackEndpoints: new Set<string>(),
  };
  return {
    routes: [
      ...endpointRoutes(endpoints),
      ...secretRoutes({ database, keyring, writeSecret: batched(secretsWrite(database, audit)) }),
    ],
    works: [removedEndpointsWork(database, removed), forgettingWork(database)],
    rememberCallbackEndpoint: (merchantId: string, url: string) =>
      rememberCallbackEndpoint(
        callbacks,
        merchantId,
        url,
        performance.now() + CALLBACK_ENDPOINT_MILLISECONDS,
      ),
  };
}

function openDelivering(ground: Ground, { database, clock, isJumping }: Base, send: SendTools): Delivering {
  return deliverDue({
    ...send,
    database,
    clock,
    wakeSignal: createWakeSignal(),
    chance: Math.random,
    tryMilliseconds: (merchantId) => (isJumping(merchantId) ? TRY_MILLISECONDS_IN_JUMP : TRY_MILLISECONDS),
    writeTry: batchedFor(ground.metrics)(triesWrite(database)),
    ...watchDeliveries(ground),
  });
}

function openHistory(
  { configuration }: Ground,
  { database, clock }: Base,
  send: SendTools,
  deliverer: Deliverer,
): Route[] {
  const deliverOnce: DeliverOnce = async (delivery, totalMilliseconds) => {
    const { heard, status, failure, answer, milliseconds } = await sendDelivery(
      send,
      delivery,
      totalMilliseconds,
    );
    return { delivered: heard === 'taken', status, failure, answer, milliseconds };
  };
  const ofMerchant = waitingLines(HISTORY_LINE);
  const ofAll = waitingLine(HISTORIES_LINE);
  return deliveryHistoryRoutes({
    database,
    clock,
    inLine: (merchantId, task) => ofMerchant(merchantId, () => ofAll(task)),
    testLimit: rateLimit(configuration.webhooks.testsPerMinute / 60, TEST_BURST_SECONDS),
    notify: () => deliverer.notify(),
    deliverOnce,
  });
}

const ENDPOINT_NEWS: Readonly<Record<EndpointChange, string>> = {
  failing: 'a webhook endpoint fails',
  opened: 'a webhook endpoint fails too often: nothing is sent there for a while',
  stillAway: 'a webhook endpoint is still away',
  disabled:
    'a webhook endpoint is disabled: nothing is sent there until a test succeeds or it is registered anew',
  returned: 'a webhook endpoint is back',
};

/** Who hears of tries and of what becomes of targets. Addresses are not logged: their paths and queries may hold secrets. */
function watchDeliveries({ log, metrics }: Pick<Ground, 'log' | 'metrics'>) {
  return {
    observeTry: ((outcome, { heard, milliseconds }) => {
      metrics.webhookDeliveries.inc({ outcome });
      metrics.webhookTries.observe({ result: heard }, milliseconds / 1_000);
    }) satisfies TryTools['observeTry'],
    observeEndpoint: (change: EndpointChange, { merchantId, endpoint }: EndpointTried, detail: object) => {
      const fields = { merchantId, endpoint, ...detail };
      if (change === 'opened' || change === 'disabled') log.warn(fields, ENDPOINT_NEWS[change]);
      else log.info(fields, ENDPOINT_NEWS[change]);
    },
  };
}

function observeCounts(metrics: Ground['metrics']) {
  return ({ waiting, endpoints }: DeliveryCounts) => {
    metrics.webhookWaiting.set(waiting);
    for (const [state, count] of Object.entries(endpoints)) metrics.webhookEndpoints.set({ state }, count);
  };
}
