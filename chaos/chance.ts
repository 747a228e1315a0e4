/** Numbers that look random and come again with the same seed. */
export type Chance = {
  /** At least 0, less than 1. */
  next(): number;
  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number;
  pick<T>(list: readonly T[]): T;
  isIn(share: number): boolean;
  /** A series of its own: what one part draws does not move what another draws. */
  fork(name: string): Chance;
};

export function chanceFrom(seed: number): Chance {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    whole,
    pick: <T>(list: readonly T[]) => list[whole(0, list.length - 1)] as T,
    isIn: (share) => next() < share,
    fork: (name) =>
      chanceFrom([...name].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed)),
  };
}
