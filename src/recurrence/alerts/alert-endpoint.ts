import type { MerchantActor } from '../../audit/audit-event.ts';
import type { Instant } from '../../values/instant.ts';
import type { Stamp } from '../plans/plan.ts';
import { ALERT_EVENTS, type AlertEvent } from './alert.ts';

export const ALERT_ENDPOINT_STATES = ['active', 'inactive'] as const;
export type AlertEndpointState = (typeof ALERT_ENDPOINT_STATES)[number];

type AlertEndpointEvent = 'activate' | 'deactivate';

/** The whole life of an alert endpoint. */
export const ALERT_ENDPOINT_MOVES = {
  active: { activate: 'active', deactivate: 'inactive' },
  inactive: { activate: 'active', deactivate: 'inactive' },
} as const satisfies Record<AlertEndpointState, Record<AlertEndpointEvent, AlertEndpointState | null>>;

/** An address of a merchant that is notified of what happens to its subscriptions. */
export type AlertEndpoint = {
  readonly merchantId: string;
  readonly alertEndpointId: string;
  readonly name: string;
  readonly description: string;
  /** As it is kept: see `checkUrl`. */
  readonly callbackUrl: string;
  /** What it is notified of, each once, in the order of all. */
  readonly events: readonly AlertEvent[];
  readonly state: AlertEndpointState;
  readonly created: Stamp;
  readonly modified: Stamp | null;
};

/** What one is notified of that asks for nothing by name. */
const USUAL_EVENTS: readonly AlertEvent[] = ['failed'];

/** Each once, in the order of all. */
export function eventsOf(asked: readonly AlertEvent[] | null | undefined): readonly AlertEvent[] {
  const wanted = asked ?? USUAL_EVENTS;
  return ALERT_EVENTS.filter((event) => wanted.includes(event));
}

/** Each is sent every alert that it asks for: without a bound a merchant would multiply its own load. */
export const MOST_ACTIVE_ALERT_ENDPOINTS = 20;

/**
 * Which are searched for: `name` is any part of the name, an empty text of every one. Null: of
 * every state; of the caller.
 */
export type AlertEndpointFilter = {
  readonly name: string;
  readonly state: AlertEndpointState | null;
  readonly merchantId: string | null;
};

/**
 * What a list can be put in order by; all are of one merchant, so that field leaves it to the id.
 */
export type AlertEndpointOrder =
  | 'alertEndpointId'
  | 'merchantId'
  | 'name'
  | 'description'
  | 'callbackUrl'
  | 'state'
  | 'createdBy'
  | 'createdAt'
  | 'modifiedBy'
  | 'modifiedAt';

/** A change of state, requested by a user at a moment of business time. */
export type AlertEndpointMove = {
  readonly merchantId: string;
  readonly alertEndpointId: string;
  readonly state: AlertEndpointState;
  readonly actor: MerchantActor;
  readonly at: Instant;
};
