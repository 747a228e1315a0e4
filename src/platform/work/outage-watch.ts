import { isHeard, type UnclearCause } from '../channels/unclear.ts';

export type Asked = {
  readonly merchantId: string;
  readonly provider: string;
};

/** Decides whether a provider of a kind is away, how often to ask it, and when it is back. */
export type OutageWatch = {
  observe(isAnswered: boolean, asked: Asked): void;
  /** The provider answered a look-up or a charge, which says nothing of what is sent behind a look-up. */
  observeLook(asked: Asked): void;
  /**
   * The provider answered a look-up, and was silent about what was asked behind it. Such requests mean away
   * when there are several of them: one may be at fault itself, however often it is asked for.
   */
  observePart(request: string, asked: Asked): void;
  /** A request of `observePart` is over, however that was found. */
  observeEnd(request: string, provider: string): void;
  isAway(provider: string): boolean;
  /** The provider answers nothing at all. Without a name: every provider does. */
  isMute(provider?: string): boolean;
  /** Seconds since the provider was found to be away; 0: it is not. */
  awaySeconds(provider: string): number;
  /**
   * False: this provider is mute while others answer, and it is not time to ask it again. When it is time,
   * one call gets true and is the probe; no other begins until its result is observed, or for a minute.
   */
  mayAsk(asked: Asked): boolean;
  /**
   * Runs what is sent behind a look-up. Null, and not run: this provider is away while others answer, and has
   * a few such requests under way already.
   */
  send<Answer>(request: string, provider: string, run: () => Promise<Answer>): Promise<Answer | null>;
  /** While every provider is mute: the only merchant without answers. Null: mute for all, or not at all. */
  onlySilentFor(): string | null;
  /** While every provider is mute, the milliseconds until one may be asked; 0: now, or one is not mute. */
  millisecondsUntilProbe(): number;
  /** Until postponed work is pulled forward for a provider that is back; null: none is back. */
  millisecondsUntilReturn(): number | null;
  takeReturn(): boolean;
};

export type OutageLimits = {
  /** How many unanswered queries in a row mean that a provider is away. */
  readonly unresolvedInRow: number;
  /** The pause from the end of one query to a provider that is away until the next. */
  readonly probePauseMilliseconds: number;
  /** A flapping provider counts as returned at most this often. */
  readonly returnPauseMilliseconds: number;
};

export type OutageNews = { readonly provider: string; readonly isAway: boolean };

/**
 * How long a probe may stay without a result until another may begin: longer than two queries to a provider
 * that answers nothing.
 */
const PROBE_MILLISECONDS = 60_000;

/**
 * How long a silence is remembered that no query confirms: longer than anything unanswered waits to be asked
 * about again, watched charges too.
 */
const FORGOTTEN_MILLISECONDS = 2_700_000;

/**
 * The most requests behind a look-up under way at a provider that is away: each may wait for a whole time-out
 * in a slot that those of other providers need.
 */
const MOST_AT_ONCE_WHILE_AWAY = 4;
/** How many requests of one provider without an answer are remembered by name. */
const MOST_PARTS = 1_000;

/**
 * Tells the watch of an answer. One that was not asked for says nothing of its provider. `isLook`: no more
 * than a look-up was asked.
 */
export function observeAnswer(
  outage: Pick<OutageWatch, 'observe' | 'observeLook' | 'observePart'>,
  answer: { readonly kind: string; readonly cause?: UnclearCause },
  asked: Asked,
  request: string,
  isLook = false,
): void {
  const { kind, cause } = answer;
  if (kind === 'notSent' || cause === 'notAsked') return;
  if (cause === 'partly') outage.observePart(request, asked);
  else if (isLook && isHeard(answer)) outage.observeLook(asked);
  else outage.observe(isHeard(answer), asked);
}

type Silence = {
  inRow: number;
  /**
   * Requests that were answered in part and are not over, with the moment of the last such answer. Emptied
   * when one is answered whole.
   */
  readonly parts: Map<string, number>;
  begunAt: number;
  lastAt: number;
  /** The only merchant of the unanswered queries; null: several. */
  merchantId: string | null;
  probeAt: number;
  /** `send` refused something that was looked up: it waits for the provider's return. */
  hasHeldBack: boolean;
};

/**
 * `returned`: called when a provider answers again; not when one is forgotten because nobody asks it any
 * more.
 */
function openSilences(
  { unresolvedInRow, probePauseMilliseconds }: OutageLimits,
  tell: (news: OutageNews) => void,
  returned: () => void,
  now: () => number,
) {
  const silences = new Map<string, Silence>();
  /**
   * Whether the provider answers nothing at all. One that answers in part is asked as before: a look-up may
   * be all that is needed.
   */
  const isMute = (silence: Silence | undefined): silence is Silence =>
    silence !== undefined && silence.inRow >= unresolvedInRow;
  const isSilent = (silence: Silence | undefined): silence is Silence =>
    silence !== undefined && (silence.inRow >= unresolvedInRow || silence.parts.size >= unresolvedInRow);
  /**
   * The silence of a provider, read by all methods of the watch. It first forgets what is too old: a provider
   * that is asked nothing any more, and a request that was ended elsewhere.
   */
  function silenceOf(provider: string): Silence | undefined {
    const silence = silences.get(provider);
    if (silence === undefined) return undefined;
    const wasAway = isSilent(silence);
    for (const [request, lastAt] of silence.parts) {
      if (now() - lastAt < FORGOTTEN_MILLISECONDS) break;
      silence.parts.delete(request);
    }
    const isOver = silence.inRow === 0 && silence.parts.size === 0;
    if (isOver || now() - silence.lastAt >= FORGOTTEN_MILLISECONDS) silences.delete(provider);
    const left = silences.get(provider);
    if (!wasAway || isSilent(left)) return left;
    silence.hasHeldBack = false;
    tell({ provider, isAway: false });
    return left;
  }
  function tellOf(provider: string, change: (before: Silence | undefined) => void): void {
    const before = silenceOf(provider);
    const [wasMute, wasAway] = [isMute(before), isSilent(before)];
    change(before);
    const silence = silences.get(provider);
    const isAway = isSilent(silence);
    const isBack = before?.hasHeldBack === true && !isAway;
    if (isBack) before.hasHeldBack = false;
    if (isBack || (wasMute && !isMute(silence))) returned();
    if (isAway === wasAway) return;
    if (isAway) silence.begunAt = now();
    tell({ provider, isAway });
  }
  function goOn({ merchantId, provider }: Asked, count: (silence: Silence) => void): void {
    tellOf(provider, (before) => {
      const times = { begunAt: 0, lastAt: 0, probeAt: 0 };
      const none = { inRow: 0, parts: new Map<string, number>(), merchantId, hasHeldBack: false, ...times };
      const lasting = before ?? none;
      silences.set(provider, lasting);
      count(lasting);
      lasting.lastAt = now();
      lasting.probeAt = lasting.lastAt + probePauseMilliseconds;
      if (lasting.merchantId !== merchantId) lasting.merchantId = null;
    });
  }
  function end(provider: string, change: (silence: Silence) => void): void {
    tellOf(provider, (silence) => silence && change(silence));
  }
  return { isMute, isSilent, silenceOf, goOn, end };
}

function endRow(silence: Silence): void {
  silence.inRow = 0;
}

function endWhole(silence: Silence): void {
  endRow(silence);
  silence.parts.clear();
}

/** Counts the requests under way at each provider. */
function openUnderWay() {
  const counts = new Map<string, number>();
  const at = (provider: string) => counts.get(provider) ?? 0;
  return {
    at,
    async run<Answer>(provider: string, run: () => Promise<Answer>): Promise<Answer> {
      counts.set(provider, at(provider) + 1);
      try {
        return await run();
      } finally {
        counts.set(provider, at(provider) - 1);
      }
    },
  };
}

/** `providers`: all names, including those not asked yet. */
export function openOutageWatch(
  limits: OutageLimits,
  providers: () => readonly string[],
  tell: (news: OutageNews) => void,
  now = () => performance.now(),
): OutageWatch {
  let hasReturned = false;
  let returnAt = 0;
  const returned = () => {
    hasReturned = true;
  };
  const { isMute, isSilent, silenceOf, goOn, end } = openSilences(limits, tell, returned, now);
  const areAll = (are: (silence: Silence | undefined) => boolean) => {
    const all = providers().map(silenceOf);
    return all.length > 0 && all.every(are);
  };
  function mayAsk({ merchantId, provider }: Asked): boolean {
    const silence = silenceOf(provider);
    if (!isMute(silence) || areAll(isMute)) return true;
    if (silence.merchantId !== null && silence.merchantId !== merchantId) return true;
    if (now() < silence.probeAt) return false;
    silence.probeAt = now() + PROBE_MILLISECONDS;
    return true;
  }
  const underWay = openUnderWay();
  /** A provider silent for one merchant alone holds nothing back: the merchant has its share of slots. */
  function isFull(provider: string, silence: Silence): boolean {
    if (!isSilent(silence) || silence.merchantId !== null || areAll(isSilent)) return false;
    return underWay.at(provider) >= MOST_AT_ONCE_WHILE_AWAY;
  }
  return {
    observe(isAnswered, asked) {
      if (isAnswered) return end(asked.provider, endWhole);
      goOn(asked, (silence) => {
        silence.inRow += 1;
      });
    },
    observeLook: ({ provider }) => end(provider, endRow),
    observeEnd: (request, provider) => end(provider, ({ parts }) => void parts.delete(request)),
    observePart: (request, asked) =>
      goOn(asked, (silence) => {
        silence.inRow = 0;
        silence.parts.delete(request);
        if (silence.parts.size < MOST_PARTS) silence.parts.set(request, now());
      }),
    isAway: (provider) => isSilent(silenceOf(provider)),
    isMute: (provider) => (provider === undefined ? areAll(isMute) : isMute(silenceOf(provider))),
    awaySeconds(provider) {
      const silence = silenceOf(provider);
      return isSilent(silence) ? (now() - silence.begunAt) / 1_000 : 0;
    },
    mayAsk,
    async send(request, provider, run) {
      const silence = silenceOf(provider);
      if (silence === undefined || !isFull(provider, silence)) return underWay.run(provider, run);
      silence.hasHeldBack = true;
      if (silence.parts.delete(request)) silence.parts.set(request, now());
      return null;
    },
    onlySilentFor() {
      if (!areAll(isMute)) return null;
      const merchants = new Set(providers().map((name) => silenceOf(name)?.merchantId ?? null));
      return merchants.size === 1 ? ([...merchants][0] ?? null) : null;
    },
    millisecondsUntilProbe() {
      if (!areAll(isMute)) return 0;
      const probes = providers().map((name) => silenceOf(name)?.probeAt ?? 0);
      return Math.max(0, Math.min(...probes) - now());
    },
    millisecondsUntilReturn: () => (hasReturned && !areAll(isMute) ? Math.max(0, returnAt - now()) : null),
    takeReturn() {
      if (!hasReturned || areAll(isMute) || now() < returnAt) return false;
      hasReturned = false;
      returnAt = now() + limits.returnPauseMilliseconds;
      return true;
    },
  };
}
