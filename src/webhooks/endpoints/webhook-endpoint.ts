import type { AuditEvent } from '../../audit/audit-event.ts';

/** Who registers and removes webhooks and makes secrets, and from where. */
export type Registrant = { readonly merchantId: string; readonly userName: string; readonly address: string };

/** What the audit log tells of an act on the webhook of an account. Never holds a path, query, login or secret. */
export function webhookEvent(
  action: 'webhook.register' | 'webhook.remove' | 'secret.create',
  { merchantId, userName, address }: Registrant,
  accountNumber: string,
  detail: Readonly<Record<string, string>> = {},
): AuditEvent {
  const resource = `merchants/${merchantId}/webhooks/${accountNumber}`;
  return { action, outcome: 'success', actor: userName, origin: address, resource, detail };
}

/** What a sealed `user:password` is bound to: moved to another merchant or target, it does not open. */
export function basicAuthRecord(merchantId: string, endpoint: string): string {
  return `webhook endpoint|${merchantId}|${endpoint}`;
}

/** What a sealed secret is bound to: moved to another merchant or account, it does not open. */
export function secretRecord(merchantId: string, accountNumber: string): string {
  return `webhook secret|${merchantId}|${accountNumber}`;
}
