import { errorTypeOf } from '../tracing/attributes.ts';
import { openStep, tracedTogether } from '../tracing/scope.ts';
import { Tally } from '../work/fair-queue.ts';
import { mayTake } from '../work/fair-share.ts';
import { Overloaded } from '../work/overloaded.ts';
import { CommitUnknown, DatabaseUnavailable, isWorthAnotherTry, PassingFault } from './database-errors.ts';
import { Deadline } from './deadline.ts';
import { type BatchedWriteLimits, type Caller, nextBatch } from './next-batch.ts';

import { noteWrite, type WriteWatch, watchOfCaller, watchWrites } from './write-watch.ts';

/**
 * Batched writes: the rows of many concurrent callers go in one statement. While a statement is in
 * flight the next callers are collected; a lone caller never waits. Measured at two to four times
 * the throughput of one statement a caller (decisions/0004).
 *
 * The rules, each with its test:
 * 1. rows go sorted by key, so that two statements lock in the same order;
 * 2. results are matched by key, never by position;
 * 3. a key stands at most once in a batch (conflicts come back as results, the `write` reads them
 *    in a second statement);
 * 4. an error splits the batch and runs its rows alone once, so that a bad row harms no other;
 *    `Overloaded` is no row's: it refuses all, which would only wait for the same in turn;
 * 5. a connection lost in the middle repeats the same rows, it never looks: looking may miss a
 *    commit that is arriving. Until such a row has its result it is in doubt, whatever error a
 *    later try meets, and a refusal is none: the lost statement may still arrive. What certainly
 *    was not written fails at once, unless it must be written; what goes through soon leaves its
 *    place to others and comes again after a rest;
 * 6. everything is bounded: rows, bytes, statements in flight, waiting callers; full means
 *    `Overloaded` at once. Of those that wait a merchant has at most as many as it leaves places;
 * 7. at most a quarter of a batch is one merchant's while others wait. Where a batch has one row,
 *    merchants take turns.
 */
export type BatchedWriteOptions<Row, Result> = {
  /** For logs and metrics. */
  readonly name: string;
  /** The primary key as sortable text: orders the batch, matches the results. */
  readonly key: (row: Row) => string;
  readonly merchant: (row: Row) => string;
  /**
   * Writes the rows durably and returns a result for every key, or `NOT_WRITTEN`. Must be
   * repeatable: the same rows again, after a lost connection, have the same results. Throws
   * `DatabaseUnavailable` when the connection breaks. `deadlines`: of the rows, in their order;
   * statements that move or promise money carry them, so that none is carried out late.
   */
  readonly write: (
    rows: readonly Row[],
    deadlines: readonly Deadline[],
  ) => Promise<ReadonlyMap<string, Result | typeof NOT_WRITTEN>>;
  /**
   * Whether a result says that nothing was written. For a row in doubt it is not final: its caller
   * gets `CommitUnknown`.
   */
  readonly isRefusal: (result: Result) => boolean;
  /**
   * Its event has happened already: while the database is away it is repeated until the deadline.
   */
  readonly mustBeWritten?: boolean;
  readonly bytes?: (row: Row) => number;
  readonly limits?: Partial<BatchedWriteLimits>;
  /** Called for each statement with the rows written, for metrics. */
  readonly onBatch?: (rows: number) => void;
};

const LIMITS: BatchedWriteLimits = {
  rowsPerBatch: 128,
  bytesPerBatch: 1024 * 1024,
  statementsInFlight: 4,
  waitingCallers: 2_000,
};

/** Of rows without a merchant: only the bound of the whole queue applies. */
export const NO_MERCHANT = '';

/**
 * After a lost connection the same rows go again, first soon, then ever more slowly, until their
 * deadlines.
 */
const FIRST_PAUSE_MILLISECONDS = 20;
const LONGEST_PAUSE_MILLISECONDS = 500;
/** Merchants whose last turn is remembered. */
const MOST_TURNS = 1_000;

/**
 * Nothing was written, for it came too late, or what stood in its way has gone meanwhile: its
 * caller may try again.
 */
export const NOT_WRITTEN = Symbol('not written');

/**
 * Resolves once the row is committed. Rejects with `Overloaded` or `DatabaseUnavailable` (nothing
 * written), `CommitUnknown`, or the row's own database error (rolled back). `deadlineAt` is on the
 * monotonic clock.
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
  /** Of those that wait and those that rest. */
  readonly #waitingOf = new Tally();
  #resting = 0;
  /** Of batches of one row: the number of each merchant's last one, while it waits. */
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

  /**
   * The start waits for the end of this turn of the event loop, so that callers woken by one answer
   * go together.
   */
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

  /** The merchant that was never served, or longest ago, is first. */
  #nextInTurn(): { batch: Caller<Row, Result>[]; rest: Caller<Row, Result>[] } {
    const lastTurn = ({ merchant }: Caller<Row, Result>) => this.#lastTurns.get(merchant) ?? 0;
    const next = this.#waiting.reduce((first, one) => (lastTurn(one) < lastTurn(first) ? one : first));
    this.#turns += 1;
    // Also behind its last row: a merchant that comes again at once would pass all others for ever.
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
   * What stands in their way may stand there for long: they come again later, and hold no statement
   * meanwhile.
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

  /**
   * Returns null when every caller was answered or will come again, or the error of a statement that
   * was rolled back.
   */
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
 * A write that failed: its rows are in doubt, unless the database certainly never wrote them. Those
 * fail at once, except rows that must be written and faults that pass soon.
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
    // A missing result is our bug, and says nothing about the commit: treat it as doubt.
    if (result === undefined) {
      caller.reject(new CommitUnknown(`${name}: the statement gave no result for a row`));
    } else if (caller.state === 'inDoubt' && (result === NOT_WRITTEN || isRefusal(result))) {
      caller.reject(new CommitUnknown(`${name}: refused, but an earlier try may still arrive`));
    } else if (result === NOT_WRITTEN) {
      caller.reject(new Overloaded(`${name}: it came too late, or what stood in its way has gone`));
    } else caller.resolve(result);
  }
}

/** The deadline came. Before its statement was sent the row was certainly not written. */
function giveUp<Row, Result>(caller: Caller<Row, Result>, name: string): void {
  caller.reject(
    caller.state === 'waiting'
      ? new Overloaded(`${name}: the deadline came before the row's turn`)
      : new CommitUnknown(`${name}: the database gave no answer until the deadline`),
  );
  caller.state = 'gone';
}

/**
 * The statement was rolled back with an error. For a row that an earlier, lost try may still commit
 * (its lock was in the way, say) this proves nothing: it stays in doubt.
 */
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

/** The `write` of rows that each have a commit of their own, one after the other. */
export async function writeOneByOne<Row, Result>(
  rows: readonly Row[],
  key: (row: Row) => string,
  write: (row: Row, index: number) => Promise<Result>,
): Promise<ReadonlyMap<string, Result>> {
  const results = new Map<string, Result>();
  for (const [index, row] of rows.entries()) results.set(key(row), await write(row, index));
  return results;
}
