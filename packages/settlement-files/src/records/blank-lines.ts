const MOST_KEPT = 1_000_000;

/** People count blank lines, records do not include them. Those after a million are not counted. */
export class BlankLines {
  /** For each blank line the number of records before it. */
  readonly #before: number[] = [];

  add(recordCount: number): void {
    if (this.#before.length < MOST_KEPT) this.#before.push(recordCount);
  }

  /** The line of a record, both counted from 1. */
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
