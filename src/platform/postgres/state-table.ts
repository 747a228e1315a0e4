/** The state after each event in each state. Null: the event cannot happen in this state. */
export type StateTable = Readonly<Record<string, Readonly<Record<string, string | null>>>>;

type EventOf<T extends StateTable> = keyof T[keyof T] & string;

/**
 * The states in which one of the events can happen, as constant text for `where state in (…)`. Called at load
 * only. A row found by its key compares `state || ''` if an index contains the state: otherwise a plan made
 * while the table is small would scan that index.
 */
export function fromStates<T extends StateTable>(moves: T, ...events: readonly EventOf<T>[]): string {
  return statesBefore(moves, events, () => true);
}

/** Like `fromStates`, without the states that the event leaves unchanged. */
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
