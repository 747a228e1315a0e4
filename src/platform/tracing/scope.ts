import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyRequest } from 'fastify';
import { holdsCardNumber } from '../../values/card-number-in-text.ts';
import { isUuid } from '../../values/ids.ts';
import type { Answer, Caller } from '../http/endpoint.ts';
import type { IsTrusted } from '../http/peers.ts';
import {
  type Attributes,
  errorTypeOf,
  readTraceparent,
  type Span,
  type SpanStart,
  traceparentOf,
} from './span.ts';
import type { Tracer, TraceTarget } from './tracer.ts';

type RequestFields = {
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

export function traced<T>(start: SpanStart, run: (span: Span | null) => Promise<T>): Promise<T> {
  const scope = current.getStore();
  const span = scope?.span?.child(start) ?? null;
  if (scope === undefined || span === null) return run(null);
  return current.run({ ...scope, span }, () => endWith(span, run));
}

/** A child span of the current one, which its owner ends elsewhere; null: not recorded. */
export function openStep(start: SpanStart): Span | null {
  return current.getStore()?.span?.child(start) ?? null;
}

export function recordedSpan(): Span | null {
  const span = current.getStore()?.span ?? null;
  return span?.context.isSampled === true ? span : null;
}

/**
 * Runs work shared by many callers, below the first caller's span with links to the others, outside of all
 * requests.
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

/** `follows`: the id of what the task continues, if known. */
export type TaskSubject = { readonly attributes: Attributes; readonly follows: string | null };

export function taskOfPayment(task: {
  readonly merchantId: string;
  readonly transactionId: string;
}): TaskSubject {
  const { merchantId, transactionId } = task;
  const attributes = { 'parcela.merchant.id': merchantId, 'parcela.payment.id': transactionId };
  return { attributes, follows: transactionId };
}

/** Runs one due task in a trace: its own, or the one that it follows. `about` null: not traced. */
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

export type RequestScopeOptions = {
  readonly tracer: Tracer | null;
  /** The header with a trusted proxy's own request id, in lower case. */
  readonly requestIdHeader: string | null;
};

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
const PROXY_REQUEST_ID = /^[\w.:/+=@-]{1,128}$/;
/** Where the id of a payment is found: in a header of every answer about one, and in path parameters. */
const PAYMENT_HEADER = 'x-payment-id';
const PAYMENT_PARAMETERS = ['paymentId', 'boletoId'];

/** The identity of a request for its callees. Only a trusted proxy may set it, or bring a trace. */
export function openRequestScope(
  { tracer, requestIdHeader }: RequestScopeOptions,
  request: FastifyRequest,
  isTrusted: IsTrusted,
): Scope {
  const { headers, id: requestId } = request;
  const isFromProxy = isTrusted(request.raw.socket.remoteAddress ?? '');
  const named = isFromProxy && requestIdHeader !== null ? headers[requestIdHeader] : undefined;
  const isName = typeof named === 'string' && PROXY_REQUEST_ID.test(named) && !holdsCardNumber(named);
  const fields: RequestFields = { requestId, ...(isName ? { proxyRequestId: named } : {}) };
  const { contract: endpoint } = request;
  // Probes come every second and belong to no payment.
  if (tracer === null || endpoint?.needsNoPlace === true)
    return { tracer: null, span: null, request: { fields, isOver: false } };
  const method = METHODS.includes(request.method) ? request.method : '_OTHER';
  const route = endpoint?.path ?? null;
  const span = tracer.begin(
    {
      name: route === null ? method : `${method} ${route}`,
      kind: 'server',
      attributes: { 'http.request.method': method, 'http.route': route, 'parcela.request.id': requestId },
    },
    { caller: isFromProxy ? readTraceparent(headers.traceparent) : null },
  );
  return { tracer, span, request: { fields, isOver: false } };
}

export function noteCaller({ span, request }: Scope, { merchantId, userName, credentialId }: Caller): void {
  if (request !== null) Object.assign(request.fields, { merchantId, userName, credentialId });
  span?.set({ 'parcela.merchant.id': merchantId });
}

export function noteNamedPayment(request: FastifyRequest, answer: Pick<Answer, 'headers'> | null): void {
  const parameters = request.params as Readonly<Record<string, string>>;
  const ids = [answer?.headers?.[PAYMENT_HEADER], ...PAYMENT_PARAMETERS.map((name) => parameters[name])];
  const paymentId = ids.find((id) => id !== undefined && isUuid(id))?.toLowerCase();
  if (paymentId !== undefined) notePayment({ paymentId });
}

/** Called after the request's last log line. */
export function endRequestScope({ span, request }: Scope, status: number): void {
  if (request !== null) request.isOver = true;
  span?.set({ 'http.response.status_code': status });
  if (status >= 500) span?.fail(String(status));
  span?.end();
}
