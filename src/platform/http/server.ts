import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { addressGroup, parseAddress } from '../../values/ip-address.ts';
import { newId } from '../chance.ts';
import { errorFields } from '../log.ts';
import type { Outages } from '../outages.ts';
import { kindOfRefusedWrite } from '../postgres/write-refusals.ts';
import { parseQuery } from '../requests/request-reader.ts';
import {
  endRequestScope,
  inScope,
  noteCaller,
  openRequestScope,
  type RequestScopeOptions,
  type Scope,
} from '../tracing/scope.ts';
import { addPages, type Pages } from '../web-pages/page-routes.ts';
import { isRefusedNow } from '../work/refused-read.ts';
import {
  answerInParts,
  answerMalformedHttp,
  BrokenOff,
  fail,
  failAndEnd,
  isDoubtful,
  refuse,
  refuseMethod,
  refuseUnknownCaller,
  send,
} from './answers.ts';
import { bearerToken } from './bearer-token.ts';
import {
  type BodyMemory,
  BodyMemoryTaken,
  BodyTooLarge,
  LARGEST_BODY_BYTES,
  readBodiesAsBytes,
  WrongContentType,
} from './body-memory.ts';
import type { CallerConnections } from './caller-connections.ts';
import { Connection } from './connection.ts';
import { observeRefused, type RefusedRequests, type RequestMetrics } from './crowd-metrics.ts';
import { type Drain, drainConnections } from './draining.ts';
import type { Api, Caller, Contract, ServedEndpoint } from './endpoint.ts';
import { type Failure, type failureOfHold, forbiddenScope } from './failures.ts';
import { trustedPeers } from './peers.ts';
import { type RateLimit, rateLimit } from './rate-limit.ts';
import { addRoutes, MATCHING, openPlaces, originOf, type RouteOptions } from './routes.ts';
import { type Language, languageOf } from './sentence.ts';

/** Null if the token is not valid now, for this API, from this address. */
export type Identify = (
  token: string,
  address: string,
) => Promise<{ readonly caller: Caller; readonly api: Api } | null>;

export type ServerOptions = RouteOptions & {
  readonly scopes: RequestScopeOptions;
  readonly endpoints: readonly ServedEndpoint[];
  /** The APIs that this listener serves, and their path prefixes (`` or `/gateway`). */
  readonly mounts: readonly { readonly api: Api; readonly prefix: string }[];
  /** Browsers that ask for `/` are sent to the first of these. */
  readonly pages: readonly Pages[];
  /** Whether browsers reach it over TLS only, as the operator's settings say. */
  readonly isOverTls: boolean;
  readonly identify: Identify;
  /** Called before the answer to a known caller without the scope. If it fails, the answer is 503. */
  readonly onForbidden: (caller: Caller, endpointId: string, address: string) => Promise<void>;
  readonly drain: Drain;
  /** Resolves when the start is recorded. Callers that come before wait for it, some milliseconds. */
  readonly opened: Promise<void>;
  readonly outages: Pick<Outages, 'explains'>;
  readonly connections: CallerConnections;
  readonly bodies: BodyMemory;
  readonly metrics: RequestMetrics;
  /** Why only reads are served; null: writes are served too. */
  readonly whyHeld: () => ReturnType<typeof failureOfHold>;
  /** Addresses of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly requestsPerSecond: {
    readonly perCredential: number;
    readonly perMerchant: number;
    /** For requests without a valid token, and for those that need none. */
    readonly perAddress: number;
  };
};

type Serving = ServerOptions & { readonly refused: RefusedRequests; readonly strangers: RateLimit };

const STRICT_TRANSPORT = 'max-age=31536000';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    /** The contract served at its path. Null: none, or pages. */
    contract: Contract | null;
    /** The methods of its path, if the request's own is not one of them. */
    allowedMethods: readonly string[] | null;
    language: Language;
    startedAt: number;
    /** The error that broke off its streamed answer; null: none did, or the reader left. */
    brokenBy: unknown;
    scope: Scope | null;
  }
  interface FastifyContextConfig {
    endpoint?: Contract;
  }
}

/** One listener's server. The order of checks: 401, 404 and 405, 403, 429, 415, 413, 400, the operation. */
export function buildServer(wanted: ServerOptions): FastifyInstance {
  const strangers = rateLimit(wanted.requestsPerSecond.perAddress);
  const options: Serving = { ...wanted, refused: observeRefused(wanted.log, wanted.outages), strangers };
  const app = fastify({
    logger: false,
    genReqId: newId,
    bodyLimit: LARGEST_BODY_BYTES,
    serverFactory: (handle) => options.connections.createServer(handle),
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    // A request during the close is refused by `whyTurnedAway`, in the usual shape.
    return503OnClosing: false,
    routerOptions: { ...MATCHING, querystringParser: parseQuery },
    exposeHeadRoutes: false,
    // A malformed URL reaches no route; it is refused in the same order as all others.
    frameworkErrors: (_error, request, reply) => void answerMalformedUrl(options, request, reply),
    clientErrorHandler: (error, socket) => answerMalformedHttp(error, socket),
  });
  app.decorateRequest('caller', null);
  app.decorateRequest('contract', null);
  app.decorateRequest('allowedMethods', null);
  app.decorateRequest('language', 'pt');
  app.decorateRequest('startedAt', 0);
  app.decorateRequest('brokenBy', null);
  app.decorateRequest('scope', null);
  app.decorateRequest('pageOf', null);
  readBodiesAsBytes(app, options.bodies);
  answerInParts(app);
  // Node would answer an unknown `Expect` header itself, before the caller is known.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const isOver = drainConnections(app, options.drain, options.connections);
  const places = openPlaces();
  app.addHook('onRequest', (request, _reply, done) => {
    places.name(request);
    done();
  });
  waitForStart(app, options.opened);
  admit(app, options, isOver);
  app.addHook('onSend', (request, reply, payload, done) => {
    // Without `isOverTls`, only a trusted proxy can say that the request came over TLS.
    if (options.isOverTls || request.protocol === 'https')
      reply.header('strict-transport-security', STRICT_TRANSPORT);
    done(null, payload);
  });
  app.setNotFoundHandler((request, reply) => fail(request, reply, 'noSuchPath'));
  app.setErrorHandler((error, request, reply) => answerError(options, error, request, reply));
  for (const { api, prefix } of options.mounts) {
    addRoutes(
      app,
      options,
      places,
      prefix,
      options.endpoints.filter(({ contract }) => contract.api === api),
    );
  }
  const { bodies } = options;
  for (const pages of options.pages)
    addPages(app, pages, (error, request) => failureOf(options, error, request), { bodies, originOf });
  return app;
}

/** Before the body is read: caller (401), path and method (404, 405), scope (403), rate (429). */
function admit(app: FastifyInstance, options: Serving, isClosed: () => boolean): void {
  const perCredential = rateLimit(options.requestsPerSecond.perCredential);
  const perMerchant = rateLimit(options.requestsPerSecond.perMerchant);
  const hasDocuments = options.endpoints.some(({ contract }) => contract.path === '/docs');
  const home = options.pages[0]?.prefix ?? (hasDocuments ? '/docs' : null);
  const isTrusted = trustedPeers(options.trustedProxies);
  let active = 0;
  app.addHook('onRequest', async (request, reply) => {
    request.startedAt = performance.now();
    request.scope = openRequestScope(options.scopes, request, isTrusted);
    active += 1;
    options.metrics.activeRequests.set(active);
    // Once for every request, whether answered, cut or abandoned.
    reply.raw.once('close', () => {
      active -= 1;
      options.metrics.activeRequests.set(active);
      request.bodyHold?.release();
      record(options, request, reply);
    });
    request.language = languageOf(request.headers['accept-language']);
    const { contract: wanted, allowedMethods } = request;
    const failure = whyTurnedAway(request, isClosed());
    if (failure !== null) return failAndEnd(request, reply, failure);
    if (isNameless(request)) {
      const seconds = strangerSeconds(options, request);
      if (seconds > 0) return slowDown(request, reply, seconds);
    }
    if (request.routeOptions.config.isPage === true) return;
    if (wanted === null && isBrowserAtDoor(request)) {
      const location = request.url === '/' ? home : hasDocuments ? '/docs' : null;
      if (location !== null) return send(request, reply, { status: 302, headers: { location } });
    }
    if (wanted?.scope === null) return allowedMethods === null ? undefined : refuseMethod(request, reply);
    const known = await identifyRequest(options, request);
    if (known === 'unavailable') return fail(request, reply, 'overloaded');
    if (known === null || !isTokenFor(wanted, known.api)) {
      const seconds = isNameless(request) ? 0 : strangerSeconds(options, request);
      return seconds > 0 ? slowDown(request, reply, seconds) : refuseUnknownCaller(request, reply);
    }
    const { caller } = known;
    request.caller = caller;
    noteCaller(request.scope, caller);
    Connection.of(request.raw.socket)?.acceptCaller(request.raw);
    if (wanted === null) return fail(request, reply, 'noSuchPath');
    if (allowedMethods !== null) return refuseMethod(request, reply);
    if (wanted.scope !== 'any' && !caller.scopes.includes(wanted.scope as never)) {
      await options.onForbidden(caller, wanted.id, request.ip);
      return refuse(request, reply, forbiddenScope(wanted.scope as string));
    }
    const seconds = Math.max(
      perCredential.secondsToWait(caller.credentialId, request.startedAt),
      perMerchant.secondsToWait(caller.merchantId, request.startedAt),
    );
    if (seconds > 0) return slowDown(request, reply, seconds);
    const held = wanted.method === 'GET' ? null : options.whyHeld();
    if (held !== null) return fail(request, reply, held);
  });
}

/** Why the request is refused and its connection ended; null: the request goes on. */
function whyTurnedAway({ raw, contract: wanted }: FastifyRequest, isClosed: boolean): Failure | null {
  const connection = Connection.of(raw.socket);
  const isHealth = wanted?.needsNoPlace === true;
  const isMalformed = isDoubtful(raw);
  if (connection?.isServed === false && (isMalformed || !isHealth)) return 'notThroughProxy';
  if (isMalformed) return 'malformedHttp';
  if (connection?.isReserved === true && !isHealth) return 'overloaded';
  // Reads of `operations` are answered until the end: health reports the stop itself.
  return isClosed && !(wanted?.api === 'operations' && wanted.method === 'GET') ? 'overloaded' : null;
}

/** Whether the request shows nothing about its caller. Health is answered to everybody. */
function isNameless({ raw, contract, routeOptions: { config } }: FastifyRequest): boolean {
  if (contract?.needsNoPlace === true) return false;
  if (config.isForStrangers === true) return true;
  if (contract?.scope === null) return true;
  return config.isPage === true ? raw.headers.cookie === undefined : bearerToken(raw) === null;
}

function strangerSeconds({ strangers }: Serving, { ip }: FastifyRequest): number {
  return strangers.secondsToWait(addressGroup(parseAddress(ip)), performance.now());
}

function slowDown(request: FastifyRequest, reply: FastifyReply, seconds: number): FastifyReply {
  return fail(request, reply, 'tooManyRequests', { 'retry-after': String(seconds) });
}

/** Browsers at the root get the pages or the documents; programs get 404. */
function isBrowserAtDoor({ method, url, headers }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && (url === '/' || url === '/docs/') && (headers.accept?.includes('text/html') ?? false);
}

/** An unknown path takes any valid token. Without one the answer does not show whether the path exists. */
function isTokenFor(wanted: Contract | null, api: Api): boolean {
  return wanted === null || wanted.api === 'either' || wanted.api === api;
}

async function identifyRequest(options: Serving, request: FastifyRequest) {
  const token = bearerToken(request.raw);
  if (token === null) return null;
  try {
    return await inScope(request.scope ?? undefined, () => options.identify(token, request.ip));
  } catch (error) {
    if (isRefusal(error)) options.refused.note(error, { requestId: request.id, merchantId: null });
    else options.log.error({ requestId: request.id, ...errorFields(error) }, 'a token could not be checked');
    return 'unavailable';
  }
}

async function answerMalformedUrl(
  options: Serving,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  request.language = languageOf(request.headers['accept-language']);
  const failure = whyTurnedAway(request, false);
  if (failure !== null) return void failAndEnd(request, reply, failure);
  const known = await identifyRequest(options, request);
  const seconds = known === null ? strangerSeconds(options, request) : 0;
  if (seconds > 0) slowDown(request, reply, seconds);
  else if (known === null) refuseUnknownCaller(request, reply);
  else fail(request, reply, known === 'unavailable' ? 'overloaded' : 'malformedUrl');
}

/** The status that proxies log when the caller left before its answer. */
const CALLER_LEFT = 499;

function record(options: ServerOptions, request: FastifyRequest, reply: FastifyReply): void {
  const milliseconds = performance.now() - request.startedAt;
  const path = request.pageOf?.route ?? request.contract?.path ?? 'unknown';
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
    ...visitorOf(request),
    address: request.ip,
  };
  const isHealth = request.contract?.needsNoPlace === true;
  const level = isHealth ? 'debug' : 'info';
  if (request.brokenBy !== null) recordBrokenOff(options, request);
  inScope(request.scope ?? undefined, () => options.log[level](line, 'request'));
  if (request.scope !== null) endRequestScope(request.scope, status);
}

/** The outage's own log line covers the errors that it explains. */
function recordBrokenOff(
  { log, outages }: ServerOptions,
  { id: requestId, brokenBy, scope }: FastifyRequest,
): void {
  if (outages.explains(brokenBy, 'requests')) return;
  const level = brokenBy instanceof BrokenOff ? 'warn' : 'error';
  inScope(scope ?? undefined, () =>
    log[level]({ requestId, ...errorFields(brokenBy) }, 'an answer broke off'),
  );
}

function visitorOf({ pageOf }: FastifyRequest): { merchantId?: unknown; userName?: unknown } {
  return pageOf === null ? {} : { merchantId: pageOf.merchantId, userName: pageOf.userName };
}

/** The last resort: an error ends only its request, and its answer reveals nothing internal. */
function answerError(
  options: Serving,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const failure = failureOf(options, error, request);
  return fail(request, reply, failure, endsConnection(error) ? { connection: 'close' } : {});
}

/** Whether the connection must end with the answer, because more of the body may arrive after it. */
function endsConnection(error: unknown): boolean {
  const code = (error as { code?: string }).code;
  const isOurs = error instanceof BodyMemoryTaken || error instanceof BodyTooLarge;
  const isParsers = code?.startsWith('FST_ERR_CTP_') === true && code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE';
  return isOurs || isParsers;
}

function failureOf(options: Serving, error: unknown, request: FastifyRequest): Failure {
  const code = (error as { code?: string }).code;
  // The caller left, or sent malformed HTTP: nobody reads the answer.
  if (code === 'ECONNRESET' && request.raw.destroyed) return 'malformedHttp';
  if (error instanceof WrongContentType || code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return 'wrongContentType';
  if (error instanceof BodyMemoryTaken) return 'overloaded';
  if (error instanceof BodyTooLarge || code === 'FST_ERR_CTP_BODY_TOO_LARGE') return 'tooLarge';
  if (code?.startsWith('FST_ERR_CTP_')) return 'malformedJson';
  if (isRefusal(error)) {
    const merchantId = request.caller?.merchantId ?? null;
    options.refused.note(error, { requestId: request.id, merchantId });
    const refused = kindOfRefusedWrite(error);
    return refused === 'full' || refused === 'readOnly' ? 'unwritable' : 'overloaded';
  }
  const fields = { requestId: request.id, ...errorFields(error) };
  inScope(request.scope ?? undefined, () => options.log.error(fields, 'a request failed'));
  return 'unknownFailure';
}

/**
 * Whether the database refused for now: nothing was written, or it has no effect. Includes rollbacks for a
 * lock, a timeout or a full disk.
 */
function isRefusal(error: unknown): boolean {
  return isRefusedNow(error) || kindOfRefusedWrite(error) !== null;
}

function waitForStart(app: FastifyInstance, opened: Promise<void>): void {
  let isOpen = false;
  const toOpen = opened.then(() => {
    isOpen = true;
  });
  // Perhaps nobody waits when a start fails: the error must not end the process here.
  toOpen.catch(() => {});
  app.addHook('onRequest', (_request, _reply, done) => {
    if (isOpen) done();
    else toOpen.then(() => done(), done);
  });
}
