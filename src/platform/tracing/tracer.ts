import { newSpanId, newTraceId } from '../chance.ts';
import { rateLimit } from '../http/rate-limit.ts';
import { PEERS, Span, type SpanContext, type SpanStart } from './span.ts';

export const TRACE_TARGETS = [...PEERS, 'merchants'] as const;
export type TraceTarget = (typeof TRACE_TARGETS)[number];

export type TracerOptions = {
  /** The recorded share of traces that begin here: 0 to 1. */
  readonly ratio: number;
  readonly targets: readonly TraceTarget[];
  readonly chance: () => number;
  readonly take: (span: Span) => void;
};

/** The most spans of a trace. A request has some twenty; of a long export the rest is not recorded. */
const MOST_SPANS_OF_A_TRACE = 250;
/** How many traces a second are recorded beyond the ratio, because their callers ask for it. */
const ASKED_FOR_PER_SECOND = 10;
const MOST_CAUSES = 10_000;

export class Tracer {
  readonly #options: TracerOptions;
  readonly #askedFor = rateLimit(ASKED_FOR_PER_SECOND);
  /** The span that made each thing, by the thing's id. The oldest are forgotten. */
  readonly #causes = new Map<string, SpanContext>();

  constructor(options: TracerOptions) {
    this.#options = options;
  }

  /**
   * Begins a root span. `caller`: from a trusted proxy; its trace continues, and is recorded by the `ratio`
   * here and a few a second more. `cause`: an earlier span of this program whose trace continues.
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
