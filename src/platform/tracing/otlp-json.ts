import type { Span, SpanKind } from './span.ts';

/** The sender of the spans, such as `service.name`. */
export type Resource = Readonly<Record<string, string>>;

const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const STATUS_ERROR = 2;
const SCOPE = 'parcela';

/** The body of a request to `/v1/traces` (OTLP/HTTP with JSON). */
export function otlpTraces(resource: Resource, spans: readonly Span[]): string {
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

/** 64 bits stand in JSON as text. */
function attribute(key: string, value: string | number): object {
  return { key, value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) } };
}

function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1_000)}000`;
}

/** How many spans of a batch the answer says were not taken. */
export function rejectedSpans(body: unknown): number {
  const { partialSuccess } = Object(body) as { partialSuccess?: { rejectedSpans?: unknown } };
  const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
  return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
}
