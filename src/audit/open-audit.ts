import type { Keyring } from '../keys/open-keyring.ts';
import type { Log } from '../platform/log.ts';
import { batchWrites, NO_MERCHANT } from '../platform/postgres/batched-writes.ts';
import type { Database, Tx } from '../platform/postgres/database.ts';
import {
  CommitUnknown,
  DatabaseUnavailable,
  PassingFault,
  SQL_STATE,
} from '../platform/postgres/database-errors.ts';
import type { Deadline } from '../platform/postgres/deadline.ts';
import type { Work } from '../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften } from '../platform/work/every-so-often.ts';
import { fairLine, Overloaded } from '../platform/work/fair-line.ts';
import { utcText } from '../values/instant.ts';
import { type AuditEntry, entryBytes, headBytes } from './audit-chain.ts';
import {
  appendEntries,
  beginChain,
  FIND_UNLOGGED,
  findSeals,
  findUnauditedMigrations,
  type HeldHead,
  holdHead,
  leaveUnlogged,
  type SealedEntries,
} from './audit-entries.sql.ts';
import {
  type Actor,
  type Audit,
  type AuditDetail,
  type AuditEvent,
  type AuditedTx,
  type StoredEvent,
  type WrittenEvent,
  writtenEvent,
} from './audit-event.ts';
import { logCommandEntries } from './log-command-entries.ts';
import type { VerifyTools } from './open-chain-walk.ts';
import { openTailCheck, type TailLook } from './open-chain-walk.ts';
import { auditLine } from './shipped-line.ts';

export type AuditTools = {
  readonly database: Database;
  readonly keyring: Pick<Keyring, 'auditSeal' | 'keyInUse' | 'reload'>;
  /**
   * Also gets number and seal of every entry: shipped lines are anchors that cannot be changed from here.
   * Null: for a command, whose entries a service logs.
   */
  readonly log: Pick<Log, 'info' | 'flushed'> | null;
  readonly observeUnwritten?: () => void;
};

/** A login waits this long for its entry, and is then refused. */
const RECORD_MILLISECONDS = 5_000;
const RECORD_LIMITS = { rowsPerBatch: 128, statementsInFlight: 1, waitingCallers: 1_000 };
/** Tries of one commit, if the key was rotated or the head was locked for too long. */
const MOST_TRIES = 3;
/** Commits waiting for the head hold connections: a stuck log must leave others to payments. */
const COMMITTING = { name: 'audited commits', slots: 3, waiting: 256, longestWaitMilliseconds: 5_000 };

/** This process's key was retired: nothing was written, and the next try has the new key. */
class AuditKeyRetired extends PassingFault {}

/** The log is locked, gone or not writable: nothing was done; the caller may come again. */
class AuditUnwritable extends Overloaded {
  /** PostgreSQL's SQLSTATE, if any. */
  readonly code: unknown;

  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`the audit log cannot be written: ${reason}`, { cause });
    this.code = (cause as { code?: unknown } | undefined)?.code;
  }
}

type Anchor = { readonly entryNumber: number; readonly seal: Buffer };

/**
 * Opens the log and makes the head of an empty chain. Any number of processes may write: each commit locks
 * the head, so numbers have no gaps. The head is a commit's last lock, so its holder waits for no other.
 */
export async function openAudit(tools: AuditTools): Promise<Audit> {
  const { database, keyring, log } = tools;
  const { dataKeyId, seal } = keyring.auditSeal(headBytes(0, Buffer.alloc(0)));
  await beginChain(database, seal, dataKeyId);

  const record = batchWrites<RecordRow, Anchor>({
    name: 'audit entries',
    isRefusal: () => false,
    mustBeWritten: true,
    key: ({ key }) => key,
    merchant: ({ merchantId }) => merchantId,
    // After a lock timeout the batch repeats itself.
    write: (rows) => persistently(keyring, isKeyRetired, () => recordTogether(tools, rows)),
    limits: RECORD_LIMITS,
  });

  const inLine = fairLine(COMMITTING);
  const transaction: Audit['transaction'] = async (work, { merchantId = NO_MERCHANT, deadline } = {}) => {
    const { value, entries } = await inLine(merchantId, () =>
      persistently(keyring, isWorthAnotherTry, () => transactOnce(tools, work, deadline)),
    );
    for (const entry of entries) reportAnchor(log, entry, entry);
    // Flushed before the caller is answered: after a restore the shipped lines show what callers were told,
    // and it is redone.
    if (entries.length > 0) await log?.flushed();
    return value;
  };

  return {
    transaction,
    change: (statement, values, event) =>
      transaction(async (tx) => {
        const changed = await tx.query(statement, values);
        if (changed.length === 1) tx.record(event);
        return changed[0];
      }),
    async record(event, merchantId = NO_MERCHANT) {
      const row = { key: nextKey(), merchantId, event: writtenEvent(event), tries: [] };
      const anchor = await record(row, performance.now() + RECORD_MILLISECONDS);
      reportAnchor(log, anchor, row.event);
      await log?.flushed();
    },
  };
}

async function transactOnce<T>(
  tools: AuditTools,
  work: (tx: AuditedTx) => Promise<T>,
  deadline: Deadline | undefined,
): Promise<{ readonly value: T; readonly entries: readonly AuditEntry[] }> {
  let isAtLog = false;
  const run = async (tx: Tx) => {
    const events: WrittenEvent[] = [];
    const record = (event: AuditEvent) => void events.push(writtenEvent(event));
    const value = await work({ ...tx, record });
    if (events.length === 0) return { value, entries: [] };
    isAtLog = true;
    const held = await holdHead(tx);
    const sealed = sealBehind(tools, held, events);
    await append(tools, tx, held, sealed);
    return { value, entries: sealed.entries };
  };
  return tools.database.transaction(run, deadline).catch((error) => refuseOwn(tools, error, isAtLog));
}

/**
 * A failure at the log becomes `AuditUnwritable`. A failure before it is the caller's, and stays as it is.
 */
function refuseOwn({ observeUnwritten }: AuditTools, error: unknown, isOurs: boolean): never {
  const isOther = [DatabaseUnavailable, Overloaded, CommitUnknown].some((kind) => error instanceof kind);
  if (!isOurs || isOther) throw error;
  observeUnwritten?.();
  throw new AuditUnwritable(error);
}

/** Nothing was written when this catches: a retired key and a lock timeout roll back. */
async function persistently<T>(
  keyring: AuditTools['keyring'],
  isToBeRepeated: (error: unknown) => boolean,
  write: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (tries === MOST_TRIES || !isToBeRepeated(error)) throw error;
      if (isKeyRetired(error)) await keyring.reload();
    }
  }
}

function isKeyRetired(error: unknown): boolean {
  return error instanceof AuditKeyRetired;
}

/** Repeats only for the log's own locks: for a lock that `work` waited for, the caller repeats. */
function isWorthAnotherTry(error: unknown): boolean {
  return (
    isKeyRetired(error) || (error instanceof AuditUnwritable && error.code === SQL_STATE.lockNotAvailable)
  );
}

function sealBehind({ keyring }: AuditTools, held: HeldHead, events: readonly WrittenEvent[]): SealedEntries {
  const dataKeyId = keyring.keyInUse('audit');
  if (!held.usableKeyIds.includes(dataKeyId)) {
    throw new AuditKeyRetired(`the audit key ${dataKeyId} was retired`);
  }
  const { occurredAtSeconds } = held;
  const entries: AuditEntry[] = [];
  let end: Anchor = held;
  for (const event of events) {
    const entryNumber = end.entryNumber + 1;
    const fields = { ...event, entryNumber, occurredAtSeconds, previousSeal: end.seal };
    const entry = { ...fields, ...keyring.auditSeal(entryBytes(fields)) };
    entries.push(entry);
    end = entry;
  }
  const { entryNumber, seal } = end;
  const sealed = keyring.auditSeal(headBytes(entryNumber, seal));
  const head = { entryNumber, seal, headSeal: sealed.seal, dataKeyId: sealed.dataKeyId };
  return { entries, head };
}

type RecordRow = {
  /** Rises, so that entries keep the order of requests. */
  readonly key: string;
  readonly merchantId: string;
  readonly event: WrittenEvent;
  /** Number and seal of earlier tries: a try whose connection broke may have written the event under them. */
  readonly tries: Anchor[];
};

let recordsAsked = 0;
function nextKey(): string {
  recordsAsked += 1;
  return String(recordsAsked).padStart(16, '0');
}

/**
 * Appends the events that are not there yet. While this transaction holds the lock of the head, a write of an
 * earlier try is seen, or will never come.
 */
async function recordTogether(
  tools: AuditTools,
  rows: readonly RecordRow[],
): Promise<ReadonlyMap<string, Anchor>> {
  const tried = rows.flatMap((row) => row.tries.map(({ entryNumber }) => entryNumber));
  const write = async (tx: Tx) => {
    const results = new Map<string, Anchor>();
    const held = await holdHead(tx);
    const seals = tried.length === 0 ? new Map() : await findSeals(tx, tried);
    const missing = rows.filter((row) => {
      const landed = row.tries.find(({ entryNumber, seal }) => seals.get(entryNumber)?.equals(seal));
      if (landed !== undefined) results.set(row.key, landed);
      return landed === undefined;
    });
    const events = missing.map(({ event }) => event);
    const sealed = sealBehind(tools, held, events);
    for (const [index, row] of missing.entries()) {
      const { entryNumber, seal } = sealed.entries[index] as AuditEntry;
      row.tries.push({ entryNumber, seal });
      results.set(row.key, { entryNumber, seal });
    }
    await append(tools, tx, held, sealed);
    return results;
  };
  return tools.database.transaction(write).catch((error) => refuseOwn(tools, error, true));
}

async function append({ log }: AuditTools, tx: Tx, held: HeldHead, sealed: SealedEntries): Promise<void> {
  await appendEntries(tx, held, sealed);
  if (log === null && sealed.entries.length > 0) await leaveUnlogged(tx, sealed.entries);
}

function reportAnchor(log: AuditTools['log'], anchor: Anchor, event: StoredEvent): void {
  log?.info(auditLine(anchor, event), 'an audit entry was written');
}

const CHECK_MILLISECONDS = 60_000;

/** Verifies new entries once a minute. */
export function checkingAudit(tools: VerifyTools, observe: (look: TailLook) => void): Work {
  const look = openTailCheck(tools);
  return alsoWhileHeld(everySoOften('checkAuditTail', CHECK_MILLISECONDS, async () => observe(await look())));
}

const LOOK_MILLISECONDS = 1_000;

export function loggingCommandEntries(database: Database, log: Pick<Log, 'info' | 'flushed'>): Work {
  const run = () => logCommandEntries(database, log);
  return everySoOften('logCommandEntries', LOOK_MILLISECONDS, run, { piece: FIND_UNLOGGED });
}

/**
 * Records migrations without an entry, also those that an earlier process applied before it failed. The lock
 * of the head lets only one process do it at a time.
 */
export async function auditMigrations(
  { audit, database }: { readonly audit: Audit; readonly database: Database },
  actor: Actor,
  applied: readonly string[],
  detail: AuditDetail = {},
): Promise<void> {
  if ((await findUnauditedMigrations(database, applied)).length === 0) return;
  await audit.transaction(async (tx) => {
    await holdHead(tx);
    for (const { name, appliedAt } of await findUnauditedMigrations(tx, applied)) {
      tx.record({
        ...actor,
        action: 'schema.migrate',
        outcome: 'success',
        resource: `migrations/${name}`,
        detail: { ...detail, appliedAt: utcText(appliedAt) },
      });
    }
  });
}
