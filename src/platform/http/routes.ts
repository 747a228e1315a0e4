import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import findMyWay from 'find-my-way';
import { readExactJson } from '../../values/exact-json.ts';
import type { Log } from '../log.ts';
import {
  NO_KEY,
  type RequestReader,
  type RequestReading,
  readIdempotencyKey,
  requestReader,
} from '../requests/request-reader.ts';
import { inScope, noteNamedPayment } from '../tracing/scope.ts';
import { type Admission, NO_PLACE } from './admission.ts';
import { fail, send, sendErrors, serveOrCut } from './answers.ts';
import { Connection } from './connection.ts';
import type { Door } from './endpoint.ts';
import {
  type Answer,
  type Call,
  type Caller,
  type Contract,
  CUT_CONNECTION,
  type Fault,
  type ServedEndpoint,
} from './endpoint.ts';
import { MOST_FAULTS } from './schema-faults.ts';

export type RouteOptions = {
  readonly admission: Admission;
  readonly log: Log;
  readonly requestDeadlineMilliseconds: number;
  /** The origin of the pages for payers. Null: the origin of each request. */
  readonly pagesOrigin: string | null;
};

/** How paths are matched. A path parameter longer than `maxParamLength` is treated as an unknown id. */
export const MATCHING = { maxParamLength: 16 * 1024, ignoreTrailingSlash: false, caseSensitive: false };

/** What is served at a path: its methods, and the contract in whose name another method is refused. */
type Place = { readonly allowed: readonly string[]; readonly first: Contract };

/**
 * The paths of a listener without their methods: a route for each of 34 methods would slow a start by 0.1 s.
 */
export type Places = {
  add(url: string, place: Place): void;
  /**
   * Notes contract and methods of the request's path, so that a method that it lacks gets 405 and not 404.
   */
  name(request: FastifyRequest): void;
};

export function openPlaces(): Places {
  // The query is parsed later, once, and only for admitted callers.
  const router = findMyWay({ ...MATCHING, querystringParser: () => null });
  return {
    add(url, place) {
      router.on('GET', url, () => {}, place);
    },
    name(request) {
      const place = router.find('GET', request.url)?.store as Place | undefined;
      if (place === undefined) return;
      const isAllowed = place.allowed.includes(request.method);
      request.contract = isAllowed ? (request.routeOptions.config.endpoint ?? null) : place.first;
      request.allowedMethods = isAllowed ? null : place.allowed;
    },
  };
}

export function addRoutes(
  app: FastifyInstance,
  options: RouteOptions,
  places: Places,
  prefix: string,
  routes: readonly ServedEndpoint[],
): void {
  const opened = routes.flatMap((served) => doorsOf(served).map((door) => ({ served, door })));
  const byPath = Map.groupBy(opened, ({ door }) => door.path);
  for (const [path, sharing] of byPath) {
    const url = prefix + path.replaceAll(/\{(\w+)\}/g, ':$1');
    for (const { served, door } of sharing) addRoute(app, options, url, served, door);
    places.add(url, {
      allowed: sharing.flatMap(({ door }) => methodsOf(door)),
      first: sharing[0]?.served.contract as Contract,
    });
  }
}

function doorsOf({ contract: { method, path }, synonyms }: ServedEndpoint): readonly Door[] {
  return [{ method, path }, ...(synonyms?.doors ?? [])];
}

/** HEAD is served wherever GET is, with the same headers (RFC 9110, 9.1). Node drops the body. */
function methodsOf({ method }: Pick<Contract, 'method'>): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

function addRoute(
  app: FastifyInstance,
  options: RouteOptions,
  url: string,
  served: ServedEndpoint,
  door: Door,
): void {
  const read = requestReader(served.contract, served.synonyms);
  app.route({
    method: methodsOf(door) as 'GET'[],
    url,
    config: { endpoint: served.contract },
    handler: (request, reply) =>
      inScope(request.scope ?? undefined, () => {
        namePathParameters(request, door);
        return serve(options, served, read, request, reply);
      }),
  });
}

/**
 * Fills in the path parameters of a door from its query. One that is absent or sent twice matches nothing.
 */
function namePathParameters(request: FastifyRequest, { parameters = {} }: Door): void {
  const query = request.query as Readonly<Record<string, unknown>>;
  const params = request.params as Record<string, string>;
  for (const [name, parameter] of Object.entries(parameters))
    params[parameter] = typeof query[name] === 'string' ? query[name] : '';
}

type Made = Answer | { readonly faults: readonly Fault[] } | typeof CUT_CONNECTION;

/** Frees the place before the answer is sent: its reader decides how long sending takes. */
async function serve(
  options: RouteOptions,
  served: ServedEndpoint,
  read: RequestReader,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // The body came late, and the caller was told that nothing is carried out.
  if (Connection.of(request.raw.socket)?.isRefused()) return reply.hijack();
  noteNamedPayment(request, null);
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
  if (!('faults' in made)) {
    noteNamedPayment(request, made);
    if (served.contract.isLogin === true && made.status < 300)
      Connection.of(request.raw.socket)?.acceptCaller(request.raw);
    return send(request, reply, made);
  }
  const errors = made.faults.map(({ tag, sentence }) => ({
    tag,
    description: sentence[request.language],
  }));
  return sendErrors(request, reply, 400, errors);
}

async function makeAnswer(
  options: RouteOptions,
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
    wantsCsv: contract.answers[200]?.csvExample !== undefined && prefersCsv(request.headers.accept),
    isForPeople: false,
    requestId: request.id,
    address: request.ip,
    origin: () => originOf(request),
    pagesOrigin: () => options.pagesOrigin ?? originOf(request),
    deadlineAt: request.startedAt + (served.deadlineMilliseconds ?? options.requestDeadlineMilliseconds),
  };
  return serveOrCut(options.log, served, call);
}

/** A host or address, with or without port. An answer repeats no other `Host` header. */
const HOST = /^(?:[a-z\d](?:[a-z\d.-]{0,252}[a-z\d])?|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

export function originOf({ protocol, host }: FastifyRequest): string | null {
  return HOST.test(host ?? '') ? `${protocol}://${host}` : null;
}

function targetOf({ method, path }: Contract, request: FastifyRequest): string {
  const parameters = request.params as Readonly<Record<string, string>>;
  // Ids are case-insensitive: upper and lower case share one key.
  const sent = (_: string, name: string) => parameters[name]?.toLowerCase() ?? '';
  return `${method} ${path.replaceAll(/\{(\w+)\}/g, sent)}`;
}

/** Whether `Accept` names CSV with more weight than JSON, or with the same and first (RFC 9110, 12.5.1). */
export function prefersCsv(accept: string | undefined): boolean {
  const ranges = (accept ?? '').toLowerCase().split(',', MOST_RANGES).map(readRange);
  const csv = ranges.find(({ type }) => type === 'text/csv');
  const json = ranges.find(({ type }) => type === 'application/json');
  if (csv === undefined || csv.weight === 0) return false;
  if (json === undefined || json.weight === csv.weight)
    return json === undefined || ranges.indexOf(csv) < ranges.indexOf(json);
  return csv.weight > json.weight;
}

const MOST_RANGES = 20;

function readRange(text: string): { readonly type: string; readonly weight: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 };
}

async function findAllFaults(
  { lookBeside }: Pick<ServedEndpoint, 'lookBeside'>,
  reading: RequestReading,
  caller: Caller | null,
): Promise<readonly Fault[]> {
  if (reading.ok) return [];
  const { soundBody, faults } = reading;
  const canLook = typeof soundBody === 'object' && soundBody !== null;
  if (lookBeside === undefined || caller === null || !canLook) return faults;
  try {
    return reading.faultsWith(await lookBeside(soundBody, caller));
  } catch {
    // The look-up failed. The faults of the malformed request are known anyway.
    return faults;
  }
}
