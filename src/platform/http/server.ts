import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { readExactJson } from '../../values/exact-json.ts';
import { newId } from '../chance.ts';
import { errorFields, type Log } from '../log.ts';
import { isWorthAnotherTry } from '../postgres/batched-writes.ts';
import { DatabaseUnavailable } from '../postgres/database.ts';
import { kindOfRefusedWrite } from '../postgres/write-refusals.ts';
import { findAllFaults } from '../requests/find-all-faults.ts';
import {
  NO_KEY,
  parseQuery,
  type RequestReader,
  readIdempotencyKey,
  requestReader,
} from '../requests/request-reader.ts';
import { Overloaded } from '../work/overloaded.ts';
import { type Admission, NO_PLACE } from './admission.ts';
import {
  answerMalformedHttp,
  fail,
  isDoubtful,
  LARGEST_BODY_BYTES,
  refuse,
  refuseDoubtful,
  refuseUnknownCaller,
  send,
  sendErrors,
  serveOrCut,
} from './answers.ts';
import { bearerToken } from './bearer-token.ts';
import { readBodiesAsBytes, WrongContentType } from './body-bytes.ts';
import { Connection } from './connection.ts';
import type { Connections } from './connections.ts';
import { type Drain, drainConnections } from './draining.ts';
import type { Answer, Api, Call, Caller, Contract, Fault, ServedEndpoint } from './endpoint.ts';
import { CUT_CONNECTION } from './endpoint.ts';
import { forbiddenScope } from './failures.ts';
import { rateLimit } from './rate-limit.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { MOST_FAULTS } from './schema-faults.ts';
import { type Language, languageOf } from './sentence.ts';

/**
 * The caller of a token and its API; null for any token that is not good (now, from this address).
 */
export type Identify = (
  token: string,
  address: string,
) => Promise<{ readonly caller: Caller; readonly api: Api } | null>;

export type ServerOptions = {
  readonly endpoints: readonly ServedEndpoint[];
  /** Which APIs this listener serves, and under which path prefix (`` or `/gateway`). */
  readonly mounts: readonly { readonly api: Api; readonly prefix: string }[];
  readonly identify: Identify;
  /**
   * Called for each known caller that lacks the scope, before it is answered; when this fails, the
   * answer is 503.
   */
  readonly onForbidden: (caller: Caller, endpointId: string, address: string) => Promise<void>;
  readonly drain: Drain;
  readonly connections: Connections;
  readonly admission: Admission;
  readonly log: Log;
  readonly metrics: RequestMetrics;
  /** Whether nothing may act: only what reads is served then. */
  readonly isHeld: () => boolean;
  /** Addresses of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Whether a peer of this address is served; health always is. */
  readonly isServed: (address: string) => boolean;
  readonly requestsPerSecond: { readonly perCredential: number; readonly perMerchant: number };
  /** How long one request may take in all. */
  readonly requestDeadlineMilliseconds: number;
};

/** For a year. */
const STRICT_TRANSPORT = 'max-age=31536000';
/** As long as a request line can be: a longer id is an unknown id like any other. */
const LONGEST_PARAMETER = 16 * 1024;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    language: Language;
    startedAt: number;
  }
  interface FastifyContextConfig {
    endpoint?: Contract;
    /** Set where the path exists and the method does not. */
    allowedMethods?: string;
  }
}

/**
 * Builds one listener's server. The order of every request: 401, 404 and 405, 403, 429, 415, 413, 400, the
 * operation.
 */
export function buildServer(options: ServerOptions): FastifyInstance {
  const app = fastify({
    logger: false,
    genReqId: newId,
    bodyLimit: LARGEST_BODY_BYTES,
    serverFactory: (handle) => options.connections.createServer(handle),
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    forceCloseConnections: 'idle',
    // Ours to refuse, in the usual shape.
    return503OnClosing: false,
    routerOptions: {
      maxParamLength: LONGEST_PARAMETER,
      ignoreTrailingSlash: false,
      caseSensitive: true,
      querystringParser: parseQuery,
    },
    exposeHeadRoutes: false,
    // A malformed URL never reaches a route; it is refused in the same order as everything else.
    frameworkErrors: (_error, request, reply) => void answerMalformedUrl(options, request, reply),
    clientErrorHandler: (error, socket) => answerMalformedHttp(error, socket),
  });
  app.decorateRequest('caller', null);
  app.decorateRequest('language', 'pt');
  app.decorateRequest('startedAt', 0);
  readBodiesAsBytes(app);
  // Node would answer an expectation that it does not know by itself, before anybody asked who calls.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  admit(app, options, drainConnections(app, options.drain, options.connections));
  app.addHook('onSend', (request, reply, payload, done) => {
    // Only a trusted proxy can say that it was asked over TLS.
    if (request.protocol === 'https') reply.header('strict-transport-security', STRICT_TRANSPORT);
    done(null, payload);
  });
  app.setNotFoundHandler((request, reply) => fail(request, reply, 'noSuchPath'));
  app.setErrorHandler((error, request, reply) => answerError(options, error, request, reply));
  for (const { api, prefix } of options.mounts) {
    addRoutes(
      app,
      options,
      prefix,
      options.endpoints.filter(({ contract }) => contract.api === api),
    );
  }
  return app;
}

/**
 * Before the body is read: the caller (401), known path and method (404, 405), allowed (403), not
 * too often (429).
 */
function admit(app: FastifyInstance, options: ServerOptions, isClosed: () => boolean): void {
  const perCredential = rateLimit(options.requestsPerSecond.perCredential);
  const perMerchant = rateLimit(options.requestsPerSecond.perMerchant);
  const hasPage = options.endpoints.some(({ contract }) => contract.path === '/docs');
  let active = 0;
  app.addHook('onRequest', async (request, reply) => {
    request.startedAt = performance.now();
    active += 1;
    options.metrics.activeRequests.set(active);
    // Once for every request, whether it was answered, cut or left by its caller.
    reply.raw.once('close', () => {
      active -= 1;
      options.metrics.activeRequests.set(active);
      record(options, request, reply);
    });
    request.language = languageOf(request.headers['accept-language']);
    if (isDoubtful(request.raw)) return refuseDoubtful(request, reply);
    const { endpoint: wanted, allowedMethods } = request.routeOptions.config;
    // Health goes on to say itself how it is.
    const isTurnedAway = isClosed() && wanted?.api !== 'operations';
    if (isTurnedAway) return fail(request, reply, 'overloaded');
    if (wanted?.needsNoPlace !== true && !options.isServed(request.raw.socket.remoteAddress ?? ''))
      return fail(request, reply, 'notThroughProxy', { connection: 'close' });
    if (wanted === undefined && hasPage && isBrowserAtDoor(request)) {
      return send(request, reply, { status: 302, headers: { location: '/docs' } });
    }
    if (wanted !== undefined && wanted.scope === null && allowedMethods === undefined) return;
    if (wanted !== undefined && wanted.scope === null) return refuseMethod(request, reply);
    const known = await identifyRequest(options, request);
    if (known === 'unavailable') return fail(request, reply, 'overloaded');
    if (known === null || !isTokenFor(wanted, known.api)) return refuseUnknownCaller(request, reply);
    const { caller } = known;
    request.caller = caller;
    Connection.of(request.raw.socket)?.acceptCaller(request.raw);
    if (wanted === undefined) return fail(request, reply, 'noSuchPath');
    if (allowedMethods !== undefined) return refuseMethod(request, reply);
    if (wanted.scope !== 'any' && !caller.scopes.includes(wanted.scope as never)) {
      await options.onForbidden(caller, wanted.id, request.ip);
      return refuse(request, reply, forbiddenScope(wanted.scope as string));
    }
    const seconds = Math.max(
      perCredential.secondsToWait(caller.credentialId, request.startedAt),
      perMerchant.secondsToWait(caller.merchantId, request.startedAt),
    );
    if (seconds > 0) return fail(request, reply, 'tooManyRequests', { 'retry-after': String(seconds) });
    if (wanted.method !== 'GET' && options.isHeld()) return fail(request, reply, 'held');
  });
}

/**
 * A browser at our address is shown the documents; a program meets an unknown path like any other.
 */
function isBrowserAtDoor({ method, url, headers }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && (url === '/' || url === '/docs/') && (headers.accept?.includes('text/html') ?? false);
}

function refuseMethod(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return fail(request, reply, 'wrongMethod', { allow: request.routeOptions.config.allowedMethods ?? '' });
}

/** An unknown path takes any good token: its existence is not shown without one. */
function isTokenFor(wanted: Contract | undefined, api: Api): boolean {
  return wanted === undefined || wanted.api === 'either' || wanted.api === api;
}

async function identifyRequest(options: ServerOptions, request: FastifyRequest) {
  const token = bearerToken(request.raw);
  if (token === null) return null;
  try {
    return await options.identify(token, request.ip);
  } catch (error) {
    options.log.error({ requestId: request.id, ...errorFields(error) }, 'a token could not be checked');
    return 'unavailable';
  }
}

async function answerMalformedUrl(
  options: ServerOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  request.language = languageOf(request.headers['accept-language']);
  const known = await identifyRequest(options, request);
  if (known === null) refuseUnknownCaller(request, reply);
  else fail(request, reply, known === 'unavailable' ? 'overloaded' : 'malformedUrl');
}

/** Status 499, as proxies have it: the caller was gone before it had its answer. */
const CALLER_LEFT = 499;

function record(options: ServerOptions, request: FastifyRequest, reply: FastifyReply): void {
  const milliseconds = performance.now() - request.startedAt;
  const path = request.routeOptions.config.endpoint?.path ?? 'unknown';
  const status = reply.raw.writableFinished ? reply.statusCode : CALLER_LEFT;
  options.metrics.requests.observe(
    { http_request_method: request.method, http_route: path, http_response_status_code: status },
    milliseconds / 1_000,
  );
  const line = {
    requestId: request.id,
    method: request.method,
    route: path,
    status,
    milliseconds: Math.round(milliseconds * 100) / 100,
    merchantId: request.caller?.merchantId,
    userName: request.caller?.userName,
    address: request.ip,
  };
  options.log.info(line, 'request');
}

function addRoutes(
  app: FastifyInstance,
  options: ServerOptions,
  prefix: string,
  routes: readonly ServedEndpoint[],
): void {
  const byPath = Map.groupBy(routes, (served) => served.contract.path);
  for (const [path, sharing] of byPath) {
    const url = prefix + path.replaceAll(/\{(\w+)\}/g, ':$1');
    for (const served of sharing) addRoute(app, options, url, served);
    const allowed = sharing.flatMap((served) => methodsOf(served.contract));
    app.route({
      method: METHODS.filter((method) => !allowed.includes(method)) as 'GET'[],
      url,
      config: { endpoint: sharing[0]?.contract as Contract, allowedMethods: allowed.join(', ') },
      // The caller was answered before the body was read; this only gives the route the function that it must have.
      handler: refuseMethod,
    });
  }
}

/** HEAD is served wherever GET is, with the same headers (RFC 9110, 9.1); Node leaves the body out. */
function methodsOf({ method }: Contract): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

function addRoute(app: FastifyInstance, options: ServerOptions, url: string, served: ServedEndpoint): void {
  const read = requestReader(served.contract);
  app.route({
    method: methodsOf(served.contract) as 'GET'[],
    url,
    config: { endpoint: served.contract },
    handler: (request, reply) => serve(options, served, read, request, reply),
  });
}

/** An answer that is to be sent, all faults of the request, or nothing that would be true. */
type Made = Answer | { readonly faults: readonly Fault[] } | typeof CUT_CONNECTION;

/**
 * Answers in a place. It is given back before the answer goes out, which takes as long as its reader likes.
 */
async function serve(
  options: ServerOptions,
  served: ServedEndpoint,
  read: RequestReader,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // Its body came behind the answer that it had not come: what was said not to be done must not be done.
  if (Connection.of(request.raw.socket)?.isRefused()) return reply.hijack();
  const make = () => makeAnswer(options, served, read, request);
  const made = await (served.contract.needsNoPlace === true
    ? make()
    : options.admission.inPlace(request.caller?.merchantId ?? null, make));
  if (made === NO_PLACE) return fail(request, reply, 'overloaded');
  if (made === CUT_CONNECTION) {
    options.log.error(
      { requestId: request.id },
      'the connection was cut: the outcome could not be known in time',
    );
    reply.hijack();
    request.raw.socket.destroy();
    return reply;
  }
  if (!('faults' in made)) return send(request, reply, made);
  const errors = made.faults.map(({ tag, sentence }) => ({
    tag,
    description: sentence[request.language],
  }));
  return sendErrors(request, reply, 400, errors);
}

async function makeAnswer(
  options: ServerOptions,
  served: ServedEndpoint,
  read: RequestReader,
  request: FastifyRequest,
): Promise<Made> {
  const { contract } = served;
  const { key, faults: keyFaults } =
    contract.isRepeatable === true ? readIdempotencyKey(request.raw.rawHeaders) : NO_KEY;
  const reading = read(request.body as Buffer | undefined, request.query, request.caller, readExactJson);
  if (!reading.ok || keyFaults.length > 0) {
    const faults = [...keyFaults, ...(await findAllFaults(served, reading, request.caller))];
    return { faults: faults.slice(0, MOST_FAULTS) };
  }
  const call: Call<unknown, unknown, unknown> = {
    body: reading.body,
    query: reading.query,
    parameters: request.params,
    idempotency: key === null ? null : { key, target: targetOf(contract, request) },
    caller: request.caller,
    language: request.language,
    requestId: request.id,
    address: request.ip,
    deadlineAt: request.startedAt + (served.deadlineMilliseconds ?? options.requestDeadlineMilliseconds),
  };
  return serveOrCut(options.log, served, call);
}

function targetOf({ method, path }: Contract, request: FastifyRequest): string {
  const parameters = request.params as Readonly<Record<string, string>>;
  // One id in capitals and in small letters names one thing, and one key belongs to it.
  const sent = (_: string, name: string) => parameters[name]?.toLowerCase() ?? '';
  return `${method} ${path.replaceAll(/\{(\w+)\}/g, sent)}`;
}

/**
 * The last resort: an error of one request ends that request alone, and reveals nothing of our
 * insides.
 */
function answerError(
  options: ServerOptions,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const code = (error as { code?: string }).code;
  // The caller left in the middle of its request, or it was malformed HTTP: nothing reads the
  // answer.
  if (code === 'ECONNRESET' && request.raw.destroyed) return fail(request, reply, 'malformedHttp');
  if (error instanceof WrongContentType || code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return fail(request, reply, 'wrongContentType');
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return fail(request, reply, 'tooLarge', { connection: 'close' });
  if (code?.startsWith('FST_ERR_CTP_')) return fail(request, reply, 'malformedJson', { connection: 'close' });
  options.log.error({ requestId: request.id, ...errorFields(error) }, 'a request failed');
  // Nothing was written, or it has no effect; so is what the database rolled back for a lock, a
  // timeout, or a full disk.
  const isUnavailable =
    error instanceof DatabaseUnavailable ||
    error instanceof Overloaded ||
    isWorthAnotherTry(error) ||
    kindOfRefusedWrite(error) !== null;
  if (isUnavailable) return fail(request, reply, 'overloaded');
  return fail(request, reply, 'unknownFailure');
}
