import type { UnclearCause } from '../channels/unclear.ts';
import { type Outages, type PeerName, type PeerOutage, UNASKED_MILLISECONDS } from '../outages.ts';
import {
  type AnswerTime,
  type Delay,
  isAnswer,
  isSilence,
  type PeerReport,
  SLOW_MILLISECONDS,
} from './process-report.ts';

export type CallAnswer = {
  readonly kind: string;
  readonly reason?: unknown;
  /** Why there is no clear answer; default: `silent`. */
  readonly cause?: UnclearCause;
};

export type ObserveCall = (operation: Operation, answer: CallAnswer, seconds: number) => void;

export type ObserveCallsOf = (provider: string) => ObserveCall;

/** Calls in a row without an answer that may be an outage. A single one may be the call's own fault. */
const SILENT_IN_ROW = 2;

/** In a shorter silence, calls may have broken while others were answered. */
const DOUBT_MILLISECONDS = 3_000;

/**
 * How fast a provider answers is told by its newest awaited calls, `most` of them, and by no fewer than
 * `fewest`.
 */
const TIMED = { fewest: 5, most: 20 } as const;
/**
 * How many providers a report names as the slowest of a peer, and how many as last answered: its room is
 * limited.
 */
const MOST_TIMES = 10;
/**
 * How many providers that callers wait for a report names: silent ones first, then those with the longest
 * delay.
 */
const MOST_DELAYS = 6;

/**
 * What peers are asked. `ofAll`: about no single sale, so an unusable answer is not the fault of an odd sale.
 * `ofOne`: about one sale. `awaited`: about one, and a buyer or a merchant waits for the answer.
 */
const OPERATIONS = {
  about: 'ofAll',
  changes: 'ofAll',
  charges: 'ofAll',
  receipts: 'ofAll',
  returns: 'ofAll',
  list: 'ofAll',
  authorize: 'awaited',
  verify: 'awaited',
  find: 'ofOne',
  undo: 'ofOne',
  cancel: 'awaited',
  capture: 'awaited',
  findCapture: 'ofOne',
  issue: 'awaited',
  remove: 'ofOne',
  refund: 'awaited',
  findRefund: 'ofOne',
  findAuthorization: 'ofOne',
  endAuthorization: 'ofOne',
  findFirstCharge: 'ofOne',
  endFirstCharge: 'ofOne',
  collect: 'ofOne',
  findCollection: 'ofOne',
  endCollection: 'ofOne',
  dueDay: 'ofOne',
  decide: 'awaited',
} as const;
export type Operation = keyof typeof OPERATIONS;

/** The silence of one operation, in monotonic time. `since`: when the first unanswered call was made. */
type Silence = {
  readonly inRow: number;
  readonly at: number;
  readonly since: number;
  readonly reason: string;
};

type Timed = { readonly at: number; readonly seconds: number; readonly isAnswer: boolean };

/**
 * The calls of one provider. If a bridge answers while the acquirer behind it does not, only some operations
 * get answers: an answer ends the silence of its own operation only.
 */
class ProviderCalls {
  readonly #outage: PeerOutage;
  readonly #silent = new Map<Operation, Silence>();
  #timed: Timed[] = [];
  #delayedSince: number | null = null;
  /**
   * When an awaited call was last answered; null: never. `#unanswered`: the silence of awaited calls after
   * that.
   */
  answeredAt: number | null = null;
  #unanswered: Silence | null = null;

  constructor(outage: PeerOutage) {
    this.#outage = outage;
  }

  silence(operation: Operation, { at, since, reason }: Omit<Silence, 'inRow'>, seconds: number): void {
    this.#forgetOld(at);
    const after = (before: Silence | null) => ({
      ...{ inRow: (before?.inRow ?? 0) + 1, at, reason },
      since: before?.since ?? since,
    });
    if (this.#time(operation, { at, seconds, isAnswer: false })) this.#unanswered = after(this.#unanswered);
    this.#silent.set(operation, after(this.#silent.get(operation) ?? null));
    if (areInRow([...this.#silent.values()])) this.#outage.failed(reason, operation);
  }

  answer(operation: Operation, at: number, seconds: number): void {
    if (this.#time(operation, { at, seconds, isAnswer: true })) {
      this.#unanswered = null;
      this.answeredAt = at;
    }
    if (this.#silent.size === 0) return;
    this.#silent.delete(operation);
    this.#forgetOld(at);
    if (this.#silent.size === 0) this.#outage.answered();
  }

  /** The middle duration of awaited calls; null: too few were made lately, or the provider is silent. */
  answersIn(now: number): number | null {
    const middle = this.#middle(now);
    return middle === null || middle.of < TIMED.fewest ? null : middle.milliseconds;
  }

  /**
   * Since when callers wait for the provider: since the first call that had to wait, or got no answer. Null:
   * it answers in time, or is not asked.
   */
  delay(now: number): Omit<Delay, 'provider'> | null {
    const silentSince = this.#silentSince(now);
    const middle = this.#middle(now);
    const lately = this.#timed.filter(({ at }) => at > now - UNASKED_MILLISECONDS);
    // A delay ends by answers in time, however few.
    const goesOn = this.#delayedSince !== null && lately.length > 0;
    const isSlow =
      middle === null
        ? goesOn
        : (goesOn || middle.of >= TIMED.fewest) && middle.milliseconds >= SLOW_MILLISECONDS;
    const slow = lately.filter((one) => millisecondsOf(one) >= SLOW_MILLISECONDS);
    const since = silentSince ?? Math.min(...slow.map(({ at, seconds }) => at - seconds * 1_000));
    this.#delayedSince = silentSince !== null || isSlow ? (this.#delayedSince ?? since) : null;
    return this.#delayedSince === null ? null : { since: this.#delayedSince, silentSince };
  }

  /**
   * The middle duration of the newest awaited calls, and of how many (`of`); null: none was answered, or the
   * provider is silent.
   */
  #middle(now: number): { readonly milliseconds: number; readonly of: number } | null {
    const lately = this.#timed.filter(({ at }) => at > now - UNASKED_MILLISECONDS);
    const answered = middleOf(lately.filter(({ isAnswer }) => isAnswer));
    if (answered === null || this.#silentSince(now) !== null) return null;
    // A call without an answer would have taken longer still, so it counts; one that was broken off sooner
    // tells nothing.
    const telling = lately.filter((one) => one.isAnswer || one.seconds > answered.seconds);
    return { milliseconds: millisecondsOf(middleOf(telling) ?? answered), of: telling.length };
  }

  #silentSince(now: number): number | null {
    this.#forgetOld(now);
    const [silence] = withoutDoubt(this.#unanswered === null ? [] : [this.#unanswered], now);
    return silence?.since ?? null;
  }

  /** Keeps the duration of an awaited call. Gives whether the call is one. */
  #time(operation: Operation, timed: Timed): boolean {
    const isAwaited = OPERATIONS[operation] === 'awaited';
    if (isAwaited) this.#timed = [...this.#timed.slice(1 - TIMED.most), timed];
    return isAwaited;
  }

  /** The silences of all operations; empty while they may be the fault of a single call itself. */
  silences(now: number): readonly Silence[] {
    this.#forgetOld(now);
    return withoutDoubt([...this.#silent.values()], now);
  }

  #forgetOld(now: number): void {
    for (const [operation, { at }] of this.#silent)
      if (now - at > UNASKED_MILLISECONDS) this.#silent.delete(operation);
    if (this.#unanswered !== null && now - this.#unanswered.at > UNASKED_MILLISECONDS)
      this.#unanswered = null;
  }
}

function areInRow(silences: readonly Silence[]): boolean {
  return silences.reduce((sum, { inRow }) => sum + inRow, 0) >= SILENT_IN_ROW;
}

function withoutDoubt(silences: readonly Silence[], now: number): readonly Silence[] {
  const isDoubtful = silences.every(({ since }) => now - since < DOUBT_MILLISECONDS);
  return areInRow(silences) && !isDoubtful ? silences : [];
}

const millisecondsOf = ({ seconds }: Timed) => Math.round(seconds * 1_000);

function middleOf(timed: readonly Timed[]): Timed | null {
  const sorted = timed.toSorted((one, other) => one.seconds - other.seconds);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

/** The calls to all providers of a peer. */
type CallsOfPeer = {
  readonly providers: Map<string, ProviderCalls>;
  /** Since when the peer answers; null: it never did, or was silent when last asked, long ago. */
  answersSince: number | null;
  answeredAt: number | null;
  unaskedSince: number;
  /** As last seen: calls get no answer, or a circuit is open; null: neither. */
  short: Short | null;
};

/** A peer that is silent, or silent in part. `isWhole`: nothing was answered after `since`. */
type Short = { readonly isWhole: boolean; readonly since: number; readonly reason: string | null };

type SeenPeer = Pick<
  PeerReport,
  'state' | 'since' | 'answeredAt' | 'reason' | 'answersIn' | 'delays' | 'lastAnswers'
>;

/** What this process knows of the calls to all peers. Judged by monotonic time, shown in machine time. */
export class PeerCalls {
  readonly #outages: Pick<Outages, 'openPeer'>;
  readonly #now: () => number;
  readonly #clock: () => number;
  readonly #openedAt: number;
  readonly #peers = new Map<PeerName, CallsOfPeer>();

  constructor(outages: Pick<Outages, 'openPeer'>, now = () => performance.now(), clock = Date.now) {
    this.#outages = outages;
    this.#now = now;
    this.#clock = clock;
    this.#openedAt = now();
  }

  note(peer: PeerName, provider: string, operation: Operation, answer: CallAnswer, seconds: number): void {
    const { kind, reason, cause } = answer;
    const isAnswered = isAnswer(kind);
    if (cause === 'notAsked' || (!isAnswered && !isSilence(kind))) return;
    const at = this.#now();
    const of = this.#of(peer);
    // A peer that gives an odd answer about one sale is there. No silence ends by it: that the same is asked
    // again proves nothing new.
    const isOdd = !isAnswered && cause === 'unusable' && OPERATIONS[operation] !== 'ofAll';
    if (isAnswered) this.#callsOf(peer, provider).answer(operation, at, seconds);
    if (isAnswered || isOdd) {
      if (of.short?.isWhole === true) {
        of.answersSince = null;
        of.short = { ...of.short, isWhole: false };
      }
      of.answersSince ??= at;
      of.answeredAt = at;
      return;
    }
    const since = Math.max(at - seconds * 1_000, of.answeredAt ?? Number.NEGATIVE_INFINITY);
    const words = typeof reason === 'string' ? reason : kind;
    this.#callsOf(peer, provider).silence(operation, { at, since, reason: words }, seconds);
  }

  /**
   * How a peer answers, over all its providers. `isOpen`: a circuit is open, which shows silence although
   * nobody asks now.
   */
  seen(peer: PeerName, isOpen: boolean): SeenPeer {
    const now = this.#now();
    const of = this.#of(peer);
    const silences = [...of.providers.values()].flatMap((calls) => calls.silences(now));
    if (silences.length === 0 && !isOpen && of.short?.isWhole === true) {
      of.answersSince = null;
      of.unaskedSince = now;
    }
    of.short = silences.length === 0 && !isOpen ? null : shortOf(of, silences, now);
    const { short, answersSince } = of;
    const told = (time: number) => Math.round(this.#clock() - (now - time));
    const answeredAt = of.answeredAt === null ? null : told(of.answeredAt);
    const answersIn = [...of.providers].flatMap(([provider, calls]): AnswerTime[] => {
      const milliseconds = calls.answersIn(now);
      return milliseconds === null ? [] : [{ provider, milliseconds }];
    });
    const slowest = answersIn
      .sort((one, other) => other.milliseconds - one.milliseconds)
      .slice(0, MOST_TIMES);
    // Delays are shown to merchants, who are told of those of payment methods, not of anti-fraud.
    const waited = peer === 'antifraud' ? [] : [...of.providers];
    const delays = waited.flatMap(([provider, calls]): Delay[] => {
      const delay = calls.delay(now);
      if (delay === null) return [];
      const { since, silentSince } = delay;
      return [{ provider, since: told(since), silentSince: silentSince === null ? null : told(silentSince) }];
    });
    const lastAnswers = waited
      .flatMap(([provider, { answeredAt: at }]) => (at === null ? [] : [{ provider, at: told(at) }]))
      .sort((one, other) => other.at - one.at);
    const speed = {
      answersIn: slowest,
      delays: delays.sort(bySilence).slice(0, MOST_DELAYS),
      lastAnswers: lastAnswers.slice(0, MOST_TIMES),
    };
    if (short !== null)
      return {
        state: short.isWhole ? 'silent' : 'inPart',
        since: told(short.since),
        answeredAt,
        reason: short.reason,
        ...speed,
      };
    const state = answersSince === null ? 'notAsked' : 'answers';
    const since = told(answersSince ?? of.unaskedSince);
    return { state, since, answeredAt, reason: null, ...speed };
  }

  #of(peer: PeerName): CallsOfPeer {
    const of = this.#peers.get(peer) ?? {
      providers: new Map(),
      answersSince: null,
      answeredAt: null,
      unaskedSince: this.#openedAt,
      short: null,
    };
    this.#peers.set(peer, of);
    return of;
  }

  #callsOf(peer: PeerName, provider: string): ProviderCalls {
    const { providers } = this.#of(peer);
    const calls = providers.get(provider) ?? new ProviderCalls(this.#outages.openPeer(peer, provider));
    providers.set(provider, calls);
    return calls;
  }
}

function bySilence(one: Delay, other: Delay): number {
  const isSilent = ({ silentSince }: Delay) => Number(silentSince !== null);
  return isSilent(other) - isSilent(one) || one.since - other.since;
}

function shortOf(
  { answersSince, answeredAt, short: before }: CallsOfPeer,
  silences: readonly Silence[],
  now: number,
): Short {
  const unanswered = silences.filter(({ since }) => answeredAt === null || since >= answeredAt);
  const wasWhole = before?.isWhole ?? answersSince === null;
  const isWhole = silences.length === 0 ? wasWhole : unanswered.length > 0;
  const goesOn = before !== null && (before.isWhole || !isWhole) ? [before.since] : [];
  const since = [...(isWhole ? unanswered : silences).map((one) => one.since), ...goesOn];
  const [newest] = silences.toSorted((one, other) => other.at - one.at);
  return {
    isWhole,
    since: since.length === 0 ? now : Math.min(...since),
    reason: newest?.reason ?? before?.reason ?? null,
  };
}
