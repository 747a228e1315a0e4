/** Decides whether another system is away, how often to ask it, and when it is back. */
export type OutageWatch = {
  /** One query about this merchant was answered clearly, or not. */
  observe(isAnswered: boolean, merchantId: string): void;
  isAway(): boolean;
  /** While away: the only merchant without answers. Null: away for all merchants, or not at all. */
  onlySilentFor(): string | null;
  /** Milliseconds until the next query while away; 0: now. */
  millisecondsUntilProbe(): number;
  /** Milliseconds until `takeReturn` gives true; null: not back. */
  millisecondsUntilReturn(): number | null;
  takeReturn(): boolean;
};

export type OutageLimits = {
  /** Unanswered queries in a row that mean away. */
  readonly unresolvedInRow: number;
  /** Between the end of one query while away and the next. */
  readonly probePauseMilliseconds: number;
  /** A flapping system counts as returned at most this often. */
  readonly returnPauseMilliseconds: number;
};

/** Reported at begin, once a minute while queries are unanswered, and at the end. */
export type OutageNews = { readonly state: 'begun' | 'lasts' | 'over'; readonly seconds: number };

const NEWS_MILLISECONDS = 60_000;

export function openOutageWatch(
  { unresolvedInRow, probePauseMilliseconds, returnPauseMilliseconds }: OutageLimits,
  tell: (news: OutageNews) => void,
  now = () => performance.now(),
): OutageWatch {
  let inRow = 0;
  let begunAt = 0;
  let toldAt = 0;
  let ofRow: string | null = null;
  let probeAt = 0;
  let hasReturned = false;
  let returnAt = 0;
  const isAway = () => inRow >= unresolvedInRow;
  return {
    observe(isAnswered, merchantId) {
      const wasAway = isAway();
      ofRow = inRow === 0 || ofRow === merchantId ? merchantId : null;
      inRow = isAnswered ? 0 : inRow + 1;
      if (!isAnswered) probeAt = now() + probePauseMilliseconds;
      if (!wasAway && !isAway()) return;
      if (!wasAway) begunAt = now();
      if (wasAway && !isAway()) hasReturned = true;
      const state = !wasAway ? 'begun' : isAway() ? 'lasts' : 'over';
      if (state === 'lasts' && now() - toldAt < NEWS_MILLISECONDS) return;
      toldAt = now();
      tell({ state, seconds: Math.round((toldAt - begunAt) / 1_000) });
    },
    isAway,
    onlySilentFor: () => (isAway() ? ofRow : null),
    millisecondsUntilProbe: () => (isAway() ? Math.max(0, probeAt - now()) : 0),
    millisecondsUntilReturn: () => (hasReturned && !isAway() ? Math.max(0, returnAt - now()) : null),
    takeReturn() {
      if (!hasReturned || isAway() || now() < returnAt) return false;
      hasReturned = false;
      returnAt = now() + returnPauseMilliseconds;
      return true;
    },
  };
}
