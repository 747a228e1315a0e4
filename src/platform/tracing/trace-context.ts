/** Names a span of a trace, of this program or of another one (W3C Trace Context). */
export type SpanContext = {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Whether the spans of this trace are recorded. */
  readonly isSampled: boolean;
};

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const SAMPLED = 0b1;

/** Null: there is none, or none that can be read; then a trace begins here. */
export function readTraceparent(header: unknown): SpanContext | null {
  const match = typeof header === 'string' ? TRACEPARENT.exec(header) : null;
  if (match === null) return null;
  const [, version, traceId = '', spanId = '', flags = '', rest] = match;
  // Later versions may have more behind the flags.
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

export function traceparentOf({ traceId, spanId, isSampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
