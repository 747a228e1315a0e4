import { openStep, tracedTogether } from '../tracing/scope.ts';
import { errorTypeOf } from '../tracing/span.ts';
import { Overloaded } from '../work/fair-line.ts';
import { Tally } from '../work/fair-queue.ts';
import { mayTake } from '../work/fair-share.ts';

import { CommitUnknown, DatabaseUnavailable, isWorthAnotherTry, PassingFault } from './database-errors.ts';
import { Deadline } from './deadline.ts';
import { type BatchedWriteLimits, type Caller, nextBatch } from './next-batch.ts';

import { noteWrite, type WriteWatch, watchOfCaller, watchWrites } from './write-watch.ts';

/**
 * Writes the rows of many concurrent callers in one statement. Callers are collected while statements are in
 * flight; a lone caller never waits. The throughput is two to four times that of a statement for each caller
 * (decisions/0004).
 *
 * The rules, each with its test:
 * 1. Rows are sorted by key, so that two statements lock in the same order.
 * 2. Results are matched by key, never by position.
 * 3. A batch has each key once (conflicts are results, which `write` reads in a second statement).
 * 4. An error splits the batch and runs each row alone once, so that a bad row harms no other. `Overloaded`
 * concerns no single row: it refuses all.
 * 5. After a lost connection the same rows are repeated. A look instead could miss a commit that is arriving.
 * Such a row is in doubt until it has a result: no later error or refusal proves that nothing was written. A
 * row that was certainly not written fails at once, unless it must be written. A passing fault lets its row
 * rest, and repeats it.
 * 6. Rows, bytes, statements in flight and waiting callers are bounded; full means `Overloaded` at once. A
 * merchant has at most as many waiting callers as it leaves free.
 * 7. At most a quarter of a batch is one merchant's while others wait. With batches of one row, merchants
 * take turns.
 */
export type BatchedWriteOptions<Row, Result> = {
  readonly name: string;
  /** The primary key as sortable text. */
  readonly key: (row: Row) => string;
  readonly merchant: (row: Row) => string;
  /**
   * Writes the rows durably and gives a result or `NOT_WRITTEN` for every key. Must be repeatable with the
   * same results. Throws `DatabaseUnavailable` when the connection breaks. `deadlines` are in the rows'
   * order; statements that move or promise money carry them.
   */
  readonly write: (
    rows: readonly Row[],
    deadlines: readonly Deadline[],
  ) => Promise<ReadonlyMap<string, Result | typeof NOT_WRITTEN>>;
  /**
   * Whether a result says that nothing was written. For a row in doubt the caller gets `CommitUnknown`
   * instead.
   */
  readonly isRefusal: (result: Result) => boolean;
  /** For an event that has already happened: repeated until the deadline while the database is away. */
  readonly mustBeWritten?: boolean;
  readonly bytes?: (row: Row) => number;
  readonly limits?: Partial<BatchedWriteLimits>;
  readonly onBatch?: (rows: number) => void;
};

const LIMITS: BatchedWriteLimits = {
  rowsPerBatch: 128,
  bytesPerBatch: 1024 * 1024,
  statementsInFlight: 4,
  waitingCallers: 2_000,
};

/** For rows without a merchant: only the whole queue is bounded. */
export const NO_MERCHANT = '';

/** The pause before a failed write is tried again; it doubles up to the longest. */
const FIRST_PAUSE_MILLISECONDS = 20;
const LONGEST_PAUSE_MILLISECONDS = 500;
const MOST_TURNS = 1_000;

/** The row was not written: it came too late, or met an obstacle that has gone. The caller may try again. */
export const NOT_WRITTEN = Symbol('not written');

/**
 * Resolves once the row is committed. Rejects with `Overloaded` or `DatabaseUnavailable` (nothing written),
 * `CommitUnknown`, or the row's own error (rolled back). `deadlineAt`: monotonic clock.
 */
export type BatchedWrite<Row, Result> = (row: Row, deadlineAt: number) => Promise<Result>;

export function batchWrites<Row, Result>(
  options: BatchedWriteOptions<Row, Result>,
): BatchedWrite<Row, Result> {
  const batches = new WriteBatches(options);
  return (row, deadlineAt) => batches.enqueue(row, deadlineAt);
}

class WriteBatches<Row, Result> {
  readonly #options: BatchedWriteOptions<Row, Result>;
  readonly #limits: BatchedWriteLimits;
  #waiting: Caller<Row, Result>[] = [];
  readonly #waitingOf = new Tally();
  #resting = 0;
  /** For batches of one row: the turn in which each merchant was last served. */
  readonly #lastTurns = new Map<string, number>();
  #turns = 0;
  #statementsInFlight = 0;
  #isStartPlanned = false;

  constructor(options: BatchedWriteOptions<Row, Result>) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  enqueue(row: Row, deadlineAt: number): Promise<Result> {
    const inAll = this.#waiting.length + this.#resting;
    const merchant = this.#options.merchant(row);
    const ofMerchant = merchant === NO_MERCHANT ? 0 : this.#waitingOf.at(merchant);
    if (!mayTake(this.#limits.waitingCallers, { inAll, ofMerchant }))
      return Promise.reject(new Overloaded(`${this.#options.name}: too many callers wait already`));
    const caller = this.#callerOf(row, merchant, deadlineAt);
    this.#waiting.push(caller);
    this.#waitingOf.add(merchant, 1);
    this.#planStart();
    return caller.promise;
  }

  #callerOf(row: Row, merchant: string, deadlineAt: number): Caller<Row, Result> {
    const options = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    // A caller is answered at its deadline even while a silent server holds its statement.
    const timer = setTimeout(() => giveUp(caller, options.name), Math.max(0, deadlineAt - performance.now()));
    const watch = watchOfCaller();
    const span = openStep({ name: options.name });
    const caller: Caller<Row, Result> = {
      row,
      key: options.key(row),
      merchant,
      bytes: options.bytes?.(row) ?? 0,
      deadline: new Deadline(deadlineAt),
      span,
      promise,
      resolve(result) {
        clearTimeout(timer);
        noteWrite(watch);
        span?.end();
        resolve(result);
      },
      reject(error) {
        clearTimeout(timer);
        span?.fail(errorTypeOf(error));
        span?.end();
        reject(error);
      },
      state: 'waiting',
      restMilliseconds: FIRST_PAUSE_MILLISECONDS,
    };
    return caller;
  }

  /** Starts after this turn of the event loop, so that callers woken by one answer go together. */
  #planStart(): void {
    if (this.#isStartPlanned || this.#statementsInFlight >= this.#limits.statementsInFlight) return;
    this.#isStartPlanned = true;
    setImmediate(() => {
      this.#isStartPlanned = false;
      while (this.#waiting.length > 0 && this.#statementsInFlight < this.#limits.statementsInFlight) {
        void this.#run(this.#takeBatch());
      }
    });
  }

  #takeBatch(): Caller<Row, Result>[] {
    const { batch, rest } =
      this.#limits.rowsPerBatch === 1 ? this.#nextInTurn() : nextBatch(this.#waiting, this.#limits);
    this.#waiting = rest;
    for (const { merchant } of batch) this.#waitingOf.add(merchant, -1);
    return batch;
  }

  /** The merchant never served, or served longest ago, comes first. */
  #nextInTurn(): { batch: Caller<Row, Result>[]; rest: Caller<Row, Result>[] } {
    const lastTurn = ({ merchant }: Caller<Row, Result>) => this.#lastTurns.get(merchant) ?? 0;
    const next = this.#waiting.reduce((first, one) => (lastTurn(one) < lastTurn(first) ? one : first));
    this.#turns += 1;
    // Remembered even after its last row: a merchant that returns at once would always be first.
    this.#lastTurns.delete(next.merchant);
    this.#lastTurns.set(next.merchant, this.#turns);
    const [longestAgo] = this.#lastTurns.keys();
    if (this.#lastTurns.size > MOST_TURNS && longestAgo !== undefined) this.#lastTurns.delete(longestAgo);
    return { batch: [next], rest: this.#waiting.filter((one) => one !== next) };
  }

  async #run(batch: Caller<Row, Result>[]): Promise<void> {
    this.#statementsInFlight += 1;
    try {
      await this.#writeTogether(batch);
    } finally {
      this.#statementsInFlight -= 1;
      if (this.#waiting.length > 0) this.#planStart();
    }
  }

  async #writeTogether(batch: Caller<Row, Result>[]): Promise<void> {
    const { name } = this.#options;
    const error = await this.#writeUntilDeadline(batch);
    if (error === null) return;
    const isOwn = batch.length === 1 && !isWorthAnotherTry(error);
    if (isOwn || error instanceof Overloaded) return refuse(batch, error, name);
    for (const caller of batch) {
      const ownError = await this.#writeUntilDeadline([caller]);
      if (ownError !== null) refuse([caller], ownError, name);
    }
  }

  /**
   * The obstacle of these rows may last, so they wait a while, hold no statement meanwhile, and then come
   * again.
   */
  #letRest(callers: readonly Caller<Row, Result>[]): null {
    for (const caller of callers) {
      this.#resting += 1;
      this.#waitingOf.add(caller.merchant, 1);
      setTimeout(() => {
        this.#resting -= 1;
        this.#waiting.push(caller);
        this.#planStart();
      }, caller.restMilliseconds);
      caller.restMilliseconds = Math.min(caller.restMilliseconds * 2, LONGEST_PAUSE_MILLISECONDS);
    }
    return null;
  }

  #writeRows(callers: readonly Caller<Row, Result>[]) {
    const { name, write } = this.#options;
    const rows = callers.map((caller) => caller.row);
    const deadlines = callers.map((caller) => caller.deadline);
    const spans = callers.map((caller) => caller.span);
    return tracedTogether(name, spans, () => write(rows, deadlines));
  }

  /** Null when every caller was answered or comes again; else the error of a rolled-back statement. */
  async #writeUntilDeadline(batch: Caller<Row, Result>[]): Promise<unknown> {
    const options = this.#options;
    let callers = batch;
    let pauseMilliseconds = FIRST_PAUSE_MILLISECONDS;
    while (true) {
      callers = callers.filter((caller) => caller.state !== 'gone');
      if (callers.length === 0) return null;
      const watch = { mayHaveWritten: false };
      try {
        for (const caller of callers) if (caller.state === 'waiting') caller.state = 'sent';
        const results = await watchWrites(watch, () => this.#writeRows(callers));
        options.onBatch?.(callers.length);
        answer(callers, results, options);
        return null;
      } catch (error) {
        noteFailure(callers, error, watch, options.mustBeWritten === true);
        if (error instanceof PassingFault && callers.every(({ state }) => state === 'waiting'))
          return this.#letRest(callers);
        const isInDoubt = callers.some((caller) => caller.state === 'inDoubt');
        if (!(error instanceof DatabaseUnavailable || (isInDoubt && isWorthAnotherTry(error)))) return error;
      }
      await new Promise((wake) => setTimeout(wake, pauseMilliseconds));
      pauseMilliseconds = Math.min(pauseMilliseconds * 2, LONGEST_PAUSE_MILLISECONDS);
    }
  }
}

/**
 * After a failed write its rows are in doubt unless certainly not written. Those fail at once, except rows
 * that must be written and passing faults.
 */
function noteFailure<Row, Result>(
  callers: readonly Caller<Row, Result>[],
  error: unknown,
  { mayHaveWritten }: WriteWatch,
  mustBeWritten: boolean,
): void {
  const isRepeated = mustBeWritten || error instanceof PassingFault;
  for (const caller of callers) {
    if (caller.state !== 'sent') continue;
    if (mayHaveWritten || error instanceof CommitUnknown) caller.state = 'inDoubt';
    else if (isRepeated) caller.state = 'waiting';
    else if (error instanceof DatabaseUnavailable) {
      caller.state = 'gone';
      caller.reject(error);
    }
  }
}

function answer<Row, Result>(
  callers: readonly Caller<Row, Result>[],
  results: ReadonlyMap<string, Result | typeof NOT_WRITTEN>,
  { name, isRefusal }: BatchedWriteOptions<Row, Result>,
): void {
  for (const caller of callers) {
    const result = results.get(caller.key);
    // A missing result is a bug of `write` and proves nothing about the commit: the row is in doubt.
    if (result === undefined) {
      caller.reject(new CommitUnknown(`${name}: the statement gave no result for a row`));
    } else if (caller.state === 'inDoubt' && (result === NOT_WRITTEN || isRefusal(result))) {
      caller.reject(new CommitUnknown(`${name}: refused, but an earlier try may still arrive`));
    } else if (result === NOT_WRITTEN) {
      caller.reject(new Overloaded(`${name}: it came too late, or what stood in its way has gone`));
    } else caller.resolve(result);
  }
}

/** A row whose statement was not sent by the deadline is certainly not written. */
function giveUp<Row, Result>(caller: Caller<Row, Result>, name: string): void {
  caller.reject(
    caller.state === 'waiting'
      ? new Overloaded(`${name}: the deadline came before the row's turn`)
      : new CommitUnknown(`${name}: the database gave no answer until the deadline`),
  );
  caller.state = 'gone';
}

/** A rollback proves nothing for a row that an earlier, lost try may still commit: it stays in doubt. */
function refuse<Row, Result>(callers: readonly Caller<Row, Result>[], error: unknown, name: string): void {
  for (const caller of callers) {
    if (caller.state === 'inDoubt') {
      caller.reject(new CommitUnknown(`${name}: an earlier try may have been committed`, { cause: error }));
    } else if (isWorthAnotherTry(error) && !(error instanceof Overloaded)) {
      caller.reject(new Overloaded(`${name}: rolled back, for others held what it needs`, { cause: error }));
    } else caller.reject(error);
    caller.state = 'gone';
  }
}

type SingleWriteOptions<Row, Result> = Omit<BatchedWriteOptions<Row, Result>, 'write' | 'limits'> & {
  readonly limits: Pick<BatchedWriteLimits, 'statementsInFlight' | 'waitingCallers'>;
  readonly write: (row: Row, deadline: Deadline) => Promise<Result>;
};

/** Makes options for rows that need a commit each. */
export function oneByOne<Row, Result>({
  limits,
  write,
  ...options
}: SingleWriteOptions<Row, Result>): BatchedWriteOptions<Row, Result> {
  return {
    ...options,
    limits: { ...limits, rowsPerBatch: 1 },
    async write(rows, deadlines) {
      const results = new Map<string, Result>();
      for (const [index, row] of rows.entries())
        results.set(options.key(row), await write(row, deadlines[index] as Deadline));
      return results;
    },
  };
}
