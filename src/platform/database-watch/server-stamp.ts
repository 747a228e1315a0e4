import type { ServerIdentity } from './server-facts.ts';

/** What the database says of itself: where it was stamped. */
export type Stamp = ServerIdentity & {
  /** Of the last acceptance. */
  readonly token: string;
  /** What a process missed; null: nothing. */
  readonly doubt: string | null;
};

/** What a process remembers of the database, in memory alone: no copy of the database brings it along. */
export type Memory = {
  /** Every acceptance that it has seen. */
  readonly tokens: ReadonlySet<string>;
  /** Of its beats the last one that was acknowledged; 0: none yet. */
  readonly lastBeat: number;
  /** Whether the server where all was right put on a standby what it acknowledged; null: all was right nowhere yet. */
  readonly wasReplicated: boolean | null;
};

/** What a beat found. */
export type Found = {
  readonly identity: ServerIdentity;
  readonly stamp: Stamp | null;
  /** Whether the last acknowledged beat is there. */
  readonly isLastBeatThere: boolean;
};

export type Verdict =
  /** It is the one that was stamped. */
  | { readonly kind: 'same' }
  /** It never had a stamp. */
  | { readonly kind: 'stamp' }
  /** A standby of ours was promoted, and this process lived through it. */
  | { readonly kind: 'vouch'; readonly from: Stamp }
  /** The operator accepted what it is since we last knew it: this process begins anew. */
  | { readonly kind: 'accepted' }
  /** `doubt`: the others must be told, who cannot know. */
  | { readonly kind: 'held'; readonly words: string; readonly isDoubt: boolean };

/** Whether a database is the one it says it is. What is not proved holds: nothing is guessed towards acting. */
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

/** What was not told when it was stamped cannot be compared; what was told then and is not now proves nothing. */
function differences(stamp: Stamp, identity: ServerIdentity): Part[] {
  return PARTS.filter((part) => stamp[part] !== null && stamp[part] !== identity[part]);
}

export function textOf({ systemIdentifier, databaseOid, tableOid, timeline }: ServerIdentity): string {
  return `system ${systemIdentifier ?? '?'}, database ${databaseOid}, table ${tableOid}, timeline ${timeline ?? '?'}`;
}
