import type { Base } from './money-rooms.ts';
import type { Route } from './platform/http/endpoint.ts';
import type { Work } from './platform/work/due-work.ts';
import type { Ground } from './surroundings.ts';
import type { Deliverer } from './webhooks/deliveries/delivery.ts';

export type WebhookRooms = {
  readonly routes: Route[];
  readonly works: Work[];
  readonly deliverer: Deliverer;
};

/** Targets and deliveries: where merchants are told, and the sending. */
export function openWebhookRooms(_ground: Ground, _base: Base): WebhookRooms {
  return {
    routes: [],
    works: [],
    deliverer: { leaseForNow: () => 0, sendNow: () => {}, ring: () => {} },
  };
}
