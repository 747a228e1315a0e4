import type { AuditEvent } from '../../audit/audit-event.ts';

/** `disabled`: nothing is sent there until a test succeeds or it is registered anew. */
type EndpointState = 'active' | 'disabled' | 'removed';

/** `disable`: it failed for days, or reports that it is gone. `enable`: a test succeeded. */
type EndpointEvent = 'register' | 'disable' | 'enable' | 'remove';

/** Null means that the event cannot happen in that state. The row of a removed one stays. */
export const ENDPOINT_MOVES = {
  active: { register: 'active', disable: 'disabled', enable: 'active', remove: 'removed' },
  disabled: { register: 'active', disable: null, enable: 'active', remove: 'removed' },
  removed: { register: 'active', disable: null, enable: null, remove: null },
} as const satisfies Record<EndpointState, Record<EndpointEvent, EndpointState | null>>;

/** The person who registers and removes webhooks and makes secrets, and the address. */
export type Registrant = { readonly merchantId: string; readonly userName: string; readonly address: string };

/**
 * The audit event of an act on the webhook of an account. Never holds a path, query, login or
 * secret.
 */
export function webhookEvent(
  action: 'webhook.register' | 'webhook.remove' | 'secret.create',
  { merchantId, userName, address }: Registrant,
  accountNumber: string,
  detail: Readonly<Record<string, string>> = {},
): AuditEvent {
  const resource = `merchants/${merchantId}/webhooks/${accountNumber}`;
  return { action, outcome: 'success', actor: userName, origin: address, resource, detail };
}

/**
 * What a sealed `user:password` is bound to: moved to another merchant or endpoint, it does not
 * open. The text is inside every sealed row, so it never changes.
 */
export function basicAuthRecord(merchantId: string, endpoint: string): string {
  return `webhook target|${merchantId}|${endpoint}`;
}

/** What a sealed secret is bound to: moved to another merchant or account, it does not open. */
export function secretRecord(merchantId: string, accountNumber: string): string {
  return `webhook secret|${merchantId}|${accountNumber}`;
}
