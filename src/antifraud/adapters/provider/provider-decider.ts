import { Pool } from 'undici';
import type { Channel } from '../../../platform/channels/open-channel.ts';
import { tracedCall } from '../../../platform/channels/traced-call.ts';
import { FairLine } from '../../../platform/work/fair-line.ts';
import { Overloaded } from '../../../platform/work/overloaded.ts';
import type { Decider, Decision, Sale, Verdict } from '../../anti-fraud.ts';
import type { ProviderSettings } from '../../provider-settings.ts';
import { askProvider, type ProviderQuestion, ProviderSilent } from './ask-provider.ts';
import { PROVIDER_SILENT_REASON, readDecision, writeQuestion } from './provider-answers.ts';

const CALLS_AT_ONCE = 128;
const MOST_WAITING = 1_024;
/** One that does not take a connection in this time is away. */
export const PROVIDER_CONNECT_MILLISECONDS = 1_000;

/** `full`: too many calls were pending for another. */
export type ProviderResult = Verdict | 'silent' | 'full';
export type ProviderObserver = (result: ProviderResult, seconds: number) => void;

/** A decider of the operator's, over HTTP (docs/antifraud-protocol.md). */
export class ProviderDecider implements Decider {
  readonly name = 'provider';
  readonly silentReason = PROVIDER_SILENT_REASON;
  readonly timeoutMilliseconds: number;
  readonly #channel: Channel;
  readonly #path: string;
  readonly #pool: Pool;
  readonly #line: FairLine;
  readonly #observe: ProviderObserver;

  /** The channel is closed by its owner, after this. */
  constructor(settings: ProviderSettings, channel: Channel, observe: ProviderObserver) {
    const { origin, pathname } = new URL(settings.url);
    const { timeoutMilliseconds } = settings;
    this.timeoutMilliseconds = timeoutMilliseconds;
    this.#channel = channel;
    this.#path = `${pathname.replace(/\/$/, '')}/decisions`;
    this.#observe = observe;
    this.#line = new FairLine({
      name: 'anti-fraud provider',
      slots: CALLS_AT_ONCE,
      waiting: MOST_WAITING,
      longestWaitMilliseconds: timeoutMilliseconds,
    });
    this.#pool = new Pool(origin, {
      connections: CALLS_AT_ONCE,
      pipelining: 1,
      keepAliveTimeout: 30_000,
      connect: channel.connect,
      headersTimeout: timeoutMilliseconds,
      bodyTimeout: timeoutMilliseconds,
    });
  }

  async decide(sale: Sale, signal: AbortSignal): Promise<Decision> {
    const startedAt = performance.now();
    let result: ProviderResult = 'silent';
    try {
      const { merchantId } = sale;
      const decision = await this.#line.run({ merchantId }, () => this.#ask(sale, signal), { signal });
      result = decision.verdict;
      return decision;
    } catch (error) {
      if (!(error instanceof Overloaded)) throw error;
      // To our callers that would be 503, and a slow provider would stop the sales.
      result = 'full';
      throw new ProviderSilent('too many calls to the provider are under way');
    } finally {
      this.#observe(result, (performance.now() - startedAt) / 1_000);
    }
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  async #ask(sale: Sale, signal: AbortSignal): Promise<Decision> {
    const headers = this.#channel.headers();
    const question = { method: 'POST', path: this.#path, body: writeQuestion(sale), headers } as const;
    const ask = (sent: ProviderQuestion) => askProvider(this.#pool, sent, signal);
    const decision = readDecision(await tracedCall('antifraud', question, ask), sale.transactionId);
    if (typeof decision === 'string') throw new ProviderSilent(decision);
    return decision;
  }
}
