import type { AuditAction, AuditDetail, StoredEvent } from './audit-event.ts';

/** Merchants' changes whose log lines allow redoing them after a restore (docs/restore.md). */
const SAID_OF: Readonly<Partial<Record<AuditAction, true>>> = {
  'plan.change': true,
  'subscription.change': true,
  'billing.cancel': true,
};

/** States and ids: no personal data. Of other fields only the name is logged. */
const SAID_FIELDS: readonly string[] = ['state', 'vaultId'];

export type ShippedChange = {
  /** For example `{ 'state.old': 'active', 'state.new': 'canceled' }`. */
  readonly changed?: AuditDetail;
  /** Names of other changed fields: their values are in the entry alone. */
  readonly alsoChanged?: readonly string[];
};

const fieldOf = (name: string) => name.replace(/\.(?:old|new)$/, '');

export function shippedChange({ action, detail }: Pick<StoredEvent, 'action' | 'detail'>): ShippedChange {
  if (SAID_OF[action as AuditAction] !== true || detail === '') return {};
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

/** The fields of an entry's log line. Number and seal together are an anchor. */
export function auditLine(
  { entryNumber, seal }: { readonly entryNumber: number; readonly seal: Buffer },
  event: StoredEvent,
) {
  const { action, actor, origin, outcome, resource } = event;
  const anchor = { auditEntry: entryNumber, auditSeal: seal.toString('hex') };
  return { ...anchor, action, outcome, actor, origin, resource, ...shippedChange(event) };
}

export type ShippedLine = {
  readonly entryNumber: number;
  /** Hexadecimal, in lower case. */
  readonly seal: string;
  /** When the entry was written: a command's is logged later. */
  readonly time: string;
  readonly action: string;
  readonly outcome: string;
  readonly actor: string;
  readonly resource: string;
  readonly changed: AuditDetail;
  readonly alsoChanged: readonly string[];
};

const SEAL = /^[0-9a-f]{64}$/;

/** Fields in which Docker, journald, Loki and Elasticsearch put a line. */
const WRAPPERS = ['log', 'message', 'MESSAGE', 'line', 'textPayload', 'jsonPayload', '_source', '_raw'];
/** At most `_source.log` of Elasticsearch, with the wrapping of Docker inside. */
const MOST_WRAPPINGS = 3;
/** The name under ECS of a field for which it has none of its own. */
const ownEcsName = (name: string) => `parcela.${name}`;

/** Reads a line of the service, under our names or ECS's, in a shipper's wrapping. null: another line. */
export function readShippedLine(text: string): ShippedLine | null {
  const fieldOf = fieldsOfLine(text, 'auditSeal');
  return fieldOf === null ? null : entryOf(fieldOf);
}

/** Reads a field by our name, or by its name in ECS (Elastic Common Schema), if that is another one. */
export type LineField = (name: string, ecsName?: string) => unknown;

/** null: the line has no field `has` of ours. */
export function fieldsOfLine(text: string, has: string): LineField | null {
  if (!text.includes(has)) return null;
  return fieldsIn(objectIn(text.slice(text.indexOf('{'))), has, MOST_WRAPPINGS);
}

function fieldsIn(fields: Record<string, unknown>, has: string, wrappings: number): LineField | null {
  const fieldOf: LineField = (name, ecsName = ownEcsName(name)) =>
    fields[name] ?? splitField(fields, ecsName);
  if (fieldOf(has) !== undefined) return fieldOf;
  if (wrappings === 0) return null;
  for (const name of WRAPPERS) {
    const wrapped = fields[name];
    // The whole text must be the object: texts of callers may hold JSON.
    const inner = typeof wrapped === 'string' ? objectIn(wrapped) : isObject(wrapped) ? wrapped : {};
    const found = fieldsIn(inner, has, wrappings - 1);
    if (found !== null) return found;
  }
  return null;
}

/** Some stores split names at the dots. */
function splitField(fields: Record<string, unknown>, name: string): unknown {
  if (name in fields) return fields[name];
  const dot = name.indexOf('.');
  const inner = dot === -1 ? undefined : fields[name.slice(0, dot)];
  return isObject(inner) ? splitField(inner, name.slice(dot + 1)) : undefined;
}

function entryOf(of: LineField): ShippedLine | null {
  const textOf = (name: string, ecsName?: string) => {
    const value = of(name, ecsName);
    return typeof value === 'string' ? value : '';
  };
  const [entryNumber, changed, alsoChanged] = [of('auditEntry'), of('changed'), of('alsoChanged')];
  const [seal, action, resource] = [textOf('auditSeal'), of('action'), of('resource')];
  if (!Number.isSafeInteger(entryNumber) || !SEAL.test(seal)) return null;
  if (typeof action !== 'string' || typeof resource !== 'string') return null;
  return {
    entryNumber: entryNumber as number,
    seal,
    time: textOf('writtenAt') || textOf('@timestamp') || textOf('time'),
    action,
    outcome: textOf('outcome'),
    actor: textOf('actor'),
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
