const MOST_KEPT = 1_000_000;

/** Blank lines are lines to a person, and no records to a count. Those behind a million are not counted. */
export class BlankLines {
  /** Of each blank line, how many records stand before it. */
  readonly #before: number[] = [];

  add(recordCount: number): void {
    if (this.#before.length < MOST_KEPT) this.#before.push(recordCount);
  }

  /** The number of the line on which a record stands, both from 1. */
  lineOf(recordNumber: number): number {
    let [low, high] = [0, this.#before.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#before[middle] as number) < recordNumber) low = middle + 1;
      else high = middle;
    }
    return recordNumber + low;
  }
}
