import type { Outages, PeerName, PeerOutage } from '../outages.ts';
import { isAnswer, isSilence } from './process-report.ts';

/** How a call to a peer ended. */
export type CallAnswer = {
  readonly kind: string;
  readonly reason?: unknown;
  /** `notAsked`: by ourselves. */
  readonly cause?: string;
};

export type ObserveCall = (operation: string, answer: CallAnswer, seconds: number) => void;

/** Of the calls of one provider. */
export type ObserveCallsOf = (provider: string) => ObserveCall;

/** Calls in a row without an answer that may be an outage. One may be the call's own fault. */
const SILENT_IN_ROW = 2;
/** Who answers anything so long behind the last silence is there. */
const FORGOTTEN_MILLISECONDS = 60_000;

/**
 * The calls of one provider. A bridge that answers while the acquirer behind it does not leaves some
 * operations without an answer: what is answered ends the silence of its own operation only.
 */
class ProviderCalls {
  readonly #outage: PeerOutage;
  readonly #now: () => number;
  readonly #silent = new Map<string, number>();
  #silentAt = 0;

  constructor(outage: PeerOutage, now: () => number) {
    this.#outage = outage;
    this.#now = now;
  }

  silence(operation: string, reason: string): void {
    this.#silentAt = this.#now();
    this.#silent.set(operation, (this.#silent.get(operation) ?? 0) + 1);
    const inRow = [...this.#silent.values()].reduce((sum, count) => sum + count, 0);
    if (inRow >= SILENT_IN_ROW) this.#outage.failed(reason, operation);
  }

  answer(operation: string): void {
    if (this.#silent.size === 0) return;
    const isOld = this.#now() - this.#silentAt > FORGOTTEN_MILLISECONDS;
    if (!isOld && !this.#silent.has(operation)) return;
    this.#silent.clear();
    this.#outage.answered();
  }
}

/** What this process knows of the calls to all peers. */
export class PeerCalls {
  readonly #outages: Pick<Outages, 'openPeer'>;
  readonly #now: () => number;
  readonly #reasons = new Map<string, string>();
  readonly #providers = new Map<string, ProviderCalls>();

  constructor(outages: Pick<Outages, 'openPeer'>, now = () => performance.now()) {
    this.#outages = outages;
    this.#now = now;
  }

  note(peer: PeerName, provider: string, operation: string, answer: CallAnswer): void {
    const { kind, reason, cause } = answer;
    if (cause === 'notAsked') return;
    const calls = this.#callsOf(peer, provider);
    if (isSilence(kind)) {
      const words = typeof reason === 'string' ? reason : kind;
      this.#reasons.set(peer, words);
      calls.silence(operation, words);
    } else if (isAnswer(kind)) calls.answer(operation);
  }

  /** Why it gave no answer the last time. */
  reasonOf(peer: string): string | null {
    return this.#reasons.get(peer) ?? null;
  }

  #callsOf(peer: PeerName, provider: string): ProviderCalls {
    const key = `${peer} ${provider}`;
    const calls =
      this.#providers.get(key) ?? new ProviderCalls(this.#outages.openPeer(peer, provider), this.#now);
    this.#providers.set(key, calls);
    return calls;
  }
}
