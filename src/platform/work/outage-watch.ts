/**
 * Decides from answers and silences whether another system is away, how often to ask it, and when
 * it has returned.
 */
export type OutageWatch = {
  /** One question about something of this merchant was answered clearly, or was not. */
  observe(isAnswered: boolean, merchantId: string): void;
  isAway(): boolean;
  /**
   * The only merchant whose questions were not answered, while away: they may be asked what concerns
   * others as ever. Null: they are away for all merchants, or not at all.
   */
  onlySilentFor(): string | null;
  /** Milliseconds until somebody who is away may be asked again; 0: now. */
  millisecondsUntilProbe(): number;
  /** Milliseconds until `takeReturn` says that they came back; null: they did not. */
  millisecondsUntilReturn(): number | null;
  /** Whether they came back since this was asked last. */
  takeReturn(): boolean;
};

export type OutageLimits = {
  /** After so many unanswered requests in a row it is away. */
  readonly unresolvedInRow: number;
  /** Between the end of one question to somebody who is away and the next. */
  readonly probePauseMilliseconds: number;
  /** A system that comes and goes counts as returned this often at most. */
  readonly returnPauseMilliseconds: number;
};

/** How an outage is told: when it begins, once a minute while questions are not answered, when it is over. */
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
  /** Of the row: its merchant while that is the same; null: several. */
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
