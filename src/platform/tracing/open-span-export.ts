import { Pool } from 'undici';
import { askOnce } from '../channels/ask-once.ts';
import type { Channel } from '../channels/open-channel.ts';
import { otlpTraces, type Resource, rejectedSpans } from './otlp-json.ts';
import type { Span } from './span.ts';

/** `queueFull`: more ended than are sent. `notTaken`: the collector was away, or refused them. */
export type SpanFate = 'exported' | 'queueFull' | 'notTaken';

export type SpanExportOptions = {
  /** Of the collector; `/v1/traces` is added to its path. */
  readonly url: string;
  readonly channel: Channel;
  readonly resource: Resource;
  readonly observe: (fate: SpanFate, spans: number) => void;
};

export type SpanExport = {
  /** Takes a span that has ended. Returns at once, and never throws. */
  readonly take: (span: Span) => void;
  /** Sends what waits, for so long as an end may take. */
  close(): Promise<void>;
};

const MOST_WAITING = 4_096;
/** A body of some hundred kilobytes, which is written in a millisecond or two. */
const SPANS_PER_BATCH = 256;
const LONGEST_WAIT_MILLISECONDS = 1_000;
const ANSWER_MILLISECONDS = 5_000;
const CLOSE_MILLISECONDS = 2_000;

export const OTLP_CONNECT_MILLISECONDS = 2_000;

/**
 * Sends spans to a collector by OTLP/HTTP, a batch at a time, beside all else: what does not fit into the
 * queue, and a batch that is not taken, is dropped and counted.
 */
export function openSpanExport(options: SpanExportOptions): SpanExport {
  const { url, channel, resource, observe } = options;
  const { origin, pathname } = new URL(url);
  const path = `${pathname.replace(/\/$/, '')}/v1/traces`;
  const pool = new Pool(origin, { connections: 1, pipelining: 1, connect: channel.connect });
  let waiting: Span[] = [];
  let sending: Promise<void> | null = null;
  let isClosing = false;

  async function sendBatch(timeout: number): Promise<void> {
    const batch = waiting.slice(0, SPANS_PER_BATCH);
    waiting = waiting.slice(SPANS_PER_BATCH);
    const question = {
      method: 'POST',
      path,
      body: otlpTraces(resource, batch),
      headers: channel.headers(),
    } as const;
    const answer = await askOnce(pool, question, timeout);
    const isTaken = answer.kind === 'answer' && answer.status === 200;
    const rejected = isTaken ? Math.min(batch.length, rejectedSpans(answer.body)) : batch.length;
    if (rejected < batch.length) observe('exported', batch.length - rejected);
    if (rejected > 0) observe('notTaken', rejected);
  }

  /** One batch at a time; those that are full follow at once. */
  function send(): void {
    if (sending !== null || waiting.length === 0) return;
    sending = sendBatch(ANSWER_MILLISECONDS).finally(() => {
      sending = null;
      if (!isClosing && waiting.length >= SPANS_PER_BATCH) send();
    });
  }

  const timer = setInterval(send, LONGEST_WAIT_MILLISECONDS);
  timer.unref();
  return {
    take(span) {
      if (waiting.length >= MOST_WAITING) return observe('queueFull', 1);
      waiting.push(span);
      if (waiting.length >= SPANS_PER_BATCH) send();
    },
    async close() {
      clearInterval(timer);
      isClosing = true;
      const endsAt = performance.now() + CLOSE_MILLISECONDS;
      const left = () => Math.max(1, endsAt - performance.now());
      await Promise.race([sending, new Promise((wake) => setTimeout(wake, left()).unref())]);
      while (sending === null && waiting.length > 0 && performance.now() < endsAt) await sendBatch(left());
      await pool.destroy();
    },
  };
}
