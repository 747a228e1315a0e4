/** The whole life of a row with a state: what each event makes of each state. Null: the event cannot happen there. */
export type StateTable = Readonly<Record<string, Readonly<Record<string, string | null>>>>;

/**
 * The states in which one of the events can happen, as a constant text for a statement: `where state in (…)`. An update that such an
 * event causes names the states from which its table lets it happen. Called at load only.
 */
export function fromStates<T extends StateTable>(
  moves: T,
  ...events: readonly (keyof T[keyof T] & string)[]
): string {
  const states = Object.entries(moves).flatMap(([state, after]) =>
    events.some((event) => (after[event] ?? null) !== null) ? [`'${state}'`] : [],
  );
  if (states.length === 0) throw new Error(`no state from which there is a ${events.join(' or ')}`);
  return states.join(', ');
}
