import type { Base } from './money-rooms.ts';
import type { Route } from './platform/http/endpoint.ts';
import type { Work } from './platform/work/due-work.ts';
import type { Ground } from './surroundings.ts';
import type { Deliverer } from './webhooks/deliveries/delivery.ts';
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

/** Targets and deliveries: where merchants are told, and the sending. */
export function openWebhookRooms({ configuration, closings }: Ground, _base: Base): WebhookRooms {
  const isHomologation = configuration.environment === 'homologation';
  const urlRules = {
    openedNetworks: configuration.webhookNetworks,
    takesLoopback: isHomologation,
    takesHttp: isHomologation,
    resolver: openResolver(),
  };
  const carefulPost = openCarefulPost(urlRules, urlRules.resolver);
  closings.push({ name: 'connections to merchants', close: carefulPost.close });
  return {
    urlRules,
    carefulPost,
    routes: [],
    works: [],
    deliverer: { leaseForNow: () => 0, sendNow: () => {}, ring: () => {} },
  };
}
