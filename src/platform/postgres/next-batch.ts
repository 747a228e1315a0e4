import type { Span } from '../tracing/span.ts';
import type { Deadline } from './deadline.ts';

export type BatchedWriteLimits = {
  rowsPerBatch: number;
  bytesPerBatch: number;
  statementsInFlight: number;
  waitingCallers: number;
};

export type Caller<Row, Result> = {
  readonly row: Row;
  readonly key: string;
  readonly merchant: string;
  readonly bytes: number;
  readonly deadline: Deadline;
  /** The span from the caller's arrival to its answer; null: not recorded. */
  readonly span: Span | null;
  readonly promise: Promise<Result>;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** `sent`: a statement with this row is under way. `inDoubt`: one was lost. `gone`: answered. */
  state: 'waiting' | 'sent' | 'inDoubt' | 'gone';
  restMilliseconds: number;
};

/**
 * Takes the next batch in order of arrival, sorted by key. Merchants take turns in quarters of the batch;
 * alone a merchant may fill it. A key already in the batch waits for the next.
 */
export function nextBatch<Row, Result>(
  waiting: readonly Caller<Row, Result>[],
  limits: Pick<BatchedWriteLimits, 'rowsPerBatch' | 'bytesPerBatch'>,
): { batch: Caller<Row, Result>[]; rest: Caller<Row, Result>[] } {
  const quarter = Math.max(1, Math.floor(limits.rowsPerBatch / 4));
  const batch: Caller<Row, Result>[] = [];
  const taken = new Set<Caller<Row, Result>>();
  const keys = new Set<string>();
  const rowsOf = new Map<string, number>();
  let bytes = 0;

  function takeIfItFits(caller: Caller<Row, Result>): void {
    const isFull =
      batch.length >= limits.rowsPerBatch ||
      (batch.length > 0 && bytes + caller.bytes > limits.bytesPerBatch);
    if (isFull || keys.has(caller.key)) return;
    batch.push(caller);
    taken.add(caller);
    keys.add(caller.key);
    rowsOf.set(caller.merchant, (rowsOf.get(caller.merchant) ?? 0) + 1);
    bytes += caller.bytes;
  }

  for (let share = quarter; share < limits.rowsPerBatch + quarter; share += quarter) {
    for (const caller of waiting) {
      if (!taken.has(caller) && (rowsOf.get(caller.merchant) ?? 0) < share) takeIfItFits(caller);
    }
    if (batch.length === limits.rowsPerBatch || batch.length === waiting.length) break;
  }
  batch.sort((left, right) => (left.key < right.key ? -1 : 1));
  return { batch, rest: waiting.filter((caller) => !taken.has(caller)) };
}
