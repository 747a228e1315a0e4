/** What is first by its instant, then by its name: a binary heap. */
export type Waiting<T> = { readonly at: number; readonly name: string; readonly item: T };

export class DueLine<T> {
  readonly #heap: Waiting<T>[] = [];

  get first(): Waiting<T> | undefined {
    return this.#heap[0];
  }

  push(entry: Waiting<T>): void {
    const heap = this.#heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const above = (index - 1) >>> 1;
      if (!comesBefore(entry, heap[above] as Waiting<T>)) break;
      heap[index] = heap[above] as Waiting<T>;
      index = above;
    }
    heap[index] = entry;
  }

  pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (let left = 1; left < heap.length; left = 2 * index + 1) {
      const right = left + 1;
      const isRight = right < heap.length && comesBefore(heap[right] as Waiting<T>, heap[left] as Waiting<T>);
      const below = isRight ? right : left;
      if (!comesBefore(heap[below] as Waiting<T>, last)) break;
      heap[index] = heap[below] as Waiting<T>;
      index = below;
    }
    heap[index] = last;
  }
}

function comesBefore(one: Waiting<unknown>, other: Waiting<unknown>): boolean {
  return one.at === other.at ? one.name < other.name : one.at < other.at;
}
