import type { ServerIdentity } from './server-facts.ts';

export type Stamp = ServerIdentity & {
  readonly token: string;
  /** The difference that a process found; null: none did. */
  readonly doubt: string | null;
};

/** A process's memory of the database, which no copy of the database can have. */
export type Memory = {
  readonly tokens: ReadonlySet<string>;
  readonly lastBeat: number;
  /** Whether the last accepted server replicated commits before acknowledging them; null: not known yet. */
  readonly wasReplicated: boolean | null;
};

export type Found = {
  readonly identity: ServerIdentity;
  readonly stamp: Stamp | null;
  readonly isLastBeatThere: boolean;
};

export type Verdict =
  | { readonly kind: 'same' }
  /** The database has no stamp yet: this process makes the first. */
  | { readonly kind: 'stamp' }
  /** A standby was promoted while this process ran. */
  | { readonly kind: 'vouch'; readonly from: Stamp }
  /** The operator accepted the database after this process last read the stamp: the process starts afresh. */
  | { readonly kind: 'accepted' }
  /** `isDoubt`: the other processes cannot see the fault and must be told. */
  | { readonly kind: 'held'; readonly words: string; readonly isDoubt: boolean };

/** Whether a database is the one that its stamp names. Without proof the gate stays shut. */
export function judge(memory: Memory, { identity, stamp, isLastBeatThere }: Found): Verdict {
  const isNew = memory.tokens.size === 0;
  if (stamp === null) {
    if (isNew) return { kind: 'stamp' };
    return held('the stamp of this database is gone');
  }
  if (memory.lastBeat > 0 && !isLastBeatThere) {
    if (!isNew && !memory.tokens.has(stamp.token)) return { kind: 'accepted' };
    return {
      ...held('what this process had written is not in the database: commits were lost'),
      isDoubt: true,
    };
  }
  if (stamp.doubt !== null) return held(stamp.doubt);
  const differs = differences(stamp, identity);
  if (differs.length === 0) return { kind: 'same' };
  const isLaterTimeline =
    differs.length === 1 && differs[0] === 'timeline' && (identity.timeline ?? 0) > (stamp.timeline ?? 0);
  const place = `it was stamped as ${textOf(stamp)} and is ${textOf(identity)}`;
  if (!isLaterTimeline) return held(`this database is a copy, or was restored: ${place}`);
  if (memory.wasReplicated === null) return held(`this database was recovered or promoted: ${place}`);
  if (memory.wasReplicated) return { kind: 'vouch', from: stamp };
  return held(
    `a server without a synchronous standby was followed by another one, which may lack commits: ${place}`,
  );
}

function held(words: string): Extract<Verdict, { kind: 'held' }> {
  return { kind: 'held', words, isDoubt: false };
}

type Part = keyof ServerIdentity;
const PARTS: readonly Part[] = ['systemIdentifier', 'databaseOid', 'tableOid', 'timeline'];

/**
 * A part that was hidden when the stamp was made cannot be compared. A part that is hidden only now counts as
 * different: nothing proves it to be the same.
 */
function differences(stamp: Stamp, identity: ServerIdentity): Part[] {
  return PARTS.filter((part) => stamp[part] !== null && stamp[part] !== identity[part]);
}

/** Whether the database is where it was stamped, and no process doubts it. */
export function isAccepted(stamp: Stamp | null, identity: ServerIdentity): boolean {
  return stamp !== null && stamp.doubt === null && differences(stamp, identity).length === 0;
}

export function textOf({ systemIdentifier, databaseOid, tableOid, timeline }: ServerIdentity): string {
  return `system ${systemIdentifier ?? '?'}, database ${databaseOid}, table ${tableOid}, timeline ${timeline ?? '?'}`;
}
