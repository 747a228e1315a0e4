import type { Scene } from '../rounds.ts';

/** What a kind did, for the table. */
export type Tally = {
  /** How often its fault struck. */
  faults: number;
  /** What it struck, and how often. */
  readonly struck: Map<string, number>;
  /** Why it could not be done on this machine. */
  refusal: string | null;
};

/** One kind of fault. A new one is a file here and a line in `kinds.ts`. */
export type Kind = {
  readonly name: string;
  readonly about: string;
  /** Its part of the faults of a whole run, beside the others; a slow one has a small part. */
  readonly share: number;
  /** Its faults are kills. */
  readonly isKilling?: boolean;
  /** It runs in a bench of its own, whose database is on a small file system. */
  readonly needsSmallDisk?: boolean;
  /** It has gateways of its own, and PostgreSQL no connections for more: nobody pays beside its batches. */
  readonly isAlone?: boolean;
  /** Strikes up to so many times. */
  run(scene: Scene, times: number, tally: Tally): Promise<void>;
};

export function countStrike(tally: Tally, what: string): void {
  tally.faults += 1;
  tally.struck.set(what, (tally.struck.get(what) ?? 0) + 1);
}
