import { findEnds } from '../../audit/audit-entries.sql.ts';
import type { ShippedLine } from '../../audit/shipped-line.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type LostChange, lostChange, type RedoableChange, stateAfter, thingOf } from './lost-change.ts';
import { findLost, findPresentState } from './lost-changes.sql.ts';

/**
 * What becomes of a lost change: it is done again, it is so already (or was done again before), its
 * thing is not here, or a person does it.
 */
export type FoundChange = { readonly line: ShippedLine } & (
  | { readonly state: 'toDo' | 'alreadySo' | 'missing'; readonly change: RedoableChange }
  | { readonly state: 'byHand'; readonly change: Extract<LostChange, { kind: 'byHand' }> }
);

/**
 * The changes of shipped lines that this database lacks, in their order. What is archived is not
 * lost.
 */
export async function findLostChanges(
  database: Database,
  shipped: readonly ShippedLine[],
): Promise<FoundChange[]> {
  const { firstNumber } = await findEnds(database);
  const behind = shipped.filter(({ entryNumber }) => entryNumber >= firstNumber);
  /** As it will be when what stands before is done. */
  const states = new Map<string, string | null>();
  const found: FoundChange[] = [];
  for (const { line, isRedone } of await findLost(database, inOrder(behind))) {
    const change = lostChange(line);
    if (change === null) continue;
    if (change.kind === 'byHand') {
      found.push({ line, change, state: 'byHand' });
      continue;
    }
    const thing = thingOf(change);
    if (!states.has(thing)) states.set(thing, await findPresentState(database, change));
    const present = states.get(thing) ?? null;
    const after = stateAfter(change);
    if (present === null) found.push({ line, change, state: 'missing' });
    else if (isRedone || present === after) found.push({ line, change, state: 'alreadySo' });
    else {
      found.push({ line, change, state: 'toDo' });
      states.set(thing, after);
    }
  }
  return found;
}

/** Several files may have the same lines. */
function inOrder(lines: readonly ShippedLine[]): ShippedLine[] {
  const bySeal = new Map(lines.map((line) => [line.seal, line]));
  return [...bySeal.values()].toSorted(
    (a, b) => a.time.localeCompare(b.time) || a.entryNumber - b.entryNumber,
  );
}
