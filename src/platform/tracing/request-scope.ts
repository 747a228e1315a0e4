import type { FastifyRequest } from 'fastify';
import { holdsCardNumber } from '../../values/card-number-in-text.ts';
import { isUuid } from '../../values/ids.ts';
import type { Answer, Caller } from '../http/endpoint.ts';
import type { IsTrusted } from '../http/peers.ts';
import { notePayment, type RequestFields, type Scope } from './scope.ts';
import { readTraceparent } from './span.ts';
import type { Tracer } from './tracer.ts';

export type RequestScopeOptions = {
  readonly tracer: Tracer | null;
  /** The header with a trusted proxy's own request id, in lower case. */
  readonly requestIdHeader: string | null;
};

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
const PROXY_REQUEST_ID = /^[\w.:/+=@-]{1,128}$/;
/** Set on every answer about a payment. Parameters that are its id. */
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
  const { endpoint } = request.routeOptions.config;
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

/** The payment that path or answer names. */
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
