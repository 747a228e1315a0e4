import { setTimeout as wait } from 'node:timers/promises';

/**
 * Reads what may take longer than a page waits: it is read on, and the next one who asks for the same gets
 * it. What was not late is read anew each time; where no more may be read on, a page waits longer.
 * `key` names all that `read` depends on beside the merchant, and nothing of who asks: all get the same.
 * What went wrong is thrown to the next one who asks, and to all for as long as it would have been kept, up
 * to `staleMilliseconds`, unless something was read before.
 */
export type PreparedReads<Value> = (
  merchantId: string,
  key: string,
  read: () => Promise<Value>,
) => Promise<Prepared<Value>>;

/** `underWay`: it is not there yet. `keptSince`: when it was read, real milliseconds; null: just now. */
export type Prepared<Value> = { readonly value: Value; readonly keptSince: number | null } | 'underWay';

export type PreparedReadsOptions = {
  /** So long it is waited for before `underWay` is said, or what was read before is given. */
  readonly patienceMilliseconds: number;
  /**
   * 20: after a read of half a second the same is given for ten seconds without another one, so that a page
   * that is left open costs a twentieth of a core at most.
   */
  readonly freshTimes: number;
  readonly mostFreshMilliseconds: number;
  /** So long after that it is still given while it is read anew. */
  readonly staleMilliseconds: number;
  readonly mostKept: number;
  /** So many are read on behind their pages. */
  readonly mostReadOn: number;
  readonly mostOfMerchant: number;
  /** So long it is waited for where as many are read on already; the read itself has its turns. */
  readonly longestPatienceMilliseconds: number;
  /** Of what was read on: nobody may ask for it again. */
  readonly onFailure: (error: unknown) => void;
};

type Kept<Value> = {
  readonly merchantId: string;
  /** Null: nothing is under way. */
  reading: Promise<Value> | null;
  /** It took longer than somebody waits. */
  isLate: boolean;
  /** What was read last; null: nothing yet. */
  last: { readonly value: Value; readonly keptSince: number } | null;
  /** Of a read that nobody waited for; null: it went well. */
  failure: { readonly of: unknown } | null;
  /** Monotonic milliseconds. */
  freshUntil: number;
};

export function preparedReads<Value>(options: PreparedReadsOptions): PreparedReads<Value> {
  // In the order in which they were asked for last.
  const known = new Map<string, Kept<Value>>();

  function tidy(now: number): void {
    const over = [...known].filter(([, { reading }]) => reading === null);
    const surplus = over.length - options.mostKept;
    for (const [index, [key, { freshUntil }]] of over.entries())
      if (index < surplus || freshUntil + options.staleMilliseconds <= now) known.delete(key);
  }

  function mayReadOn(merchantId: string): boolean {
    const late = [...known.values()].filter(({ reading, isLate }) => reading !== null && isLate);
    const ofMerchant = late.filter((one) => one.merchantId === merchantId);
    return late.length < options.mostReadOn && ofMerchant.length < options.mostOfMerchant;
  }

  async function readOn(one: Kept<Value>, key: string, read: () => Promise<Value>): Promise<Value> {
    const beganAt = performance.now();
    let longestMilliseconds = options.mostFreshMilliseconds;
    try {
      const value = await read();
      one.last = { value, keptSince: Date.now() };
      return value;
    } catch (error) {
      if (one.isLate) options.onFailure(error);
      if (one.last === null) one.failure = { of: error };
      longestMilliseconds = options.staleMilliseconds;
      throw error;
    } finally {
      one.reading = null;
      const now = performance.now();
      one.freshUntil = now + Math.min(options.freshTimes * (now - beganAt), longestMilliseconds);
      if (!one.isLate) known.delete(key);
    }
  }

  function begin(one: Kept<Value>, key: string, read: () => Promise<Value>): Promise<Value> {
    one.isLate = false;
    one.reading = readOn(one, key, read);
    // Somebody else may get what went wrong.
    one.reading.catch(() => {});
    return one.reading;
  }

  return async (merchantId, key, read) => {
    const now = performance.now();
    tidy(now);
    const wanted = `${merchantId} ${key}`;
    const one = known.get(wanted) ?? {
      ...{ merchantId, reading: null, isLate: false, last: null, failure: null },
      freshUntil: 0,
    };
    known.delete(wanted);
    if (one.failure === null || now < one.freshUntil) known.set(wanted, one);
    if (one.failure !== null) throw one.failure.of;
    if (one.last !== null && now < one.freshUntil) return one.last;
    const reading = (one.reading ?? begin(one, wanted, read)).then((value) => ({ value, keptSince: null }));
    const late = wait(options.patienceMilliseconds, 'late' as const, { ref: false });
    try {
      const answer = await Promise.race([reading, late]);
      if (answer !== 'late') return answer;
    } catch (error) {
      if (one.last !== null) return one.last;
      if (performance.now() >= one.freshUntil) known.delete(wanted);
      throw error;
    }
    if (!one.isLate && !mayReadOn(merchantId)) {
      if (one.last !== null) return one.last;
      const later = wait(options.longestPatienceMilliseconds, 'late' as const, { ref: false });
      const answer = await Promise.race([reading, later]);
      if (answer !== 'late') return answer;
    }
    one.isLate = true;
    return one.last ?? 'underWay';
  };
}

/**
 * Reads again for each caller, one read at a time. A read that is under way may have begun before
 * the caller's cause: so callers during a read share the one that follows it, and never wait for
 * more than two.
 */
export function freshReads(read: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | null = null;
  let following: Promise<void> | null = null;

  function begin(): Promise<void> {
    const reading = read().finally(() => {
      if (underWay === reading) underWay = null;
    });
    underWay = reading;
    return reading;
  }

  return () => {
    if (underWay === null) return begin();
    following ??= underWay
      .catch(() => {})
      .then(() => {
        following = null;
        return begin();
      });
    return following;
  };
}

/**
 * What many callers look at and nobody needs to the second: the last answer while it is young, else one
 * read for all who wait for it.
 */
export function keptRead<Value>(milliseconds: number, read: () => Promise<Value>): () => Promise<Value> {
  let kept: { readonly value: Value; readonly until: number } | null = null;
  let underWay: Promise<Value> | null = null;

  async function begin(): Promise<Value> {
    const value = await read();
    kept = { value, until: performance.now() + milliseconds };
    return value;
  }

  return async () => {
    if (kept !== null && performance.now() < kept.until) return kept.value;
    underWay ??= begin().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
