import { type ChainEnds, findEnds, searchNewestEntries } from '../../audit/audit-entries.sql.ts';
import type { ShippedLine } from '../../audit/shipped-line.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { providerText } from '../../providers/provider.ts';
import { listProviders } from '../../providers/providers.sql.ts';
import { parseUtcText } from '../../values/instant.ts';
import { findLost, findPresentState } from './books.sql.ts';
import {
  type LostChange,
  lostChange,
  missingNumbers,
  type NumberRange,
  type RedoableChange,
  stateAfter,
  thingOf,
} from './lost-change.ts';
import { lostProviderOf } from './lost-providers.sql.ts';

export type FoundChange = { readonly line: ShippedLine } & (
  | { readonly state: 'toDo' | 'alreadySo' | 'missing'; readonly change: RedoableChange }
  | { readonly state: 'byHand'; readonly change: Extract<LostChange, { kind: 'byHand' }> }
);

export type LostChanges = {
  readonly found: readonly FoundChange[];
  readonly lostLines: number;
  /** Lost entries without a line, up to the last one with a line. */
  readonly missing: readonly NumberRange[];
};

/** In their order. Archived changes are not lost. */
export async function findLostChanges(
  database: Database,
  shipped: readonly ShippedLine[],
): Promise<LostChanges> {
  const ends = await findEnds(database);
  const behind = shipped.filter(({ entryNumber }) => entryNumber >= ends.firstNumber);
  const lost = await findLost(database, inOrder(behind));
  return {
    found: await changesOf(database, lost),
    lostLines: lost.length,
    missing: await findMissing(
      database,
      lost.map(({ line }) => line),
      ends,
    ),
  };
}

const CLOCKS_DIFFER_MILLISECONDS = 1_000;

/** The chain parted if its last entry here is not later than the first lost one. */
async function findMissing(
  database: Database,
  lost: readonly ShippedLine[],
  { firstNumber }: ChainEnds,
): Promise<NumberRange[]> {
  const [first] = lost;
  if (first === undefined) return [];
  const numbers = lost.map(({ entryNumber }) => entryNumber);
  const at = parseUtcText(first.time);
  const to = at === null ? null : at + CLOCKS_DIFFER_MILLISECONDS;
  const upTo = numbers.reduce((least, number) => Math.min(least, number)) - 1;
  const filter = { from: null, to, action: null, actor: null };
  const [head] = await searchNewestEntries(database, { after: 0, upTo }, filter, 1);
  return missingNumbers(head?.entryNumber ?? Math.max(0, firstNumber - 1), numbers);
}

async function changesOf(
  database: Database,
  lost: Awaited<ReturnType<typeof findLost>>,
): Promise<FoundChange[]> {
  const states = new Map<string, string | null>();
  const found: FoundChange[] = [];
  const providers = (await listProviders(database)).map(providerText);
  for (const { line, isRedone } of lost) {
    const change = lostChange(line);
    const provider = lostProviderOf(line);
    if (change === null || (provider !== null && providers.includes(providerText(provider)))) continue;
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
