import { type Listener, startListener } from './listener.ts';

/** One span as a collector got it. */
export type GotSpan = {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: none. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly hasFailed: boolean;
};

/** A collector of OpenTelemetry on loopback, as far as traces over HTTP with JSON go. */
export type Collector = Listener & {
  /** All that came so far. */
  spans(): GotSpan[];
  /** The bodies as they came. */
  text(): string;
};

export async function startCollector(): Promise<Collector> {
  const listener = await startListener({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"partialSuccess":{}}',
  });
  const bodies = () => listener.received.map(({ body }) => body);
  return {
    ...listener,
    spans: () => bodies().flatMap((body) => readSpans(JSON.parse(body) as Sent)),
    text: () => bodies().join('\n'),
  };
}

type Sent = {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
};
type SentSpan = Omit<GotSpan, 'attributes' | 'links' | 'parentSpanId' | 'hasFailed'> & {
  readonly parentSpanId?: string;
  readonly links?: GotSpan['links'];
  readonly status?: { readonly code: number };
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: string };
  }[];
};

function readSpans({ resourceSpans }: Sent): GotSpan[] {
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map(({ attributes, links = [], parentSpanId = '', status, ...span }) => ({
      ...span,
      parentSpanId,
      links,
      hasFailed: status?.code === 2,
      attributes: Object.fromEntries(
        attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
      ),
    }));
}
