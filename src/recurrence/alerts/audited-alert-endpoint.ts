import type { AuditEvent } from '../../audit/audit-event.ts';
import { changedFields, type MerchantActor, merchantEvent } from '../../audit/merchant-event.ts';
import type { AlertEndpoint, AlertEndpointState } from './alert-endpoint.ts';

/** The server alone: path and query of an address may hold a secret, a description a person. */
export function alertEndpointRegistered(
  registrar: MerchantActor,
  notifier: Pick<AlertEndpoint, 'alertEndpointId' | 'name' | 'callbackUrl' | 'events'>,
): AuditEvent {
  const { alertEndpointId, name, callbackUrl } = notifier;
  const { origin: server } = new URL(callbackUrl);
  const detail = { name, server, events: notifier.events.join(', ') };
  return merchantEvent('notifier.register', registrar, `notifiers/${alertEndpointId}`, detail);
}

export function alertEndpointMoved(
  actor: MerchantActor,
  alertEndpointId: string,
  before: AlertEndpointState,
  state: AlertEndpointState,
): AuditEvent {
  const changed = changedFields({ state: before }, { state });
  return merchantEvent('notifier.change', actor, `notifiers/${alertEndpointId}`, changed);
}
