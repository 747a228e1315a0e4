/** The state after each event in each state. Null: the event cannot happen there. */
export type StateTable = Readonly<Record<string, Readonly<Record<string, string | null>>>>;

type EventOf<T extends StateTable> = keyof T[keyof T] & string;

/**
 * The states in which one of the events can happen, as a constant text for a statement: `where
 * state in (…)`. An update that such an event causes names the states from which its table allows
 * it. Called at load only.
 *
 * A row that is found by its key, or by its place, compares `state || ''` where the table has an
 * index with the state in it: the state alone lets the planner take that index, with all rows in
 * it, when it plans while the table is small.
 */
export function fromStates<T extends StateTable>(moves: T, ...events: readonly EventOf<T>[]): string {
  return statesBefore(moves, events, () => true);
}

/**
 * The same without the states that the event leaves as they are: for an update that must not touch
 * those.
 */
export function fromOtherStates<T extends StateTable>(moves: T, ...events: readonly EventOf<T>[]): string {
  return statesBefore(moves, events, (state, next) => next !== state);
}

function statesBefore(
  moves: StateTable,
  events: readonly string[],
  isMeant: (state: string, next: string) => boolean,
): string {
  const states = Object.entries(moves).flatMap(([state, after]) =>
    events.some((event) => {
      const next = after[event] ?? null;
      return next !== null && isMeant(state, next);
    })
      ? [`'${state}'`]
      : [],
  );
  if (states.length === 0) throw new Error(`no state from which there is a ${events.join(' or ')}`);
  return states.join(', ');
}
