import { setTimeout as wait } from 'node:timers/promises';
import { Overloaded } from './work/overloaded.ts';

/**
 * What may take longer than somebody waits: it is read on, and whoever asks for the same again finds it.
 * `underWay`: it is not there yet. What nobody had to wait for is read anew each time. What goes wrong is
 * thrown to the next one who asks. Throws `Overloaded` where too much of the merchant, or of all, is under
 * way.
 */
export type PreparedReads<Value> = (
  merchantId: string,
  key: string,
  read: () => Promise<Value>,
) => Promise<Value | 'underWay'>;

export type PreparedReadsOptions = {
  /** So long it is waited for before `underWay` is said, or what was read before is given. */
  readonly patienceMilliseconds: number;
  /**
   * So many times as long as it took the same is given again without another read: whoever looks at it all
   * the time costs this part of a core at most.
   */
  readonly freshTimes: number;
  /** So long after that it is still given while it is read anew. */
  readonly staleMilliseconds: number;
  readonly mostKept: number;
  readonly mostUnderWay: number;
  readonly mostOfMerchant: number;
};

type Prepared<Value> = {
  readonly merchantId: string;
  /** Null: nothing is under way. */
  reading: Promise<Value> | null;
  /** It took longer than somebody waits. */
  isLate: boolean;
  /** What was read last; null: nothing yet. */
  value: { readonly of: Value } | null;
  /** Of a read that nobody waited for; null: it went well. */
  failure: { readonly of: unknown } | null;
  /** Monotonic milliseconds. */
  freshUntil: number;
};

export function preparedReads<Value>(options: PreparedReadsOptions): PreparedReads<Value> {
  // In the order in which they were first asked for.
  const known = new Map<string, Prepared<Value>>();

  function tidy(now: number): void {
    const over = [...known].filter(([, { reading }]) => reading === null);
    const surplus = over.length - options.mostKept;
    for (const [index, [key, { freshUntil }]] of over.entries())
      if (index < surplus || freshUntil + options.staleMilliseconds <= now) known.delete(key);
  }

  function hasPlace(merchantId: string): boolean {
    const underWay = [...known.values()].filter(({ reading }) => reading !== null);
    const ofMerchant = underWay.filter((one) => one.merchantId === merchantId);
    return underWay.length < options.mostUnderWay && ofMerchant.length < options.mostOfMerchant;
  }

  async function readOn(one: Prepared<Value>, key: string, read: () => Promise<Value>): Promise<Value> {
    const beganAt = performance.now();
    try {
      const value = await read();
      one.value = { of: value };
      return value;
    } catch (error) {
      one.failure = { of: error };
      throw error;
    } finally {
      const now = performance.now();
      one.reading = null;
      one.freshUntil = now + options.freshTimes * (now - beganAt);
      if (!one.isLate) known.delete(key);
    }
  }

  function begin(one: Prepared<Value>, key: string, read: () => Promise<Value>): Promise<Value> {
    one.isLate = false;
    one.reading = readOn(one, key, read);
    // The next one who asks gets what went wrong.
    one.reading.catch(() => {});
    return one.reading;
  }

  return async (merchantId, key, read) => {
    const now = performance.now();
    tidy(now);
    const wanted = `${merchantId} ${key}`;
    const one = known.get(wanted) ?? {
      ...{ merchantId, reading: null, isLate: false, value: null, failure: null },
      freshUntil: 0,
    };
    if (one.failure !== null) {
      known.delete(wanted);
      throw one.failure.of;
    }
    if (one.value !== null && (now < one.freshUntil || !(one.reading !== null || hasPlace(merchantId))))
      return one.value.of;
    if (one.reading === null && !hasPlace(merchantId)) throw new Overloaded('too much is being read');
    known.set(wanted, one);
    const reading = one.reading ?? begin(one, wanted, read);
    const late = wait(options.patienceMilliseconds, 'late' as const, { ref: false });
    const answer = await Promise.race([reading.then((of) => ({ of })), late]);
    if (answer !== 'late') return answer.of;
    one.isLate = true;
    return one.value === null ? 'underWay' : one.value.of;
  };
}
