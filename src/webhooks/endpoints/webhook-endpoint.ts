import {
  type AuditDetail,
  type AuditEvent,
  changedFields,
  type MerchantActor,
  merchantEvent,
} from '../../audit/audit-event.ts';

/** `disabled`: nothing is sent there until a test succeeds or the endpoint is registered again. */
export const ENDPOINT_STATES = ['active', 'disabled', 'removed'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/** `disable`: the endpoint failed for days, or says that it is gone. `enable`: a test succeeded. */
type EndpointEvent = 'register' | 'disable' | 'enable' | 'remove';

/** null: the event cannot happen in that state. The row of a removed endpoint stays. */
export const ENDPOINT_MOVES = {
  active: { register: 'active', disable: 'disabled', enable: 'active', remove: 'removed' },
  disabled: { register: 'active', disable: null, enable: 'active', remove: 'removed' },
  removed: { register: 'active', disable: null, enable: null, remove: null },
} as const satisfies Record<EndpointState, Record<EndpointEvent, EndpointState | null>>;

/** How one kind of registered address differs from the others. */
export type EndpointKind = {
  /** The beginning of an endpoint's key, before the account number or the id. */
  readonly prefix: 'account' | 'alerts' | 'exceptions';
  /** How many endpoints of the kind a merchant may have active; null: one for each account. */
  readonly mostActive: number | null;
  /** Whether deliveries wait for the server behind the URL, together with callbacks to it. */
  readonly isSentToServer: boolean;
  readonly audited: (change: AuditedChange) => AuditEvent;
};

export type EndpointDescription = {
  readonly name: string;
  readonly description: string;
  /** The name in the form that searches compare. */
  readonly searchName: string;
  readonly events: readonly string[];
};

export type AuditedEndpoint = {
  readonly url: string;
  readonly hasLogin: boolean;
  readonly description: EndpointDescription | null;
};

export type AuditedChange = {
  readonly event: 'register' | 'remove' | 'restore';
  readonly actor: MerchantActor;
  readonly of: string;
  /** null: the endpoint did not exist or was removed. */
  readonly before: AuditedEndpoint | null;
  readonly after: AuditedEndpoint | null;
};

/** `of`: an account number, or an id in lower case. */
export function endpointOf({ prefix }: Pick<EndpointKind, 'prefix'>, of: string): string {
  return `${prefix}:${of}`;
}

/** The webhook of an account, which is notified of everything. Deliveries wait for it, not for its server. */
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

export function webhookThing(accountNumber: string): string {
  return `webhooks/${accountNumber}`;
}

/**
 * What the audit log says of a change; null: no registration. Of a URL it names only the server: path, query
 * and login may be secret.
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
 * The record to which a login is sealed: it opens for this merchant and endpoint only. Never change the text,
 * because sealed rows contain it.
 */
export function basicAuthRecord(merchantId: string, endpoint: string): string {
  return `webhook target|${merchantId}|${endpoint}`;
}

/** The record to which secrets are sealed: they open for this merchant and account only. */
export function secretRecord(merchantId: string, accountNumber: string): string {
  return `webhook secret|${merchantId}|${accountNumber}`;
}
