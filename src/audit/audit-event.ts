import type { CommitStep } from '../platform/postgres/database.ts';

/** Everything that the audit log tells of. The part before the dot is the kind of thing, the part after it what was done. */
export type AuditAction =
  | 'service.start'
  | 'service.stop'
  | 'schema.migrate'
  | 'login.accept'
  | 'login.refuse'
  | 'access.refuse'
  | 'merchant.create'
  | 'credential.create'
  | 'credential.disable'
  | 'credential.rotate'
  | 'card.store'
  | 'card.read'
  | 'card.delete'
  | 'key.create'
  | 'key.rotate'
  | 'key.reseal'
  | 'key.delete'
  | 'audit.read'
  | 'audit.verify';

/** One thing that somebody did or tried. Never holds a secret, a card number or a security code. */
export type AuditEvent = {
  readonly action: AuditAction;
  readonly outcome: 'success' | 'failure';
  /** The user name of a credential, the operator's account on its machine, or `system`. */
  readonly actor: string;
  /** From where: the caller's address, or the name of the operator's machine. */
  readonly origin: string;
  /** What it was done to, as a path: `merchants/LOJA/cards/0199…`, `keys/card/3`. */
  readonly resource: string;
  readonly detail?: Readonly<Record<string, string | number>>;
};

/** Where rooms tell of what was done. What cannot be told is not done: both ways throw when the log cannot be written. */
export type Audit = {
  /** Steps that append the events, to be put at the end of the commit of what they tell of. */
  steps(events: readonly AuditEvent[]): readonly CommitStep[];
  /** Appends one event by itself; concurrent calls share a commit. Resolves when it is durable. */
  record(event: AuditEvent): Promise<void>;
};
