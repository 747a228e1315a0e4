import { changedFields, merchantEvent } from '../../audit/audit-event.ts';
import type {
  AuditedChange,
  EndpointKind,
  EndpointState,
} from '../../webhooks/endpoints/webhook-endpoint.ts';
import { ALERT_EVENTS, type AlertEvent } from './alert.ts';

/** One that is ended can be restored. */
export const ALERT_ENDPOINT_STATES = ['active', 'removed'] as const satisfies readonly EndpointState[];
export type AlertEndpointState = (typeof ALERT_ENDPOINT_STATES)[number];

/** Each is sent every alert that it asks for: without a bound a merchant would multiply its own load. */
export const MOST_ACTIVE_ALERT_ENDPOINTS = 20;

export const ALERTS: EndpointKind = {
  prefix: 'alerts',
  mostActive: MOST_ACTIVE_ALERT_ENDPOINTS,
  isSentToServer: true,
  audited: auditedAlertEndpoint,
};

/** The server alone: path and query of an address may hold a secret, a description a person. */
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

/** What one is notified of that asks for nothing by name. */
const USUAL_EVENTS: readonly AlertEvent[] = ['failed'];

/** Each once, in the order of all. */
export function eventsOf(asked: readonly AlertEvent[] | null | undefined): readonly AlertEvent[] {
  const wanted = asked ?? USUAL_EVENTS;
  return ALERT_EVENTS.filter((event) => wanted.includes(event));
}
