import { newSpanId } from '../chance.ts';

export type SpanKind = 'internal' | 'server' | 'client';

export type SpanStart = {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly links?: readonly SpanContext[];
};

export type Trace = {
  /** Wall clock minus monotonic clock, in milliseconds. */
  readonly clockOffset: number;
  readonly take: (span: Span) => void;
  spansLeft: number;
};

/** An unsampled span only has an id. */
export class Span {
  readonly name: string;
  readonly kind: SpanKind;
  readonly context: SpanContext;
  readonly parentSpanId: string | null;
  readonly links: readonly SpanContext[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  endedAt: number | null = null;
  hasFailed = false;
  readonly attributes = new Map<AttributeName, string | number>();
  readonly #trace: Trace;

  constructor(
    trace: Trace,
    { name, kind = 'internal', attributes = {}, links = [] }: SpanStart,
    context: SpanContext,
    parentSpanId: string | null,
  ) {
    this.name = name;
    this.kind = kind;
    this.context = context;
    this.parentSpanId = parentSpanId;
    this.links = links;
    this.#trace = trace;
    this.startedAt = performance.now() + trace.clockOffset;
    this.set(attributes);
  }

  /** Null if the trace is full or not recorded. */
  child(start: SpanStart): Span | null {
    if (!this.context.isSampled || this.#trace.spansLeft <= 0) return null;
    this.#trace.spansLeft -= 1;
    return new Span(this.#trace, start, { ...this.context, spanId: newSpanId() }, this.context.spanId);
  }

  set(attributes: Attributes): void {
    if (!this.context.isSampled) return;
    for (const [name, value] of Object.entries(attributes) as [AttributeName, unknown][])
      if (isAttribute(name, value)) this.attributes.set(name, value);
  }

  /** `errorType`: a word, never a message. */
  fail(errorType: string): void {
    this.hasFailed = true;
    this.set({ 'error.type': errorType });
    if (this.attributes.has('db.system.name')) this.set({ 'db.response.status_code': errorType });
  }

  end(): void {
    if (this.endedAt !== null) return;
    this.endedAt = performance.now() + this.#trace.clockOffset;
    if (this.context.isSampled) this.#trace.take(this);
  }
}

/** Identifies a span of any program (W3C Trace Context). */
export type SpanContext = {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
};

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const SAMPLED = 0b1;

/** Null: the header is not readable, so a trace begins here. */
export function readTraceparent(header: unknown): SpanContext | null {
  const match = typeof header === 'string' ? TRACEPARENT.exec(header) : null;
  if (match === null) return null;
  const [, version, traceId = '', spanId = '', flags = '', rest] = match;
  // Later versions may have more after the flags.
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

export function traceparentOf({ traceId, spanId, isSampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const WORD = /^[A-Za-z][\w.]{0,63}$/;

/** Those whom a call of ours may ask. */
export const PEERS = ['acquirer', 'bank', 'pix', 'antifraud'] as const;

/** A span has only these attributes: no caller's text, card, name, document or address leaves in a trace. */
const SHAPES = {
  'http.request.method': /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|_OTHER)$/,
  /** With parameters in braces, as in the contract. */
  'http.route': /^\/[\w/{}.-]{0,200}$/,
  'url.template': /^\/[\w/{}.-]{0,200}$/,
  'http.response.status_code': 'whole',
  'db.system.name': /^postgresql$/,
  'db.query.summary': WORD,
  'db.operation.batch.size': 'whole',
  'db.response.status_code': /^(\d[\dA-Z]|P0|F0|HV|XX)[\dA-Z]{3}$/,
  'error.type': /^[\w.]{1,64}$/,
  'peer.service': new RegExp(`^(${[...PEERS, 'webhook'].join('|')})$`),
  'parcela.request.id': UUID,
  'parcela.merchant.id': /^[\w.:-]{1,64}$/,
  'parcela.payment.id': UUID,
  'parcela.billing.id': UUID,
  'parcela.boleto.id': UUID,
  'parcela.delivery.id': UUID,
  'parcela.delivery.kind': WORD,
  'parcela.result': WORD,
} as const satisfies Readonly<Record<string, RegExp | 'whole'>>;

type AttributeName = keyof typeof SHAPES;
export type Attributes = Partial<Readonly<Record<AttributeName, string | number | null>>>;

function isAttribute(name: AttributeName, value: unknown): value is string | number {
  const shape: RegExp | 'whole' = SHAPES[name];
  if (shape === 'whole') return Number.isSafeInteger(value);
  return typeof value === 'string' && shape.test(value);
}

/** SQLSTATE, a code of Node, or the name of the error. */
export function errorTypeOf(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  const word = typeof code === 'string' ? code : name;
  return isAttribute('error.type', word) ? String(word) : 'Error';
}
