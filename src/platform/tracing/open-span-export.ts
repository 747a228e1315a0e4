import { Pool } from 'undici';
import { askOnce } from '../channels/ask-once.ts';
import type { Channel } from '../channels/open-channel.ts';
import type { Span, SpanKind } from './span.ts';

/** `queueFull`: more spans than can be sent. `notTaken`: the collector was away or refused them. */
export type SpanFate = 'exported' | 'queueFull' | 'notTaken';

export type SpanExportOptions = {
  /** The collector's URL, to which `/v1/traces` is added. */
  readonly url: string;
  readonly channel: Channel;
  readonly resource: Resource;
  readonly observe: (fate: SpanFate, spans: number) => void;
};

export type SpanExport = {
  /** Takes an ended span. Returns at once and never throws. */
  readonly take: (span: Span) => void;
  /** Sends the waiting spans, within a limited time. */
  close(): Promise<void>;
};

const MOST_WAITING = 4_096;
/** Some hundred kilobytes, serialized in a millisecond or two. */
const SPANS_PER_BATCH = 256;
const LONGEST_WAIT_MILLISECONDS = 1_000;
const ANSWER_MILLISECONDS = 5_000;
const CLOSE_MILLISECONDS = 2_000;

export const OTLP_CONNECT_MILLISECONDS = 2_000;

/** Sends spans by OTLP/HTTP in batches. Drops and counts failed batches, and spans above the limit. */
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

/** The sender of the spans, such as `service.name`. */
type Resource = Readonly<Record<string, string>>;

const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const STATUS_ERROR = 2;
const SCOPE = 'parcela';

function otlpTraces(resource: Resource, spans: readonly Span[]): string {
  const attributes = Object.entries(resource).map(([key, value]) => attribute(key, value));
  const scopeSpans = [{ scope: { name: SCOPE }, spans: spans.map(otlpSpan) }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans }] });
}

function otlpSpan(span: Span): object {
  const { name, kind, context, parentSpanId, startedAt, endedAt, links } = span;
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt ?? startedAt),
    attributes: [...span.attributes].map(([key, value]) => attribute(key, value)),
    ...(links.length === 0 ? {} : { links: links.map(({ traceId, spanId }) => ({ traceId, spanId })) }),
    ...(span.hasFailed ? { status: { code: STATUS_ERROR } } : {}),
  };
}

/** 64-bit numbers are text in JSON. */
function attribute(key: string, value: string | number): object {
  return { key, value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) } };
}

function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1_000)}000`;
}

function rejectedSpans(body: unknown): number {
  const { partialSuccess } = Object(body) as { partialSuccess?: { rejectedSpans?: unknown } };
  const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
  return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
}
