import type { Chance } from '../chance.ts';
import type { Scene } from '../rounds.ts';

/**
 * Of the texts that have occurred here, one whose turn came least often, so that in the end each had its
 * turn. `first`: those that are worth most, whether they have occurred or not.
 */
export function nextTurn(
  { memory, chance }: { readonly memory: Scene['memory']; readonly chance: Chance },
  name: string,
  texts: { readonly known: readonly string[]; readonly first?: readonly string[] },
): string | null {
  const turnsOf = (text: string) => memory.get(`${name} ${text}`) ?? 0;
  const { known, first = [] } = texts;
  const fresh = first.filter((text) => turnsOf(text) === 0);
  const least = Math.min(...known.map(turnsOf));
  const drawn = fresh.length > 0 ? fresh : known.filter((text) => turnsOf(text) === least);
  if (drawn.length === 0) return null;
  const text = chance.pick(drawn);
  memory.set(`${name} ${text}`, turnsOf(text) + 1);
  return text;
}
