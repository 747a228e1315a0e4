import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { newId } from '../chance.ts';
import { errorFields, type Log } from '../log.ts';
import { CommitUnknown } from '../postgres/database-errors.ts';
import { watchWrites } from '../postgres/write-watch.ts';
import { LARGEST_BODY_BYTES } from './body-memory.ts';
import { Connection } from './connection.ts';
import {
  type Answer,
  type AnswerStream,
  type Call,
  CUT_CONNECTION,
  type ServedEndpoint,
  type WireError,
} from './endpoint.ts';
import { FAILURES, type Failure, RETRY_AFTER_SECONDS } from './failures.ts';
import type { RefusalShape } from './refusal.ts';

/**
 * Answers malformed HTTP and ends the connection. A connection that sent nothing is only closed: a proxy
 * would take an answer for that of its next request.
 */
export function answerMalformedHttp(error: Error, socket: Socket): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ECONNRESET' || !socket.writable || socket.bytesRead === 0) return void socket.destroy();
  if (Connection.of(socket)?.breakOff() === false) return;
  const isServed = Connection.of(socket)?.isServed !== false;
  const { status, tag, sentence } = FAILURES[isServed ? faultOf(code) : 'notThroughProxy'];
  const body = JSON.stringify([{ tag, description: sentence.pt }]);
  const headers = {
    ...COMMON_HEADERS,
    'x-request-id': newId(),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

function faultOf(code: string | undefined): 'slowRequest' | 'malformedHttp' {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'slowRequest' : 'malformedHttp';
}

/**
 * Honest callers and their proxies send fewer headers. Node would silently drop those above its own limit.
 */
const MOST_HEADERS = 100;

/**
 * Whether two programs could disagree about where this request ends or which host it names (RFC 9112, 3.2 and
 * 6.1). Node's parser accepts such requests: with codings before `chunked`, with Transfer-Encoding in
 * HTTP/1.0, or of HTTP 0.9 and 2.0.
 */
export function isDoubtful(request: IncomingMessage): boolean {
  const { rawHeaders, httpVersion } = request;
  if (rawHeaders.length > 2 * MOST_HEADERS) return true;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  }
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return true;
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return true;
  const encoding = request.headers['transfer-encoding'];
  return encoding !== undefined && (httpVersion !== '1.1' || encoding.toLowerCase() !== 'chunked');
}

/** Refuses a request, serves none after it, and ends the connection. */
export function failAndEnd(request: FastifyRequest, reply: FastifyReply, failure: Failure): FastifyReply {
  Connection.of(request.raw.socket)?.giveUp();
  return fail(request, reply, failure, { connection: 'close' });
}

/**
 * How long after its deadline a request is cut off. Most operations end by their deadline themselves; others,
 * such as a slow look-up, do not.
 */
const DEADLINE_GRACE_MILLISECONDS = 500;

type AnyCall = Call<unknown, unknown, unknown>;

/** Serves a request until its deadline, and cuts the connection where no answer would be true. */
export function serveOrCut(
  log: Log,
  served: ServedEndpoint,
  call: AnyCall,
): Promise<Answer | typeof CUT_CONNECTION> {
  return orCutAt(serveWatched(log, served, call), call.deadlineAt + DEADLINE_GRACE_MILLISECONDS);
}

type Made = Answer | typeof CUT_CONNECTION;

function orCutAt(answer: Promise<Made>, at: number): Promise<Made> {
  return new Promise((resolve, reject) => {
    const cut = () => {
      resolve(CUT_CONNECTION);
      answer.then(closeUnread, () => {});
    };
    const timer = setTimeout(cut, Math.max(0, at - performance.now()));
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Nobody reads a late stream: its resources must be freed. */
function closeUnread(late: Made): void {
  if (late !== CUT_CONNECTION) late.stream?.close();
}

/**
 * An error answer promises that nothing was written. If something may have been written, the connection is
 * cut instead. Reads write nothing, and a login has no effect until it is answered.
 */
async function serveWatched(
  log: Log,
  { contract, serve }: ServedEndpoint,
  call: AnyCall,
): Promise<Answer | typeof CUT_CONNECTION> {
  if (contract.method === 'GET' || contract.makesNothingUnanswered === true) return serve(call);
  const watch = { mayHaveWritten: false };
  try {
    return await watchWrites(watch, () => serve(call));
  } catch (error) {
    if (!watch.mayHaveWritten && !(error instanceof CommitUnknown)) throw error;
    log.error({ requestId: call.requestId, ...errorFields(error) }, 'a request failed behind a write');
    return CUT_CONNECTION;
  }
}

const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

export function send(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
  reply.code(answer.status).headers({ ...COMMON_HEADERS, 'x-request-id': request.id, ...answer.headers });
  // Every 401 names the scheme, that of a login too (RFC 9110, 15.5.2).
  if (answer.status === 401) reply.header('www-authenticate', 'Bearer');
  if (answer.text !== undefined) return reply.type(answer.text.type).send(answer.text.content);
  if (answer.stream !== undefined) return sendStream(request, reply, answer.stream);
  if (answer.body === undefined) return reply.send();
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer.body));
}

const PART_BYTES = 32 * 1024;

/**
 * Writes long answers part by part as they are read: Node shows that a reader reads only when all that was
 * written at once is taken.
 */
export function answerInParts(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isWhole = typeof payload === 'string' || payload instanceof Uint8Array;
    if (!isWhole || payload.length <= PART_BYTES || request.method === 'HEAD') return done(null, payload);
    const bytes = Buffer.from(payload as string);
    reply.header('content-length', bytes.length);
    done(null, Readable.from(partsOf(bytes), { objectMode: false, highWaterMark: PART_BYTES }));
  });
}

function* partsOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES);
}

/** An answer to HEAD has no body: its stream is closed unread. */
function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  stream: AnswerStream<string | Uint8Array>,
): FastifyReply {
  reply.type(stream.type);
  if (request.method !== 'HEAD')
    return reply.send(
      openAnswerStream(stream, (error) => {
        request.brokenBy = error;
      }),
    );
  stream.close();
  return reply.send();
}

export function sendErrors(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  errors: readonly WireError[],
  headers?: Record<string, string>,
): FastifyReply {
  const { errorBody } = request.contract ?? {};
  const body = errorBody === undefined ? errors : errorBody(errors[0] as WireError);
  return send(request, reply, headers === undefined ? { status, body } : { status, body, headers });
}

export function fail(
  request: FastifyRequest,
  reply: FastifyReply,
  failure: Failure,
  headers: Record<string, string> = {},
): FastifyReply {
  return refuse(request, reply, FAILURES[failure], headers);
}

export function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, tag, sentence }: RefusalShape,
  headers: Record<string, string> = {},
): FastifyReply {
  if (status === 503) headers = { 'retry-after': RETRY_AFTER_SECONDS, ...headers };
  return sendErrors(request, reply, status, [{ tag, description: sentence[request.language] }], headers);
}

export function refuseMethod(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return fail(request, reply, 'wrongMethod', { allow: (request.allowedMethods ?? []).join(', ') });
}

/** 401 with an empty body. An unread body is drained up to the usual size; above it the connection closes. */
export function refuseUnknownCaller(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  drainUnreadBody(request, reply);
  return reply
    .code(401)
    .headers({ ...COMMON_HEADERS, 'x-request-id': request.id, 'www-authenticate': 'Bearer' })
    .send();
}

function drainUnreadBody(request: FastifyRequest, reply: FastifyReply): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && Number(length ?? 0) <= LARGEST_BODY_BYTES) return;
  reply.header('connection', 'close');
  let drained = 0;
  request.raw.on('data', (chunk: Buffer) => {
    drained += chunk.length;
    if (drained > LARGEST_BODY_BYTES) request.raw.pause();
  });
}

/** The most bytes that are produced and not yet sent; a stream with so many waits. */
const MOST_HELD_BYTES = 64 * 1024;
/** How long a reader may take nothing, and (`LONGEST_MILLISECONDS`) how long the whole body may take. */
const STALLED_MILLISECONDS = 60_000;
const LONGEST_MILLISECONDS = 60 * 60_000;
const LOOK_MILLISECONDS = 1_000;

/** The reader stalled, the body took too long, or the service stops: nothing is wrong with the data. */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff';
}

/**
 * A body produced as fast as it is read. When the reader stalls, a piece fails or the service stops, the
 * connection is broken, so that a part is never taken for the whole.
 */
function openAnswerStream(
  { pieces, signal, close }: AnswerStream<string | Uint8Array>,
  noteFailure: (error: unknown) => void,
): Readable {
  const beganAt = performance.now();
  /** Since when a piece waits to be read; null while one is being produced. */
  let waitsSince: number | null = null;
  async function* inTurn() {
    try {
      for await (const piece of pieces) {
        waitsSince = performance.now();
        yield piece;
        waitsSince = null;
      }
    } catch (error) {
      if (!(error instanceof BrokenOff)) noteFailure(error);
      throw error;
    }
  }
  const body = Readable.from(inTurn(), { objectMode: false, highWaterMark: MOST_HELD_BYTES });
  const breakOff = (reason: string) => {
    if (body.destroyed) return;
    const error = new BrokenOff(reason);
    noteFailure(error);
    body.destroy(error);
  };
  const looking = setInterval(() => {
    const now = performance.now();
    if (waitsSince !== null && now - waitsSince > STALLED_MILLISECONDS) breakOff('its reader stalled');
    else if (now - beganAt > LONGEST_MILLISECONDS) breakOff('it took too long');
  }, LOOK_MILLISECONDS).unref();
  const stop = () => breakOff('the service stops');
  signal.addEventListener('abort', stop, { once: true });
  body.once('close', () => {
    clearInterval(looking);
    signal.removeEventListener('abort', stop);
    close();
  });
  if (signal.aborted) stop();
  return body;
}
