import { type Outages, type PeerName, type PeerOutage, UNASKED_MILLISECONDS } from '../outages.ts';
import { isAnswer, isSilence } from './process-report.ts';

/** How a call to a peer ended. */
export type CallAnswer = {
  readonly kind: string;
  readonly reason?: unknown;
  /** `notAsked`: by ourselves. `unusable`: something came back. */
  readonly cause?: string;
  /** False: something came back. */
  readonly isSilence?: boolean;
};

export type ObserveCall = (operation: string, answer: CallAnswer, seconds: number) => void;

/** Of the calls of one provider. */
export type ObserveCallsOf = (provider: string) => ObserveCall;

/** Calls in a row without an answer that may be an outage. One may be the call's own fault. */
const SILENT_IN_ROW = 2;

/** What is about no sale alone: an answer that cannot be used is no odd sale's. */
const OF_ALL_SALES = ['about', 'changes', 'charges', 'receipts', 'returns', 'list'];

type Silence = { inRow: number; at: number };

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

  silence(operation: string, reason: string): void {
    this.#forgetOld();
    const inRow = (this.#silent.get(operation)?.inRow ?? 0) + 1;
    this.#silent.set(operation, { inRow, at: this.#now() });
    const all = [...this.#silent.values()].reduce((sum, silence) => sum + silence.inRow, 0);
    if (all >= SILENT_IN_ROW) this.#outage.failed(reason, operation);
  }

  answer(operation: string): void {
    if (this.#silent.size === 0) return;
    this.#silent.delete(operation);
    this.#forgetOld();
    if (this.#silent.size === 0) this.#outage.answered();
  }

  #forgetOld(): void {
    for (const [operation, { at }] of this.#silent)
      if (this.#now() - at > UNASKED_MILLISECONDS) this.#silent.delete(operation);
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
    const { kind, reason, cause, isSilence: isSilent = cause !== 'unusable' } = answer;
    if (cause === 'notAsked') return;
    const calls = this.#callsOf(peer, provider);
    if (isSilence(kind)) {
      const words = typeof reason === 'string' ? reason : kind;
      this.#reasons.set(peer, words);
      // An odd sale that is tried on says nothing of the provider.
      if (isSilent || OF_ALL_SALES.includes(operation)) calls.silence(operation, words);
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
