import {
  type AuditDetail,
  type AuditEvent,
  changedFields,
  type MerchantActor,
  merchantEvent,
} from '../../audit/audit-event.ts';

/** `disabled`: nothing is sent there until a test succeeds or it is registered anew. */
export const ENDPOINT_STATES = ['active', 'disabled', 'removed'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/** `disable`: it failed for days, or reports that it is gone. `enable`: a test succeeded. */
type EndpointEvent = 'register' | 'disable' | 'enable' | 'remove';

/** Null means that the event cannot happen in that state. The row of a removed one stays. */
export const ENDPOINT_MOVES = {
  active: { register: 'active', disable: 'disabled', enable: 'active', remove: 'removed' },
  disabled: { register: 'active', disable: null, enable: 'active', remove: 'removed' },
  removed: { register: 'active', disable: null, enable: null, remove: null },
} as const satisfies Record<EndpointState, Record<EndpointEvent, EndpointState | null>>;

/** A kind of address that merchants register. All else is the same for each of them. */
export type EndpointKind = {
  /** How the keys of its endpoints begin, before the account number or the id. */
  readonly prefix: 'account' | 'alerts' | 'exceptions';
  /** So many are active of a merchant at once; null: one for each account. */
  readonly mostActive: number | null;
  /** Whether deliveries wait for the server behind the address, with those of callbacks to it. */
  readonly isSentToServer: boolean;
  readonly audited: (change: AuditedChange) => AuditEvent;
};

/** What the merchant says of an address beside where it is. */
export type EndpointDescription = {
  readonly name: string;
  readonly description: string;
  /** The name as searches compare it. */
  readonly searchName: string;
  readonly events: readonly string[];
};

/** An address, as far as the audit log says it. */
export type AuditedEndpoint = {
  readonly url: string;
  readonly hasLogin: boolean;
  readonly description: EndpointDescription | null;
};

export type AuditedChange = {
  readonly event: 'register' | 'remove' | 'restore';
  readonly actor: MerchantActor;
  /** The account number, or the id. */
  readonly of: string;
  /** Null: it was not there, or is not any more. */
  readonly before: AuditedEndpoint | null;
  readonly after: AuditedEndpoint | null;
};

/** The key of an endpoint: of an account number, or an id in small letters. */
export function endpointOf({ prefix }: Pick<EndpointKind, 'prefix'>, of: string): string {
  return `${prefix}:${of}`;
}

/** Where an account is notified of everything. Its deliveries wait for itself. */
export const WEBHOOK: EndpointKind = {
  prefix: 'account',
  mostActive: null,
  isSentToServer: false,
  audited: ({ event, actor, of, before, after }) =>
    merchantEvent(
      event === 'remove' ? 'webhook.remove' : 'webhook.register',
      actor,
      webhookThing(of),
      registrationChanges(before, after),
    ),
};

type AuditedRegistration = Pick<AuditedEndpoint, 'url' | 'hasLogin'>;

/** What an entry on the webhook of an account is about. */
export function webhookThing(accountNumber: string): string {
  return `webhooks/${accountNumber}`;
}

/**
 * What a registration or a removal changed; null: none was there, or is any more. Of the address the server
 * alone, and whether the rest of it is another: a path, a query or a login may be a secret.
 */
export function registrationChanges(
  before: AuditedRegistration | null,
  after: AuditedRegistration | null,
): AuditDetail {
  const changed = changedFields(sayableOf(before), sayableOf(after));
  if (before === null || after === null) return changed;
  const isPathNew = before.url !== after.url && new URL(before.url).origin === new URL(after.url).origin;
  return {
    ...changed,
    ...(isPathNew ? { path: 'changed' } : {}),
    ...(before.hasLogin && after.hasLogin ? { login: 'given anew' } : {}),
  };
}

function sayableOf(registration: AuditedRegistration | null): AuditDetail {
  if (registration === null) return {};
  return { server: new URL(registration.url).origin, login: registration.hasLogin ? 'yes' : 'no' };
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
