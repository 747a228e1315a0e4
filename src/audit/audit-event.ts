import type { CommitKeyChange } from '../keys/key-change.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import type { Row, Statement, Tx } from '../platform/postgres/database.ts';
import type { Deadline } from '../platform/postgres/deadline.ts';
import {
  deeplyWithoutCardNumbers,
  withoutCardNumbers,
  withoutCpfAndEmail,
} from '../values/card-number-in-text.ts';

/** Kind of thing, a dot, and what was done. */
export const AUDIT_ACTIONS = [
  'service.start',
  'service.stop',
  'schema.migrate',
  'login.accept',
  'login.refuse',
  'access.refuse',
  'merchant.create',
  'merchant.change',
  'merchant.disable',
  'merchant.enable',
  'merchant.import',
  'merchant.export',
  'billing.cancel',
  'billing.hold',
  'billing.release',
  'account.add',
  'credential.create',
  'credential.disable',
  'credential.rotate',
  'token.revoke',
  'token.end',
  'card.store',
  'card.import',
  'card.read',
  'card.delete',
  'card.test',
  'key.create',
  'key.rotate',
  'key.reseal',
  'key.delete',
  'webhook.register',
  'webhook.remove',
  'webhook.read',
  'webhook.resend',
  'payment.read',
  'secret.create',
  'plan.create',
  'plan.change',
  'subscription.change',
  'subscription.page',
  'cardFields.change',
  'link.create',
  'link.disable',
  'notifier.register',
  'notifier.change',
  'resolve.decide',
  'returnFile.import',
  'remittance.make',
  'remittance.read',
  'fees.change',
  'provider.add',
  'provider.change',
  'provider.charge',
  'provider.enable',
  'provider.disable',
  'provider.route',
  'provider.webhook',
  'settlement.import',
  'reconciliation.resolve',
  'reconciliation.report',
  'exceptionNotifier.register',
  'exceptionNotifier.remove',
  'restore.accept',
  'restore.reconcile',
  'restore.decide',
  'restore.redo',
  'privacy.export',
  'privacy.erase',
  'user.invite',
  'user.change',
  'user.recover',
  'user.disable',
  'user.signIn',
  'user.signOut',
  'user.refuse',
  'console.act',
  'console.refuse',
  'console.unknown',
  'console.request',
  'console.approve',
  'console.decline',
  'console.export',
  'audit.read',
  'audit.verify',
  'audit.archive',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export type Actor = {
  /**
   * A credential's user name, `user:…` for a user of the console, or the operator's account; or else
   * `system`, `subscriber`, `unknown`.
   */
  readonly actor: string;
  /** The caller's address, or the name of the operator's machine. */
  readonly origin: string;
};

/** Never holds a secret, card number or security code. */
export type AuditEvent = Actor & {
  readonly action: AuditAction;
  readonly outcome: 'success' | 'failure';
  /** The object as a path, for example `merchants/LOJA/cards/0199…`, `keys/card/3`. */
  readonly resource: string;
  readonly detail?: AuditDetail;
};

export type AuditDetail = Readonly<Record<string, string | number>>;

/** The end of the transaction writes the recorded events. */
export type AuditedTx = Tx & { record(event: AuditEvent): void };

export type AuditedOptions = {
  /** The merchant whose turn it takes; absent: the operator, or many merchants. */
  readonly merchantId?: string;
  readonly deadline?: Deadline;
};

/** An act that cannot be audited is not done: all methods throw when the log cannot be written. */
export type Audit = {
  /**
   * Runs `work` in one transaction with the events that it records. Throws what `work` throws, and
   * `Overloaded` when the log cannot be written; `DatabaseUnavailable` leaves both in doubt. Without events
   * it does not wait for the log. Runs `work` again if the log was busy.
   */
  transaction<T>(work: (tx: AuditedTx) => Promise<T>, options?: AuditedOptions): Promise<T>;
  /** Runs a statement that changes one row, with its event. Undefined: no row changed. */
  change(statement: Statement, values: readonly unknown[], event: AuditEvent): Promise<Row | undefined>;
  /** Appends one event. Concurrent calls share a commit, in which each merchant has a share. */
  record(event: AuditEvent, merchantId?: string): Promise<void>;
};

const LONGEST = { actor: 100, origin: 200, resource: 300, value: 200, detail: 2_000 } as const;

/** Characters; a longer reason is cut. */
export const LONGEST_REASON = LONGEST.value;

/** Harmless text of bounded length, whatever a caller typed. */
export type WrittenEvent = {
  readonly action: AuditAction;
  readonly outcome: 'success' | 'failure';
  readonly actor: string;
  readonly origin: string;
  readonly resource: string;
  /** JSON, or empty. */
  readonly detail: string;
};

export type StoredEvent = Readonly<Record<keyof WrittenEvent, string>>;

/** Returns texts that PostgreSQL can store, that forge no line of a log, and that hold no card number. */
export function writtenEvent(event: AuditEvent): WrittenEvent {
  return {
    action: event.action,
    outcome: event.outcome,
    actor: harmless(event.actor, LONGEST.actor),
    origin: harmless(event.origin, LONGEST.origin),
    resource: harmless(event.resource, LONGEST.resource),
    detail: detailText(event.detail ?? {}),
  };
}

const PLAIN = /^[\x20-\x7e]+$/;

/**
 * Replaces control and format characters by U+FFFD. Masks card numbers first, because a cut could hide one.
 */
function harmless(typed: string, mostCharacters: number): string {
  const text = withoutCardNumbers(typed);
  if (text.length <= mostCharacters && PLAIN.test(text)) return text;
  const characters = [...text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd')];
  if (characters.length === 0) return '-';
  if (characters.length <= mostCharacters) return characters.join('');
  return `${characters.slice(0, mostCharacters - 1).join('')}…`;
}

/** Drops fields from the end if too long. */
function detailText(detail: AuditDetail): string {
  const fields = Object.entries(detail).map(([name, value]) => [
    harmless(name, LONGEST.value),
    harmlessValue(name, value),
  ]);
  while (fields.length > 0) {
    const text = JSON.stringify(Object.fromEntries(fields));
    if (text.length <= LONGEST.detail) return text;
    fields.pop();
  }
  return '';
}

/** A reason is free text: CPF and e-mail addresses are removed. */
function harmlessValue(name: string, value: string | number): string | number {
  if (typeof value === 'number') return deeplyWithoutCardNumbers(value) as number | string;
  return harmless(name === REASON ? withoutCpfAndEmail(value) : value, LONGEST.value);
}

const REASON = 'reason';

export type MerchantActor = {
  readonly merchantId: string;
  readonly userName: string;
  readonly address: string;
};

/** `thing` is its path below the merchant, for example `plans/0199…`. */
export function merchantEvent(
  action: AuditAction,
  { merchantId, userName, address }: MerchantActor,
  thing: string,
  detail: AuditDetail,
): AuditEvent {
  const resource = `merchants/${merchantId}/${thing}`;
  return { action, outcome: 'success', actor: userName, origin: address, resource, detail };
}

/** The fields that differ, for example `{ 'state.old': 'active', 'state.new': 'canceled' }`. */
export function changedFields(before: AuditDetail, after: AuditDetail): AuditDetail {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => before[name] !== after[name]);
  const sides = changed.flatMap((name) => [
    [`${name}.old`, before[name]],
    [`${name}.new`, after[name]],
  ]);
  return Object.fromEntries(sides.filter(([, value]) => value !== undefined));
}

/** Commits key changes with their entries. */
export function auditedKeyChanges(audit: Audit, actor: Actor): CommitKeyChange {
  return (work) =>
    audit.transaction((tx) =>
      work({ ...tx, record: (change) => tx.record({ outcome: 'success', ...change, ...actor }) }),
    );
}

/** Audits the data keys that were made when the keyring was opened: before them no entry could be sealed. */
export async function recordCreatedKeys(
  audit: Audit,
  actor: Actor,
  { createdKeys }: Pick<Keyring, 'createdKeys'>,
): Promise<void> {
  for (const resource of createdKeys)
    await audit.record({ ...actor, action: 'key.create', outcome: 'success', resource });
}
