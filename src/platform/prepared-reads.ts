import { setTimeout as wait } from 'node:timers/promises';

/**
 * Reads that may take longer than a page waits: a late read continues, and the next caller gets its result.
 * `key` names everything that `read` depends on beside the merchant, and nothing of the caller. An error is
 * thrown to the next caller, and to all for up to `staleMilliseconds`, unless an older value is kept.
 */
export type PreparedReads<Value> = (
  merchantId: string,
  key: string,
  read: () => Promise<Value>,
) => Promise<Prepared<Value>>;

/** `underWay`: not read yet. `keptSince`: real milliseconds; null: just read. */
export type Prepared<Value> = { readonly value: Value; readonly keptSince: number | null } | 'underWay';

export type PreparedReadsOptions = {
  /** The wait before a caller gets `underWay` or an older value. */
  readonly patienceMilliseconds: number;
  /**
   * How many times its own duration a read stays fresh. With 20, a read of half a second is kept for ten: an
   * open page costs at most a twentieth of a core.
   */
  readonly freshTimes: number;
  readonly mostFreshMilliseconds: number;
  /** How long after it was fresh an older value is still given while it is read again. */
  readonly staleMilliseconds: number;
  readonly mostKept: number;
  /** The most reads that continue without a waiting page. */
  readonly mostReadOn: number;
  readonly mostOfMerchant: number;
  /** How long a caller waits when no more reads may continue without one. */
  readonly longestPatienceMilliseconds: number;
  /** Errors of continued reads: perhaps nobody asks for them again. */
  readonly onFailure: (error: unknown) => void;
};

type Kept<Value> = {
  readonly merchantId: string;
  reading: Promise<Value> | null;
  /** Whether the read takes longer than a caller's patience. */
  isLate: boolean;
  last: { readonly value: Value; readonly keptSince: number } | null;
  /** The error of a read whose callers have left. */
  failure: { readonly of: unknown } | null;
  freshUntil: number;
};

export function preparedReads<Value>(options: PreparedReadsOptions): PreparedReads<Value> {
  // In the order in which they were last asked for.
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
    // The error goes to whoever awaits the read, perhaps a later caller: it must not end the process here.
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
 * Makes `read` safe for many callers: one read at a time. Callers during a read share the next one, because
 * the running one may be too old.
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

/** Gives the last value while it is young; else one read serves all waiting callers. */
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
