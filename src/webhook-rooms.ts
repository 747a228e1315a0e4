import { request } from 'undici';
import type { Base } from './money-rooms.ts';
import type { Route } from './platform/http/endpoint.ts';
import { rateLimit } from './platform/http/rate-limit.ts';
import type { Work } from './platform/work/due-work.ts';
import { waitingLines } from './platform/work/waiting-line.ts';
import type { Ground } from './surroundings.ts';
import { type Deliverer, deliveryId } from './webhooks/deliveries/delivery.ts';
import { deliveryHistoryRoutes } from './webhooks/history/routes.ts';
import type { DeliverOnce } from './webhooks/history/send-test-notification.ts';
import { forgetOldDeliveries, giveUpStaleDeliveries } from './webhooks/history/work.ts';
import { type CarefulPost, openCarefulPost } from './webhooks/posting/open-careful-post.ts';
import { openResolver } from './webhooks/posting/open-resolver.ts';
import type { UrlRules } from './webhooks/posting/url-rules.ts';

export type WebhookRooms = {
  readonly routes: Route[];
  readonly works: Work[];
  readonly deliverer: Deliverer;
  /** Which addresses of merchants are taken, and the one way to call them. */
  readonly urlRules: UrlRules;
  readonly carefulPost: CarefulPost;
};

/** Lists of deliveries and repetitions of one merchant, which may touch very many rows. */
const HISTORY_LINE = { name: 'history', atOnce: 1, waiting: 20, longestWaitMilliseconds: 5_000 };
/** A merchant may ask for all tests of a minute at once. */
const TEST_BURST_SECONDS = 60;

/** Targets and deliveries: where merchants are told, and the sending. */
export function openWebhookRooms(
  { configuration, closings }: Ground,
  { database, clock }: Base,
): WebhookRooms {
  const isHomologation = configuration.environment === 'homologation';
  const urlRules = {
    openedNetworks: configuration.webhookNetworks,
    takesLoopback: isHomologation,
    takesHttp: isHomologation,
    resolver: openResolver(),
  };
  const carefulPost = openCarefulPost(urlRules, urlRules.resolver);
  closings.push({ name: 'connections to merchants', close: carefulPost.close });
  const { retentionDays, testsPerMinute } = configuration.webhooks;
  const deliverer: Deliverer = { leaseForNow: () => 0, sendNow: () => {}, ring: () => {} };
  const history = {
    database,
    clock,
    inLine: waitingLines(HISTORY_LINE),
    testLimit: rateLimit(testsPerMinute / 60, TEST_BURST_SECONDS),
    ring: () => deliverer.ring(),
    deliverOnce: postPlainly,
  };
  return {
    urlRules,
    carefulPost,
    routes: deliveryHistoryRoutes(history),
    works: [forgetOldDeliveries(database, retentionDays), giveUpStaleDeliveries(database)],
    deliverer,
  };
}

/** Stands in for the careful, signed POST. */
const postPlainly: DeliverOnce = async (delivery, totalMilliseconds) => {
  const startedAt = performance.now();
  const milliseconds = () => Math.round(performance.now() - startedAt);
  try {
    const answer = await request(delivery.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', 'webhook-id': deliveryId(delivery) },
      body: delivery.body,
      signal: AbortSignal.timeout(totalMilliseconds),
    });
    await answer.body.dump();
    const { statusCode: status } = answer;
    const delivered = status >= 200 && status < 300;
    const failure = delivered ? null : 'status';
    return { delivered, status, failure, milliseconds: milliseconds(), answer: null };
  } catch {
    return { delivered: false, status: null, failure: 'connect', milliseconds: milliseconds(), answer: null };
  }
};
