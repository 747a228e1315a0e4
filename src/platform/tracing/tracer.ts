import { newSpanId, newTraceId } from '../chance.ts';
import { rateLimit } from '../http/rate-limit.ts';
import { Span, type SpanContext, type SpanStart } from './span.ts';

/** Other programs that may get `traceparent` with what they are asked or sent. */
export const TRACE_TARGETS = ['acquirer', 'bank', 'antifraud', 'merchants'] as const;
export type TraceTarget = (typeof TRACE_TARGETS)[number];

export type TracerOptions = {
  /** Of the traces that begin here: from 0 to 1. */
  readonly ratio: number;
  readonly targets: readonly TraceTarget[];
  /** Between 0 and 1. */
  readonly chance: () => number;
  /** Takes a span that has ended. Returns at once, and never throws. */
  readonly take: (span: Span) => void;
};

/** One request has some twenty; an export of many pages stops being recorded, and is served all the same. */
const MOST_SPANS_OF_A_TRACE = 250;
/** Beyond our own ratio callers may have so many traces recorded. */
const ASKED_FOR_PER_SECOND = 10;
const MOST_CAUSES = 10_000;

/** Begins traces, decides which of them are recorded, and knows which one a payment came from. */
export class Tracer {
  readonly #options: TracerOptions;
  readonly #askedFor = rateLimit(ASKED_FOR_PER_SECOND);
  /** By the id of what was made: the span that made it. The oldest are forgotten. */
  readonly #causes = new Map<string, SpanContext>();

  constructor(options: TracerOptions) {
    this.#options = options;
  }

  /**
   * A span that no step of this process is above of. `caller`: as a trusted proxy brought it; its trace goes
   * on here, but our own chance decides what is recorded, and a few a second beside it. `cause`: a span of
   * ours, recorded or not, whose trace this one goes on with.
   */
  begin(
    start: SpanStart,
    { caller, cause }: { caller?: SpanContext | null; cause?: SpanContext | null },
  ): Span {
    const { ratio, chance, take } = this.#options;
    const parent = cause ?? caller ?? null;
    const isSampled =
      cause != null ? cause.isSampled : chance() < ratio || (caller?.isSampled === true && this.#mayAsk());
    const context = { traceId: parent?.traceId ?? newTraceId(), spanId: newSpanId(), isSampled };
    const trace = { clockOffset: Date.now() - performance.now(), take, spansLeft: MOST_SPANS_OF_A_TRACE };
    return new Span(trace, start, context, parent?.spanId ?? null);
  }

  sendsTo(target: TraceTarget): boolean {
    return this.#options.targets.includes(target);
  }

  remember(id: string, { context }: Span): void {
    if (!context.isSampled) return;
    this.#causes.delete(id);
    this.#causes.set(id, context);
    const [oldest] = this.#causes.keys();
    if (this.#causes.size > MOST_CAUSES && oldest !== undefined) this.#causes.delete(oldest);
  }

  causeOf(id: string | null): SpanContext | null {
    return id === null ? null : (this.#causes.get(id) ?? null);
  }

  #mayAsk(): boolean {
    return this.#askedFor.secondsToWait('', performance.now()) === 0;
  }
}
