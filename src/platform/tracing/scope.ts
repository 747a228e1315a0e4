import { AsyncLocalStorage } from 'node:async_hooks';
import { type Attributes, errorTypeOf } from './attributes.ts';
import { type Span, type SpanStart, traceparentOf } from './span.ts';

import type { Tracer, TraceTarget } from './tracer.ts';

/** On every log line of a request. */
export type RequestFields = {
  readonly requestId: string;
  readonly proxyRequestId?: string;
  merchantId?: string;
  userName?: string;
  credentialId?: string;
  paymentId?: string;
  referenceTransaction?: string;
};

/** The current request or task, for its callees. */
export type Scope = {
  readonly tracer: Tracer | null;
  readonly span: Span | null;
  readonly request: { readonly fields: RequestFields; isOver: boolean } | null;
};

const current = new AsyncLocalStorage<Scope | undefined>();

export function inScope<T>(scope: Scope | undefined, run: () => T): T {
  return current.run(scope, run);
}

/** Log fields of the current request or task; null outside. Work that outlives its request has none. */
export function scopeFields(): object | null {
  const scope = current.getStore();
  if (scope === undefined || scope.request?.isOver === true) return null;
  if (scope.span === null || scope.span.endedAt !== null) return scope.request?.fields ?? null;
  const { traceId, spanId } = scope.span.context;
  return { ...scope.request?.fields, traceId, spanId };
}

type NotedPayment = { readonly paymentId?: string; readonly referenceTransaction?: string | null };

/** Adds a payment to log lines and trace. `referenceTransaction`: only if it holds no card number. */
export function notePayment({ paymentId, referenceTransaction }: NotedPayment): void {
  const scope = current.getStore();
  if (scope === undefined) return;
  const fields = scope.request?.fields;
  if (fields !== undefined && referenceTransaction != null)
    fields.referenceTransaction = referenceTransaction;
  if (paymentId === undefined) return;
  if (fields !== undefined) fields.paymentId = paymentId;
  scope.span?.set({ 'parcela.payment.id': paymentId });
}

/** The payment is made or changed here: later work on it continues this trace. */
export function notePaymentMade(made: NotedPayment & { readonly paymentId: string }): void {
  notePayment(made);
  const scope = current.getStore();
  if (scope !== undefined && scope.span !== null) scope.tracer?.remember(made.paymentId, scope.span);
}

/** Runs a step in a child span, if the caller's span is recorded. */
export function traced<T>(start: SpanStart, run: (span: Span | null) => Promise<T>): Promise<T> {
  const scope = current.getStore();
  const span = scope?.span?.child(start) ?? null;
  if (scope === undefined || span === null) return run(null);
  return current.run({ ...scope, span }, () => endWith(span, run));
}

/** A child span for what ends elsewhere; its owner ends it. */
export function openStep(start: SpanStart): Span | null {
  return current.getStore()?.span?.child(start) ?? null;
}

/** The caller's span, if recorded. */
export function recordedSpan(): Span | null {
  const span = current.getStore()?.span ?? null;
  return span?.context.isSampled === true ? span : null;
}

/** Runs what many callers share, below the first span with links to the others, outside of all requests. */
export function tracedTogether<T>(
  name: string,
  spans: readonly (Span | null)[],
  run: () => Promise<T>,
): Promise<T> {
  const scope = current.getStore();
  if (scope === undefined) return run();
  const tracer = scope.tracer;
  if (tracer === null) return current.run(undefined, run);
  const [first, ...others] = spans.filter((span) => span !== null);
  const links = others.slice(0, MOST_LINKS).map(({ context }) => context);
  const attributes = { 'db.operation.batch.size': spans.length };
  const span = first?.child({ name: `${name} batch`, attributes, links }) ?? null;
  return current.run({ tracer, span, request: null }, () => (span === null ? run() : endWith(span, run)));
}

const MOST_LINKS = 32;

/** `follows`: the id of what the task continues, if known. */
export type TaskSubject = { readonly attributes: Attributes; readonly follows: string | null };

/** For a task that continues a payment's trace. */
export function taskOfPayment(task: {
  readonly merchantId: string;
  readonly transactionId: string;
}): TaskSubject {
  const { merchantId, transactionId } = task;
  const attributes = { 'parcela.merchant.id': merchantId, 'parcela.payment.id': transactionId };
  return { attributes, follows: transactionId };
}

/** Runs one due task in a trace: its own, or that of what it follows. `about` null: not traced. */
export function tracedTask<T>(
  name: string,
  about: (() => TaskSubject) | null,
  run: () => Promise<T>,
): Promise<T> {
  const scope = current.getStore();
  if (scope === undefined) return run();
  const { tracer } = scope;
  if (tracer === null) return current.run(undefined, run);
  if (about === null) return current.run({ tracer, span: null, request: null }, run);
  const { attributes, follows } = about();
  const span = tracer.begin({ name, attributes }, { cause: tracer.causeOf(follows) });
  return current.run({ tracer, span, request: null }, () => endWith(span, run));
}

/** The header for a call to another program; null: none. */
export function traceHeader(target: TraceTarget): { readonly traceparent: string } | null {
  const scope = current.getStore();
  if (scope === undefined || scope.span === null || scope.tracer?.sendsTo(target) !== true) return null;
  return { traceparent: traceparentOf(scope.span.context) };
}

async function endWith<T>(span: Span, run: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await run(span);
  } catch (error) {
    span.fail(errorTypeOf(error));
    throw error;
  } finally {
    span.end();
  }
}
