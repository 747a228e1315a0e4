import type { Strike } from './strikes.ts';

/** One strike and how long each service acknowledged no payment around it. */
export type StrikeResult = {
  readonly strike: Strike;
  /** By HAProxy, and by several hosts; milliseconds. */
  readonly away: readonly [number, number];
  /** Until the cluster was whole again. */
  readonly wholeMilliseconds: number;
  /** The names of the primary that was struck, and of the one behind it. */
  readonly struck: string;
  readonly successor: string;
};

/** What the strike broke of what is promised. */
export function findingsOf({ strike, away, struck, successor }: StrikeResult): string[] {
  const longest = Math.max(...away);
  const found: string[] = [];
  if (longest > strike.mostMilliseconds)
    found.push(`writes come back in time: ${strike.name}: away for ${Math.round(longest)} ms`);
  if (struck === successor)
    found.push(`the primary is another one: ${strike.name}: ${struck} was struck, and is the primary`);
  return found;
}
