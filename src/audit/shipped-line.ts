import type { AuditAction, AuditDetail, WrittenEvent } from './audit-event.ts';

/**
 * What merchants change that a restored database has lost: their lines say what
 * changed, so that it can be done again (docs/restore.md).
 */
const SAID_OF: Readonly<Partial<Record<AuditAction, true>>> = {
  'plan.change': true,
  'subscription.change': true,
  'billing.cancel': true,
};

/** States and ids: nothing of a person. Of other fields a line has the name alone. */
const SAID_FIELDS: readonly string[] = ['state', 'vaultId'];

export type ShippedChange = {
  /** `{ 'state.old': 'active', 'state.new': 'canceled' }` */
  readonly changed?: AuditDetail;
  /** Names of fields whose values are in the entry alone. */
  readonly alsoChanged?: readonly string[];
};

const fieldOf = (name: string) => name.replace(/\.(?:old|new)$/, '');

/** What the log says of an entry beside its head. */
export function shippedChange({ action, detail }: Pick<WrittenEvent, 'action' | 'detail'>): ShippedChange {
  if (SAID_OF[action] !== true || detail === '') return {};
  const fields = Object.entries(JSON.parse(detail) as AuditDetail);
  const said = fields.filter(([name]) => SAID_FIELDS.includes(fieldOf(name)));
  const others = new Set(
    fields.map(([name]) => fieldOf(name)).filter((field) => !SAID_FIELDS.includes(field)),
  );
  return {
    ...(said.length > 0 && { changed: Object.fromEntries(said) }),
    ...(others.size > 0 && { alsoChanged: [...others] }),
  };
}

/** An entry as its line of the service's log tells it. */
export type ShippedLine = {
  readonly entryNumber: number;
  /** Hexadecimal, in lower case. */
  readonly seal: string;
  readonly time: string;
  readonly action: string;
  readonly outcome: string;
  readonly actor: string;
  readonly resource: string;
  readonly changed: AuditDetail;
  readonly alsoChanged: readonly string[];
};

const SEAL = /^[0-9a-f]{64}$/;

/** Null: a line about something else. What a shipper has put before the object is passed over. */
export function readShippedLine(text: string): ShippedLine | null {
  if (!text.includes('"auditSeal"')) return null;
  const fields = objectIn(text.slice(text.indexOf('{')));
  const { auditEntry, auditSeal, time, action, outcome, actor, resource, changed, alsoChanged } = fields;
  if (!Number.isSafeInteger(auditEntry) || typeof auditSeal !== 'string') return null;
  if (!SEAL.test(auditSeal) || typeof action !== 'string' || typeof resource !== 'string') return null;
  return {
    entryNumber: auditEntry as number,
    seal: auditSeal,
    time: typeof time === 'string' ? time : '',
    action,
    outcome: typeof outcome === 'string' ? outcome : '',
    actor: typeof actor === 'string' ? actor : '',
    resource,
    changed: isObject(changed) ? (changed as AuditDetail) : {},
    alsoChanged: Array.isArray(alsoChanged) ? alsoChanged.map(String) : [],
  };
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(text);
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
