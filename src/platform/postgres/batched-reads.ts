import { recordedSpan, tracedTogether } from '../tracing/scope.ts';
import type { Span } from '../tracing/span.ts';
import { Overloaded } from '../work/fair-line.ts';

export type BatchedReadOptions<Key, Value> = {
  readonly name: string;
  /** Concurrent callers with the same text share one look-up. */
  readonly textOf: (key: Key) => string;
  /** Reads many keys in one statement; a missing key has no entry. */
  readonly read: (keys: readonly Key[]) => Promise<ReadonlyMap<string, Value>>;
};

/**
 * `askedAt`: when the read began (monotonic milliseconds); the value is no older. Null: the key has no entry.
 */
export type Looked<Value> = { readonly askedAt: number; readonly value: Value | null };

const KEYS_PER_STATEMENT = 128;
const STATEMENTS_IN_FLIGHT = 2;
const MOST_WAITING = 2_000;

type Waiter<Key, Value> = PromiseWithResolvers<Looked<Value>> & {
  readonly key: Key;
  readonly text: string;
  readonly span: Span | null;
};

/**
 * Collects callers while statements are in flight; a lone caller never waits. Rejects with `Overloaded` or
 * the statement's error.
 */
export function batchReads<Key, Value>(
  options: BatchedReadOptions<Key, Value>,
): (key: Key) => Promise<Looked<Value>> {
  const pending = new Map<string, Promise<Looked<Value>>>();
  let waiting: Waiter<Key, Value>[] = [];
  let statementsInFlight = 0;
  let isStartPlanned = false;

  function planStart(): void {
    if (isStartPlanned || statementsInFlight >= STATEMENTS_IN_FLIGHT || waiting.length === 0) return;
    isStartPlanned = true;
    setImmediate(() => {
      isStartPlanned = false;
      const batch = waiting.slice(0, KEYS_PER_STATEMENT);
      waiting = waiting.slice(KEYS_PER_STATEMENT);
      void ask(batch);
      planStart();
    });
  }

  async function ask(batch: readonly Waiter<Key, Value>[]): Promise<void> {
    statementsInFlight += 1;
    const askedAt = performance.now();
    // A later caller must not get the answer of an earlier read.
    for (const waiter of batch) pending.delete(waiter.text);
    try {
      const spans = batch.map(({ span }) => span);
      const found = await tracedTogether(options.name, spans, () =>
        options.read(batch.map(({ key }) => key)),
      );
      for (const waiter of batch) waiter.resolve({ askedAt, value: found.get(waiter.text) ?? null });
    } catch (error) {
      for (const waiter of batch) waiter.reject(error);
    } finally {
      statementsInFlight -= 1;
      planStart();
    }
  }

  return (key) => {
    const text = options.textOf(key);
    const underWay = pending.get(text);
    if (underWay !== undefined) return underWay;
    if (waiting.length >= MOST_WAITING) {
      return Promise.reject(new Overloaded(`${options.name}: too many wait to be looked up`));
    }
    const span = recordedSpan();
    const waiter: Waiter<Key, Value> = { ...Promise.withResolvers<Looked<Value>>(), key, text, span };
    waiting.push(waiter);
    pending.set(text, waiter.promise);
    planStart();
    return waiter.promise;
  };
}
