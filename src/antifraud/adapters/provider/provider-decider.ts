import { Pool } from 'undici';
import { tracedCall } from '../../../platform/channels/ask-once.ts';
import type { Channel } from '../../../platform/channels/open-channel.ts';
import { FairLine, Overloaded } from '../../../platform/work/fair-line.ts';
import type { CheckProvider } from '../../../providers/provider.ts';
import type { Decider, Decision, ProviderSettings, Sale, Verdict } from '../../anti-fraud.ts';
import { askProvider, type ProviderQuestion, ProviderSilent } from './ask-provider.ts';
import { PROVIDER_SILENT_REASON, readDecision, writeQuestion } from './provider-answers.ts';

const CALLS_AT_ONCE = 128;
const MOST_WAITING = 1_024;
export const PROVIDER_CONNECT_MILLISECONDS = 1_000;

/** `full`: too many calls were pending. */
export type ProviderResult = Verdict | 'silent' | 'full';
export type ProviderObserver = (result: ProviderResult, seconds: number) => void;

/** Asks the operator's anti-fraud provider over HTTP (docs/antifraud-protocol.md). */
export class ProviderDecider implements Decider {
  readonly name = 'provider';
  readonly silentReason = PROVIDER_SILENT_REASON;
  readonly timeoutMilliseconds: number;
  readonly #channel: Channel;
  readonly #path: string;
  readonly #pool: Pool;
  readonly #line: FairLine;
  readonly #observe: ProviderObserver;

  /** The owner of the channel closes it, after this. */
  constructor(settings: Omit<ProviderSettings, 'channel'>, channel: Channel, observe: ProviderObserver) {
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
      // Not `Overloaded`: this would answer the sale with 503, and a slow provider would stop all sales.
      result = 'full';
      throw new ProviderSilent('too many calls to the provider are under way', result);
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

const TIMEOUT_MILLISECONDS = 3_000;
const PROTOCOL = 1;

class ProviderUnfit extends Error {
  override readonly name = 'ProviderUnfit';
}

/**
 * Returns a warning if the provider does not answer: its silence has a verdict, so, unlike an acquirer's, it
 * does not keep the service from starting. Throws `ProviderUnfit` if this environment must not ask it.
 */
export const checkProvider: CheckProvider = async (url, environment, channel, terms) => {
  const urlName = terms?.url ?? 'PARCELA_ANTIFRAUD_URL';
  const about = await readAbout(url, channel);
  if (typeof about === 'string') return `${about}: until it answers, sales are decided without it`;
  if (about.protocol !== PROTOCOL) {
    throw new ProviderUnfit(
      `${urlName}: the provider at ${url} speaks protocol ${about.protocol}, not ${PROTOCOL}`,
    );
  }
  if (environment === 'production' && about.simulator !== false) {
    throw new ProviderUnfit(
      `${urlName}: ${url} does not say that it is no simulator; production sells to real buyers only`,
    );
  }
  return null;
};

/** The identity, or a text that says why it is not known. */
async function readAbout(
  url: string,
  channel: Channel,
): Promise<{ simulator?: unknown; protocol?: unknown } | string> {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: 1, connect: channel.connect });
  const path = `${pathname.replace(/\/$/, '')}/about`;
  try {
    const question = { method: 'GET', path, body: null, headers: channel.headers() } as const;
    const { status, body } = await askProvider(pool, question, AbortSignal.timeout(TIMEOUT_MILLISECONDS));
    if (status === 200 && typeof body === 'object' && body !== null) return body;
    return `the provider answered ${status} at /about`;
  } catch (error) {
    if (error instanceof ProviderSilent) return error.message;
    throw error;
  } finally {
    await pool.destroy();
  }
}
