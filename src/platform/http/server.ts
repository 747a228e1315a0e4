import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { readExactJson } from '../../values/exact-json.ts';
import { newId } from '../chance.ts';
import { errorFields, type Log } from '../log.ts';
import { isWorthAnotherTry, Overloaded } from '../postgres/batched-writes.ts';
import { DatabaseUnavailable } from '../postgres/database.ts';
import { kindOfRefusedWrite } from '../postgres/write-refusals.ts';
import { findAllFaults } from '../requests/find-all-faults.ts';
import {
  parseQuery,
  type RequestReader,
  readIdempotencyKey,
  requestReader,
} from '../requests/request-reader.ts';
import {
  answerMalformedHttp,
  fail,
  followAnswer,
  isDoubtful,
  LARGEST_BODY_BYTES,
  refuse,
  refuseDoubtful,
  refuseUnknownCaller,
  send,
  sendErrors,
  serveOrCut,
} from './answers.ts';
import { type Drain, drainConnections } from './draining.ts';
import type { Api, Call, Caller, Contract, ServedEndpoint } from './endpoint.ts';
import { CUT_CONNECTION } from './endpoint.ts';
import { FAILURES, forbiddenScope } from './failures.ts';
import { rateLimit } from './rate-limit.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { MOST_FAULTS } from './schema-faults.ts';
import { type Language, languageOf } from './sentence.ts';

/** Who a token stands for, and of which API it is; null for any token that is not good (now, from this address). */
export type Identify = (
  token: string,
  address: string,
) => Promise<{ readonly caller: Caller; readonly api: Api } | null>;

export type ServerOptions = {
  readonly endpoints: readonly ServedEndpoint[];
  /** Which APIs this listener serves, and under which path prefix (`` or `/gateway`). */
  readonly mounts: readonly { readonly api: Api; readonly prefix: string }[];
  readonly identify: Identify;
  /** Hears of each known caller that lacks the scope, before it is told; when this fails, the answer is 503. */
  readonly onForbidden: (caller: Caller, endpointId: string, address: string) => Promise<void>;
  readonly drain: Drain;
  readonly log: Log;
  readonly metrics: RequestMetrics;
  /** Whether nothing may act: only what reads is served then. */
  readonly isHeld: () => boolean;
  /** Addresses of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly requestsPerSecond: { readonly perCredential: number; readonly perMerchant: number };
  /** How long one request may take in all. */
  readonly requestDeadlineMilliseconds: number;
};

const MOST_ACTIVE_REQUESTS = 2_000;
const HEADERS_TIMEOUT_MILLISECONDS = 10_000;
const REQUEST_TIMEOUT_MILLISECONDS = 20_000;
/** How often callers that are slower than the two limits above are looked for. */
const SLOW_SWEEP_MILLISECONDS = 2_000;
const KEEP_ALIVE_MILLISECONDS = 65_000;
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

/** Builds one listener's server. The order of every request: 401, 404 and 405, 403, 429, 415, 413, 400, the operation. */
export function buildServer(options: ServerOptions): FastifyInstance {
  const app = fastify({
    logger: false,
    genReqId: newId,
    bodyLimit: LARGEST_BODY_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
    requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MILLISECONDS,
      connectionsCheckingInterval: SLOW_SWEEP_MILLISECONDS,
      // Ours to refuse, in the usual shape.
      requireHostHeader: false,
    },
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
  admit(app, options, drainConnections(app, options.drain));
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

/** The bytes come as they are: our own reader looks at them. The content type matters only when there is a body. */
function readBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^application\/json(\s*;|\s*$)/i, { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length > 0 && !isPlainUtf8(request)) return done(new WrongContentType());
    done(null, body);
  });
  app.addContentTypeParser('*', (request, payload, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && (length === undefined || length === '0')) return done(null, undefined);
    payload.resume();
    done(new WrongContentType());
  });
}

class WrongContentType extends Error {}

function isPlainUtf8(request: FastifyRequest): boolean {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return false;
  // Every charset that is named, however it is written, must be the one that is read.
  const charsets = (request.headers['content-type'] ?? '').matchAll(/;\s*charset\s*=([^;]*)/gi);
  return charsets.every(([, charset = '']) => /^\s*(utf-?8|"utf-?8")\s*$/i.test(charset));
}

/** Before the body is read: who calls (401), known path and method (404, 405), allowed (403), not too often (429). */
function admit(app: FastifyInstance, options: ServerOptions, isClosed: () => boolean): void {
  const perCredential = rateLimit(options.requestsPerSecond.perCredential);
  const perMerchant = rateLimit(options.requestsPerSecond.perMerchant);
  let active = 0;
  app.addHook('onRequest', async (request, reply) => {
    request.startedAt = performance.now();
    if (!followAnswer(request.raw, reply.raw)) return reply.hijack();
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
    if (active > MOST_ACTIVE_REQUESTS || isTurnedAway) return fail(request, reply, 'overloaded');
    if (wanted === undefined && isBrowserAtDoor(request)) {
      return send(request, reply, { status: 302, headers: { location: '/docs' } });
    }
    if (wanted !== undefined && wanted.scope === null && allowedMethods === undefined) return;
    if (wanted !== undefined && wanted.scope === null) return refuseMethod(request, reply);
    const known = await identifyRequest(options, request);
    if (known === 'unavailable') return fail(request, reply, 'overloaded');
    if (known === null || !isTokenFor(wanted, known.api)) return refuseUnknownCaller(request, reply);
    const { caller } = known;
    request.caller = caller;
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

/** Whoever types our address into a browser is shown the documents; a program meets an unknown path like any other. */
function isBrowserAtDoor({ method, url, headers }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && (url === '/' || url === '/docs/') && (headers.accept?.includes('text/html') ?? false);
}

function refuseMethod(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return fail(request, reply, 'wrongMethod', { allow: request.routeOptions.config.allowedMethods ?? '' });
}

/** An unknown path takes any good token: whether it exists is not told to those without. */
function isTokenFor(wanted: Contract | undefined, api: Api): boolean {
  return wanted === undefined || wanted.api === 'either' || wanted.api === api;
}

async function identifyRequest(options: ServerOptions, request: FastifyRequest) {
  const token = bearerToken(request);
  if (token === null) return null;
  try {
    return await options.identify(token, request.ip);
  } catch (error) {
    options.log.error({ requestId: request.id, ...errorFields(error) }, 'a token could not be checked');
    return 'unavailable';
  }
}

/** The token of exactly one `Authorization: Bearer …` header. Node keeps the first of two: the raw headers tell. */
function bearerToken(request: FastifyRequest): string | null {
  const header = request.headers.authorization;
  if (header === undefined || header.length > 512) return null;
  const raw = request.raw.rawHeaders;
  let seen = 0;
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index]?.length === 13 && raw[index]?.toLowerCase() === 'authorization') seen += 1;
  }
  if (seen !== 1) return null;
  return /^Bearer ([\w~+/.=-]+)$/i.exec(header)?.[1] ?? null;
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

async function serve(
  options: ServerOptions,
  served: ServedEndpoint,
  read: RequestReader,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { contract } = served;
  const key = contract.isRepeatable === true ? readIdempotencyKey(request.raw.rawHeaders) : null;
  const reading = read(request.body as Buffer | undefined, request.query, request.caller, readExactJson);
  if (!reading.ok || key === 'malformed') {
    const faults = [
      ...(key === 'malformed' ? [FAILURES.malformedIdempotencyKey] : []),
      ...(await findAllFaults(served, reading, request.caller)),
    ].slice(0, MOST_FAULTS);
    const errors = faults.map(({ tag, sentence }) => ({
      tag,
      description: sentence[request.language],
    }));
    return sendErrors(request, reply, 400, errors);
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
  const answer = await serveOrCut(options.log, served, call);
  if (answer === CUT_CONNECTION) {
    options.log.error(
      { requestId: request.id },
      'the connection was cut: the outcome could not be known in time',
    );
    reply.hijack();
    request.raw.socket.destroy();
    return reply;
  }
  return send(request, reply, answer);
}

function targetOf({ method, path }: Contract, request: FastifyRequest): string {
  const parameters = request.params as Readonly<Record<string, string>>;
  // One id in capitals and in small letters names one thing, and one key belongs to it.
  const sent = (_: string, name: string) => parameters[name]?.toLowerCase() ?? '';
  return `${method} ${path.replaceAll(/\{(\w+)\}/g, sent)}`;
}

/** The last resort: an error of one request ends that request alone, and tells nothing of our insides. */
function answerError(
  options: ServerOptions,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const code = (error as { code?: string }).code;
  // The caller left in the middle of its request, or what came of it was no HTTP: nobody hears the answer.
  if (code === 'ECONNRESET' && request.raw.destroyed) return fail(request, reply, 'malformedHttp');
  if (error instanceof WrongContentType || code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return fail(request, reply, 'wrongContentType');
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return fail(request, reply, 'tooLarge', { connection: 'close' });
  if (code?.startsWith('FST_ERR_CTP_')) return fail(request, reply, 'malformedJson', { connection: 'close' });
  options.log.error({ requestId: request.id, ...errorFields(error) }, 'a request failed');
  // Nothing was written, or what was counts for nobody; so is what the database rolled back because others held what it
  // needs, because it took too long, or for want of disk.
  const isUnavailable =
    error instanceof DatabaseUnavailable ||
    error instanceof Overloaded ||
    isWorthAnotherTry(error) ||
    kindOfRefusedWrite(error) !== null;
  if (isUnavailable) return fail(request, reply, 'overloaded');
  return fail(request, reply, 'unknownFailure');
}
