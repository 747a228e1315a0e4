import { AsyncLocalStorage } from 'node:async_hooks';
import { type Attributes, errorTypeOf } from './attributes.ts';
import { type Span, type SpanStart, traceparentOf } from './span.ts';

import type { Tracer, TraceTarget } from './tracer.ts';

/** What every line of the log about a request says of it. */
export type RequestFields = {
  readonly requestId: string;
  readonly proxyRequestId?: string;
  merchantId?: string;
  userName?: string;
  credentialId?: string;
  paymentId?: string;
  referenceTransaction?: string;
};

/** Of the request or task that is worked at; its callees find it here. */
export type Scope = {
  /** Null: nothing is traced. */
  readonly tracer: Tracer | null;
  readonly span: Span | null;
  /** Null outside of requests. */
  readonly request: { readonly fields: RequestFields; isOver: boolean } | null;
};

const current = new AsyncLocalStorage<Scope | undefined>();

export function inScope<T>(scope: Scope | undefined, run: () => T): T {
  return current.run(scope, run);
}

/**
 * The fields of the request or task for a line of the log; null outside of them. What is left under way of
 * a request that is over is no part of it.
 */
export function scopeFields(): object | null {
  const scope = current.getStore();
  if (scope === undefined || scope.request?.isOver === true) return null;
  if (scope.span === null || scope.span.endedAt !== null) return scope.request?.fields ?? null;
  const { traceId, spanId } = scope.span.context;
  return { ...scope.request?.fields, traceId, spanId };
}

type NotedPayment = { readonly paymentId?: string; readonly referenceTransaction?: string | null };

/**
 * The request, or the task, concerns this payment, or boleto: its lines of the log and its trace say so.
 * `referenceTransaction`: once it is known to hold no card number.
 */
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

/** It makes this payment, or changes it: what follows of that goes on with its trace. */
export function notePaymentMade(made: NotedPayment & { readonly paymentId: string }): void {
  notePayment(made);
  const scope = current.getStore();
  if (scope !== undefined && scope.span !== null) scope.tracer?.remember(made.paymentId, scope.span);
}

/** Runs a step in a span below that of its caller; by itself where nothing is recorded. */
export function traced<T>(start: SpanStart, run: (span: Span | null) => Promise<T>): Promise<T> {
  const scope = current.getStore();
  const span = scope?.span?.child(start) ?? null;
  if (scope === undefined || span === null) return run(null);
  return current.run({ ...scope, span }, () => endWith(span, run));
}

/** A span below that of its caller, for what ends elsewhere; its owner ends it. */
export function openStep(start: SpanStart): Span | null {
  return current.getStore()?.span?.child(start) ?? null;
}

/** The span of the caller, where it is recorded. */
export function recordedSpan(): Span | null {
  const span = current.getStore()?.span ?? null;
  return span?.context.isSampled === true ? span : null;
}

/**
 * Runs what many callers want at once: below the first of their spans, with links to the others. It is no
 * part of any of their requests.
 */
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

/** What a task is about. `follows`: the id of what it comes from; null: of nothing that is known. */
export type TaskSubject = { readonly attributes: Attributes; readonly follows: string | null };

/** Of a task that goes on with a payment. */
export function taskOfPayment(task: {
  readonly merchantId: string;
  readonly transactionId: string;
}): TaskSubject {
  const { merchantId, transactionId } = task;
  const attributes = { 'parcela.merchant.id': merchantId, 'parcela.payment.id': transactionId };
  return { attributes, follows: transactionId };
}

/**
 * One task of the work that falls due, wherever its turn came from: a trace of its own, or the one of what it
 * comes from. `about` null: it is not traced.
 */
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

/** The header that another program gets with what it is asked or sent; null: none. */
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
