import { listDataKeys } from '../keys/data-keys.sql.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import type { Database } from '../platform/postgres/database.ts';
import { type AuditArchive, archiveBytes } from './archive.ts';
import { type AuditEntry, type ChainFault, entryBytes, headBytes } from './audit-chain.ts';
import { findEnds, listArchives, pageOfEntries } from './audit-entries.sql.ts';

export type VerifyTools = {
  readonly database: Database;
  readonly keyring: Pick<Keyring, 'checkAuditSeal' | 'reload'>;
};

/** Number and seal of an entry, as logged when it was written, and stored where they cannot be changed. */
export type AuditAnchor = { readonly entryNumber: number; readonly seal: Buffer };

/** The last entry that was found valid. */
export type ChainEnd = AuditAnchor & { readonly dataKeyId: number | null };

export const BEFORE_ALL: ChainEnd = { entryNumber: 0, seal: Buffer.alloc(0), dataKeyId: null };

/** Where the chain goes on behind an archive; undefined: there is none. */
export function endOf(archive: AuditArchive | undefined): ChainEnd {
  if (archive === undefined) return BEFORE_ALL;
  const { lastNumber, lastSeal, lastKeyId } = archive;
  return { entryNumber: lastNumber, seal: lastSeal, dataKeyId: lastKeyId };
}

/** `fault`: reported if the number holds another entry. */
export type KnownEntry = AuditAnchor & { readonly fault: ChainFault };

/** When each audit key was retired, in milliseconds since the epoch; infinite for the one in use. */
export type AuditKeys = ReadonlyMap<number, number>;

export async function findAuditKeys(database: Database): Promise<AuditKeys> {
  const keys = (await listDataKeys(database)).filter(({ purpose }) => purpose === 'audit');
  return new Map(keys.map((key) => [key.dataKeyId, key.retiredAt ?? Number.POSITIVE_INFINITY]));
}

const PAGE_ENTRIES = 500;
/**
 * The entry of a rotation is sealed by the key that the rotation retires. The key counts as retired from the
 * start of that transaction, which may then wait for locks for this long.
 */
const RETIRING_MILLISECONDS = 60_000;

/** Reads entries in order, in bounded pages, from the lowest number above `after`. */
export async function* entriesOf(database: Database, after: number): AsyncGenerator<AuditEntry> {
  let last: AuditEntry | null = null;
  for (;;) {
    // Begins with the last entry, to find a second entry of its number at the edge of a page.
    const page: AuditEntry[] = await pageOfEntries(database, last?.entryNumber ?? after + 1, PAGE_ENTRIES);
    const isSeen =
      last !== null && page[0]?.entryNumber === last.entryNumber && page[0].seal.equals(last.seal);
    const next = isSeen ? page.slice(1) : page;
    if (next.length === 0) return;
    yield* next;
    last = next.at(-1) as AuditEntry;
  }
}

export function openChainWalk(
  keyring: Pick<Keyring, 'checkAuditSeal'>,
  keys: AuditKeys,
  start: ChainEnd,
  known: readonly KnownEntry[] = [],
): ChainWalk {
  return new ChainWalk(keyring, keys, start, known);
}

export type { ChainWalk };

class ChainWalk {
  readonly #keyring: Pick<Keyring, 'checkAuditSeal'>;
  readonly #keys: AuditKeys;
  readonly #known: readonly KnownEntry[];
  #end: ChainEnd;

  constructor(
    keyring: Pick<Keyring, 'checkAuditSeal'>,
    keys: AuditKeys,
    start: ChainEnd,
    known: readonly KnownEntry[],
  ) {
    this.#keyring = keyring;
    this.#keys = keys;
    this.#end = start;
    this.#known = known;
  }

  get end(): ChainEnd {
    return this.#end;
  }

  /** null: the entry is the end now. */
  async follow(entry: AuditEntry): Promise<ChainFault | null> {
    const fault = (await this.#faultOf(entry)) ?? this.#differenceOf(entry);
    if (fault === null) this.#end = entry;
    return fault;
  }

  async #faultOf(entry: AuditEntry): Promise<ChainFault | null> {
    const before = this.#end;
    const expected = before.entryNumber + 1;
    if (entry.entryNumber > expected) return 'entryMissing';
    if (entry.entryNumber < expected || !entry.previousSeal.equals(before.seal)) return 'entryUnlinked';
    const retiredAt = this.#keys.get(entry.dataKeyId);
    if (retiredAt === undefined) return 'sealForeign';
    const isSealed = await this.#keyring.checkAuditSeal(entry.dataKeyId, entryBytes(entry), entry.seal);
    if (!isSealed) return 'entryAltered';
    // Key numbers rise with rotations. A leaked key seals nothing after its time.
    const isBackward = before.dataKeyId !== null && entry.dataKeyId < before.dataKeyId;
    const isLate = Number(entry.occurredAtSeconds) * 1_000 > retiredAt + RETIRING_MILLISECONDS;
    return isBackward || isLate ? 'sealOutdated' : null;
  }

  #differenceOf({ entryNumber, seal }: AuditEntry): ChainFault | null {
    const differs = (known: KnownEntry) => known.entryNumber === entryNumber && !known.seal.equals(seal);
    return this.#known.find(differs)?.fault ?? null;
  }
}

/** Entries that one look reads at most. A process's first look reads so many from the end. */
const ENTRIES_OF_LOOK = 5_000;
const ENTRIES_OF_PAGE = 500;

export type TailLook = {
  readonly fault: ChainFault | null;
  readonly entries: number;
  /** The age of the last entry that was read; null: none was. */
  readonly ageSeconds: number | null;
};

/**
 * Each look reads on from the one before. What is altered after it was read is found by
 * `parcela audit verify` alone. A fault stays until the process ends.
 */
export function openTailCheck({ database, keyring }: VerifyTools): () => Promise<TailLook> {
  let walk: ChainWalk | null = null;
  let fault: ChainFault | null = null;
  let lastAt: number | null = null;

  async function look(): Promise<TailLook> {
    if (fault !== null) return { fault, entries: 0, ageSeconds: ageOf(lastAt) };
    await keyring.reload();
    const { head, firstNumber, lastNumber } = await findEnds(database);
    const keys = await findAuditKeys(database);
    if (head === null) return found(lastNumber === 0 ? null : 'headMissing', 0);
    if (head.dataKeyId !== null && !(await isSealed(head))) return found('headAltered', 0);
    if (head.entryNumber < (walk?.end.entryNumber ?? 0)) return found('tailMissing', 0);
    let read = 0;
    let from =
      walk === null ? Math.max(firstNumber, head.entryNumber - ENTRIES_OF_LOOK) : walk.end.entryNumber + 1;
    while (read < ENTRIES_OF_LOOK && from <= head.entryNumber) {
      const page = await pageOfEntries(database, from, ENTRIES_OF_PAGE);
      for (const entry of page.filter(({ entryNumber }) => entryNumber <= head.entryNumber)) {
        const wrong = await follow(entry, keys);
        if (wrong !== null) return found(wrong, read);
        read += 1;
        lastAt = Number(entry.occurredAtSeconds);
      }
      if (page.length === 0) return found('tailMissing', read);
      from = (walk?.end.entryNumber ?? from) + 1;
    }
    const isAtEnd = walk?.end.entryNumber === head.entryNumber;
    return found(isAtEnd && !walk?.end.seal.equals(head.seal) ? 'headUnlinked' : null, read);
  }

  /** What an archive took from the database between two looks is not missing. */
  async function follow(entry: AuditEntry, keys: AuditKeys): Promise<ChainFault | null> {
    const before = { entryNumber: entry.entryNumber - 1, seal: entry.previousSeal, dataKeyId: null };
    walk = openChainWalk(keyring, keys, walk?.end ?? before);
    const wrong = await walk.follow(entry);
    const archive = wrong === 'entryMissing' ? (await listArchives(database)).at(-1) : undefined;
    if (archive === undefined || entry.entryNumber > archive.lastNumber + 1) return wrong;
    if (!(await keyring.checkAuditSeal(archive.dataKeyId, archiveBytes(archive), archive.seal)))
      return 'archiveAltered';
    // The archived entries are deleted piece by piece: this may be one of them.
    walk = openChainWalk(keyring, keys, entry.entryNumber > archive.lastNumber ? endOf(archive) : before);
    return walk.follow(entry);
  }

  function found(wrong: ChainFault | null, entries: number): TailLook {
    fault = wrong;
    return { fault, entries, ageSeconds: ageOf(lastAt) };
  }

  const isSealed = (head: NonNullable<Awaited<ReturnType<typeof findEnds>>['head']>) =>
    keyring.checkAuditSeal(head.dataKeyId as number, headBytes(head.entryNumber, head.seal), head.headSeal);

  return look;
}

function ageOf(seconds: number | null): number | null {
  return seconds === null ? null : Math.max(0, Date.now() / 1_000 - seconds);
}
