/** A token bucket for each caller, filled at a steady rate. Real time, in this process only. */
export type RateLimit = {
  /** Takes a token and gives 0, or gives the seconds to wait for one. `now`: monotonic milliseconds. */
  secondsToWait(caller: string, now: number): number;
  /** Returns a token that was taken and not used. */
  giveBack(caller: string): void;
};

const MOST_CALLERS = 50_000;
const BURST_SECONDS = 2;

export function rateLimit(perSecond: number, burstSeconds = BURST_SECONDS): RateLimit {
  const buckets = new Map<string, { left: number; at: number }>();
  const capacity = Math.max(1, perSecond * burstSeconds);
  return {
    secondsToWait(caller, now) {
      let bucket = buckets.get(caller);
      if (bucket === undefined) {
        if (buckets.size >= MOST_CALLERS) buckets.clear();
        bucket = { left: capacity, at: now };
        buckets.set(caller, bucket);
      }
      bucket.left = Math.min(capacity, bucket.left + ((now - bucket.at) / 1_000) * perSecond);
      bucket.at = now;
      if (bucket.left < 1) return Math.max(1, Math.ceil((1 - bucket.left) / perSecond));
      bucket.left -= 1;
      return 0;
    },
    giveBack(caller) {
      const bucket = buckets.get(caller);
      if (bucket !== undefined) bucket.left = Math.min(capacity, bucket.left + 1);
    },
  };
}
