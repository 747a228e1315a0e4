/** Something of a merchant that is busy or free as one; an empty `target`: all of the merchant. */
export type BusyPlace = { readonly merchantId: string; readonly endpoint: string };

/** How many tries this process has under way at which target, or of which merchant. */
export function countUnderWay() {
  const counts = new Map<string, BusyPlace & { underWay: number }>();
  const keyOf = ({ merchantId, endpoint }: BusyPlace) => `${merchantId}\n${endpoint}`;
  function add({ merchantId, endpoint }: BusyPlace, change: 1 | -1) {
    const key = keyOf({ merchantId, endpoint });
    const count = (counts.get(key)?.underWay ?? 0) + change;
    if (count === 0) counts.delete(key);
    else counts.set(key, { merchantId, endpoint, underWay: count });
  }
  return {
    at: (place: BusyPlace) => counts.get(keyOf(place))?.underWay ?? 0,
    list: () => [...counts.values()],
    /** The same with one more for each of these. */
    listWith(places: readonly BusyPlace[]) {
      const all = new Map([...counts].map(([key, count]) => [key, { ...count }]));
      for (const { merchantId, endpoint } of places) {
        const key = keyOf({ merchantId, endpoint });
        const count = all.get(key) ?? { merchantId, endpoint, underWay: 0 };
        all.set(key, { ...count, underWay: count.underWay + 1 });
      }
      return [...all.values()];
    },
    /** Counts from this very moment until what it gives is called, which may be more than once. */
    begin(place: BusyPlace) {
      let isUnderWay = true;
      add(place, 1);
      return () => {
        if (isUnderWay) add(place, -1);
        isUnderWay = false;
      };
    },
  };
}
