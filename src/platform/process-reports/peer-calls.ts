import type { UnclearCause } from '../channels/unclear.ts';
import { type Outages, type PeerName, type PeerOutage, UNASKED_MILLISECONDS } from '../outages.ts';
import {
  isAnswer,
  isSilence,
  NEVER_ASKED,
  type PeerReport,
  type PeerTimes,
  stateAt,
  timesAfter,
} from './process-report.ts';

/** How a call to a peer ended. */
export type CallAnswer = {
  readonly kind: string;
  readonly reason?: unknown;
  /** By default `silent`. */
  readonly cause?: UnclearCause;
};

export type ObserveCall = (operation: Operation, answer: CallAnswer, seconds: number) => void;

/** Of the calls of one provider. */
export type ObserveCallsOf = (provider: string) => ObserveCall;

/** Calls in a row without an answer that may be an outage. One may be the call's own fault. */
const SILENT_IN_ROW = 2;

/** What is asked. Of that which is about no sale alone, an answer that cannot be used is no odd sale's. */
const OPERATIONS = {
  about: 'ofAll',
  changes: 'ofAll',
  charges: 'ofAll',
  receipts: 'ofAll',
  returns: 'ofAll',
  list: 'ofAll',
  authorize: 'ofOne',
  verify: 'ofOne',
  find: 'ofOne',
  undo: 'ofOne',
  cancel: 'ofOne',
  capture: 'ofOne',
  findCapture: 'ofOne',
  issue: 'ofOne',
  remove: 'ofOne',
  refund: 'ofOne',
  findRefund: 'ofOne',
  findAuthorization: 'ofOne',
  endAuthorization: 'ofOne',
  findFirstCharge: 'ofOne',
  endFirstCharge: 'ofOne',
  collect: 'ofOne',
  findCollection: 'ofOne',
  decide: 'ofOne',
} as const;
export type Operation = keyof typeof OPERATIONS;

/** `since`: by the clock of this machine. */
type Silence = { inRow: number; at: number; readonly since: number };

/**
 * The calls of one provider. A bridge that answers while the acquirer behind it does not leaves some
 * operations without an answer: what is answered ends the silence of its own operation only.
 */
class ProviderCalls {
  readonly #outage: PeerOutage;
  readonly #now: () => number;
  readonly #silent = new Map<string, Silence>();

  constructor(outage: PeerOutage, now: () => number) {
    this.#outage = outage;
    this.#now = now;
  }

  silence(operation: string, reason: string, begunAt: number): void {
    this.#forgetOld();
    const { inRow = 0, since = begunAt } = this.#silent.get(operation) ?? {};
    this.#silent.set(operation, { inRow: inRow + 1, at: this.#now(), since });
    const all = [...this.#silent.values()].reduce((sum, silence) => sum + silence.inRow, 0);
    if (all >= SILENT_IN_ROW) this.#outage.failed(reason, operation);
  }

  answer(operation: string): void {
    if (this.#silent.size === 0) return;
    this.#silent.delete(operation);
    this.#forgetOld();
    if (this.#silent.size === 0) this.#outage.answered();
  }

  /** Since when some operation gets no answer; null: all do. */
  silentSince(): number | null {
    this.#forgetOld();
    return leastOf([...this.#silent.values()].map(({ since }) => since));
  }

  #forgetOld(): void {
    for (const [operation, { at }] of this.#silent)
      if (this.#now() - at > UNASKED_MILLISECONDS) this.#silent.delete(operation);
  }
}

const leastOf = (times: readonly number[]) => (times.length === 0 ? null : Math.min(...times));

type SeenPeer = Pick<PeerReport, 'state' | 'since' | 'answeredAt' | 'reason'>;

/** What this process knows of the calls to all peers. */
export class PeerCalls {
  readonly #outages: Pick<Outages, 'openPeer'>;
  readonly #now: () => number;
  readonly #clock: () => number;
  readonly #openedAt: number;
  readonly #times = new Map<PeerName, PeerTimes>();
  readonly #reasons = new Map<PeerName, string>();
  readonly #providers = new Map<PeerName, Map<string, ProviderCalls>>();

  constructor(outages: Pick<Outages, 'openPeer'>, now = () => performance.now(), clock = Date.now) {
    this.#outages = outages;
    this.#now = now;
    this.#clock = clock;
    this.#openedAt = clock();
  }

  /** `seconds`: how long the call took. */
  note(peer: PeerName, provider: string, operation: Operation, answer: CallAnswer, seconds: number): void {
    const { kind, reason, cause } = answer;
    const isAnswered = isAnswer(kind);
    if (cause === 'notAsked' || (!isAnswered && !isSilence(kind))) return;
    const endedAt = this.#clock();
    const begunAt = endedAt - seconds * 1_000;
    const before = this.#times.get(peer) ?? NEVER_ASKED;
    this.#times.set(peer, timesAfter(before, { isAnswered, begunAt, endedAt }));
    const calls = this.#callsOf(peer, provider);
    if (isAnswered) {
      calls.answer(operation);
      return;
    }
    const words = typeof reason === 'string' ? reason : kind;
    this.#reasons.set(peer, words);
    // An odd sale that is tried on says nothing of the provider.
    if (cause !== 'unusable' || OPERATIONS[operation] === 'ofAll') calls.silence(operation, words, begunAt);
  }

  /** `isInPart`: what it does not answer is told, though it answers other calls. */
  seen(peer: PeerName, isInPart: boolean): SeenPeer {
    const found = stateAt(this.#times.get(peer) ?? NEVER_ASKED, this.#clock(), this.#openedAt);
    const isShort = isInPart || found.state === 'silent';
    if (!isShort) return { ...found, reason: null };
    const providers = [...(this.#providers.get(peer)?.values() ?? [])];
    const silent = leastOf(providers.flatMap((calls) => calls.silentSince() ?? []));
    const since = found.state === 'silent' ? found.since : (silent ?? found.since);
    return { ...found, since, reason: this.#reasons.get(peer) ?? null };
  }

  #callsOf(peer: PeerName, provider: string): ProviderCalls {
    const ofPeer = this.#providers.get(peer) ?? new Map<string, ProviderCalls>();
    this.#providers.set(peer, ofPeer);
    const calls =
      ofPeer.get(provider) ?? new ProviderCalls(this.#outages.openPeer(peer, provider), this.#now);
    ofPeer.set(provider, calls);
    return calls;
  }
}
