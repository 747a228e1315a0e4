import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';

/** Each row counts what is unknown at one provider. */
export const COUNTED = rowCodec({
  provider: column.text('unanswered.provider'),
  count: column.whole('count(*)'),
  /** Seconds. */
  oldestAge: column.real('greatest(extract(epoch from now() - min(unanswered.since)), 0)::float8'),
  mostTries: column.whole('max(unanswered.tries)'),
});

export type Counted = {
  readonly count: number;
  /** Seconds; 0 if there is none. */
  readonly oldestAge: number;
  /** Seconds by provider; a provider where nothing is unknown has no entry. */
  readonly oldestAges: ReadonlyMap<string, number>;
  readonly mostTries: number;
};

export function countedOfAll(counted: readonly RowOf<typeof COUNTED>[]): Counted {
  return {
    count: counted.reduce((sum, { count }) => sum + count, 0),
    oldestAge: Math.max(0, ...counted.map(({ oldestAge }) => oldestAge)),
    oldestAges: new Map(counted.map(({ provider, oldestAge }) => [provider, oldestAge])),
    mostTries: Math.max(0, ...counted.map(({ mostTries }) => mostTries)),
  };
}

/** Sets the age of each provider, also of one that was removed meanwhile. */
export function agesByProvider(
  providers: () => readonly string[],
  set: (provider: string, seconds: number) => void,
): (counted: Pick<Counted, 'oldestAges'>) => void {
  const seen = new Set<string>();
  return ({ oldestAges }) => {
    for (const provider of [...providers(), ...oldestAges.keys()]) seen.add(provider);
    for (const provider of seen) set(provider, oldestAges.get(provider) ?? 0);
  };
}
