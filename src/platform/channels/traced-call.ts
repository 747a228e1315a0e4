import { traced, traceHeader } from '../tracing/scope.ts';
import type { Span } from '../tracing/span.ts';
import type { TraceTarget } from '../tracing/tracer.ts';

type Question = {
  readonly method: string;
  readonly path: string;
  readonly template?: string;
  readonly headers: Readonly<Record<string, string>>;
};

type Answer = { readonly kind?: string; readonly status?: number };

/**
 * Asks another program in a span of its own, which it learns of where the operator wants that; neither what
 * is asked nor what is answered stands there.
 */
export function tracedCall<Q extends Question, A extends Answer>(
  peer: Exclude<TraceTarget, 'merchants'>,
  question: Q,
  ask: (sent: Q) => Promise<A>,
): Promise<A> {
  const { method, template = pathOf(question) } = question;
  const attributes = { 'http.request.method': method, 'url.template': template, 'peer.service': peer };
  return traced({ name: `${method} ${template}`, kind: 'client', attributes }, async (span) => {
    const header = traceHeader(peer);
    const answer = await ask(
      header === null ? question : { ...question, headers: { ...question.headers, ...header } },
    );
    if (span !== null) noteAnswer(span, answer);
    return answer;
  });
}

function pathOf({ path }: Question): string {
  return path.split('?', 1)[0] as string;
}

function noteAnswer(span: Span, { kind, status }: Answer): void {
  span.set({ 'http.response.status_code': status ?? null });
  if (status !== undefined && status < 400) return;
  span.fail(String(status ?? kind));
}
