import { isHeard, type UnclearCause } from '../channels/unclear.ts';

export type Asked = {
  readonly merchantId: string;
  readonly provider: string;
};

/** Decides whether a provider of a kind is away, how often to ask it, and when it is back. */
export type OutageWatch = {
  observe(isAnswered: boolean, asked: Asked): void;
  /** The provider answered a look-up, which says nothing of what is asked behind one. */
  observeLook(asked: Asked): void;
  /**
   * The provider answered a look-up, and was silent about what was asked behind it. Such requests mean away
   * when there are several of them: one may be at fault itself, however often it is asked for.
   */
  observePart(request: string, asked: Asked): void;
  isAway(provider: string): boolean;
  /** Every provider answers nothing at all. */
  areAllMute(): boolean;
  /** Since the provider was found to be away; 0: it is not. */
  awaySeconds(provider: string): number;
  /**
   * False: this provider is mute while others answer, and it is not time to ask it again. True may be a
   * probe, which counts as under way until its result is observed, or for a minute.
   */
  mayAsk(asked: Asked): boolean;
  /** Null, and nothing is run: it may not be asked, or is away while others are not, and a few ask it. */
  ask<Answer>(asked: Asked, run: () => Promise<Answer>): Promise<Answer | null>;
  /** While every provider is mute: the only merchant without answers. Null: mute for all, or not at all. */
  onlySilentFor(): string | null;
  /** While every provider is mute; 0: now. */
  millisecondsUntilProbe(): number;
  /** Null: not back. */
  millisecondsUntilReturn(): number | null;
  takeReturn(): boolean;
};

export type OutageLimits = {
  /** Unanswered queries in a row that mean away. */
  readonly unresolvedInRow: number;
  /** From the end of one query while away to the next. */
  readonly probePauseMilliseconds: number;
  /** A flapping provider counts as returned at most this often. */
  readonly returnPauseMilliseconds: number;
};

export type OutageNews = { readonly provider: string; readonly isAway: boolean };

/** Longer than two queries to a provider that answers nothing. */
const PROBE_MILLISECONDS = 60_000;

/** Longer than anything waits, watched charges too: nothing is left that it could answer. */
const FORGOTTEN_MILLISECONDS = 2_700_000;

/** Each may wait for a whole time-out in a slot that those of other providers need. */
const MOST_AT_ONCE_WHILE_AWAY = 4;

/** What was not asked says nothing of its provider. `isLook`: no more than a look-up was asked. */
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
  /** Requests that were answered in part, each once, since one was answered behind its look-up. */
  readonly parts: Set<string>;
  begunAt: number;
  lastAt: number;
  /** The only merchant of these queries; null: several. */
  merchantId: string | null;
  probeAt: number;
};

/** `returned`: called for one that has answered again; not for one that is asked nothing any more. */
function openSilences(
  { unresolvedInRow, probePauseMilliseconds }: OutageLimits,
  tell: (news: OutageNews) => void,
  returned: () => void,
  now: () => number,
) {
  const silences = new Map<string, Silence>();
  /** It answers nothing at all. Else it is asked as before: a look-up may be all that is needed. */
  const isMute = (silence: Silence | undefined): silence is Silence =>
    silence !== undefined && silence.inRow >= unresolvedInRow;
  const isSilent = (silence: Silence | undefined): silence is Silence =>
    silence !== undefined && (silence.inRow >= unresolvedInRow || silence.parts.size >= unresolvedInRow);
  /** Of a provider that is asked nothing any more nothing is known. Every look at the watch comes here. */
  function silenceOf(provider: string): Silence | undefined {
    const silence = silences.get(provider);
    if (silence === undefined || now() - silence.lastAt < FORGOTTEN_MILLISECONDS) return silence;
    silences.delete(provider);
    if (isSilent(silence)) tell({ provider, isAway: false });
    return undefined;
  }
  function tellOf(provider: string, change: (before: Silence | undefined) => void): void {
    const before = silenceOf(provider);
    const [wasMute, wasAway] = [isMute(before), isSilent(before)];
    change(before);
    const silence = silences.get(provider);
    const isAway = isSilent(silence);
    if ((wasMute && !isMute(silence)) || (wasAway && !isAway)) returned();
    if (isAway === wasAway) return;
    if (isAway) silence.begunAt = now();
    tell({ provider, isAway });
  }
  function goOn({ merchantId, provider }: Asked, count: (silence: Silence) => void): void {
    tellOf(provider, (before) => {
      const none = { inRow: 0, parts: new Set<string>(), begunAt: 0, lastAt: 0, merchantId, probeAt: 0 };
      const lasting = before ?? none;
      silences.set(provider, lasting);
      count(lasting);
      lasting.lastAt = now();
      lasting.probeAt = lasting.lastAt + probePauseMilliseconds;
      if (lasting.merchantId !== merchantId) lasting.merchantId = null;
    });
  }
  /** `isWhole`: also what was silent behind a look-up. */
  function end(provider: string, isWhole: boolean): void {
    tellOf(provider, (silence) => {
      if (silence === undefined) return;
      silence.inRow = 0;
      if (isWhole || silence.parts.size === 0) silences.delete(provider);
    });
  }
  return { isMute, isSilent, silenceOf, goOn, end };
}

/** How many are asked at each provider now. */
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
  const isOfOneOther = (silence: Silence, merchantId: string) =>
    silence.merchantId !== null && silence.merchantId !== merchantId;
  function mayAsk({ merchantId, provider }: Asked): boolean {
    const silence = silenceOf(provider);
    if (!isMute(silence) || areAll(isMute) || isOfOneOther(silence, merchantId)) return true;
    if (now() < silence.probeAt) return false;
    silence.probeAt = now() + PROBE_MILLISECONDS;
    return true;
  }
  const underWay = openUnderWay();
  function isFull({ merchantId, provider }: Asked): boolean {
    const silence = silenceOf(provider);
    if (!isSilent(silence) || areAll(isSilent) || isOfOneOther(silence, merchantId)) return false;
    return underWay.at(provider) >= MOST_AT_ONCE_WHILE_AWAY;
  }
  return {
    observe(isAnswered, asked) {
      if (isAnswered) return end(asked.provider, true);
      goOn(asked, (silence) => {
        silence.inRow += 1;
      });
    },
    observeLook: ({ provider }) => end(provider, false),
    observePart: (request, asked) =>
      goOn(asked, (silence) => {
        silence.inRow = 0;
        if (silence.parts.size < limits.unresolvedInRow) silence.parts.add(request);
      }),
    isAway: (provider) => isSilent(silenceOf(provider)),
    areAllMute: () => areAll(isMute),
    awaySeconds(provider) {
      const silence = silenceOf(provider);
      return isSilent(silence) ? (now() - silence.begunAt) / 1_000 : 0;
    },
    mayAsk,
    async ask(asked, run) {
      return isFull(asked) || !mayAsk(asked) ? null : underWay.run(asked.provider, run);
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
