import { changedFields, merchantEvent } from '../../audit/audit-event.ts';
import type {
  AuditedChange,
  EndpointKind,
  EndpointState,
} from '../../webhooks/endpoints/webhook-endpoint.ts';
import { ALERT_EVENTS, type AlertEvent } from './alert.ts';

/** A removed endpoint can be restored. */
export const ALERT_ENDPOINT_STATES = ['active', 'removed'] as const satisfies readonly EndpointState[];
export type AlertEndpointState = (typeof ALERT_ENDPOINT_STATES)[number];

/** Each gets every alert that it asks for: without a limit a merchant would multiply its own load. */
export const MOST_ACTIVE_ALERT_ENDPOINTS = 20;

export const ALERTS: EndpointKind = {
  prefix: 'alerts',
  mostActive: MOST_ACTIVE_ALERT_ENDPOINTS,
  isSentToServer: true,
  audited: auditedAlertEndpoint,
};

/** The audit log gets the server only: path and query may hold a secret, a description may name a person. */
function auditedAlertEndpoint({ event, actor, of, after }: AuditedChange) {
  const thing = `notifiers/${of}`;
  if (event === 'register' && after?.description) {
    const { name, events } = after.description;
    const detail = { name, server: new URL(after.url).origin, events: events.join(', ') };
    return merchantEvent('notifier.register', actor, thing, detail);
  }
  const [before, state] = event === 'remove' ? ['active', 'inactive'] : ['inactive', 'active'];
  return merchantEvent('notifier.change', actor, thing, changedFields({ state: before }, { state }));
}

const USUAL_EVENTS: readonly AlertEvent[] = ['failed'];

export function eventsOf(asked: readonly AlertEvent[] | null | undefined): readonly AlertEvent[] {
  const wanted = asked ?? USUAL_EVENTS;
  return ALERT_EVENTS.filter((event) => wanted.includes(event));
}
