import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newId } from '../chance.ts';
import { errorFields, type Log } from '../log.ts';
import { CommitUnknown } from '../postgres/database-errors.ts';
import { watchWrites } from '../postgres/write-watch.ts';
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

export const LARGEST_BODY_BYTES = 64 * 1024;

/**
 * Malformed HTTP never becomes a request; it is answered by hand where it may be, and its
 * connection ends. Over which nothing came is closed: who keeps it for later would take an answer for
 * that of his next request.
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

/** What did not come in time is not malformed. */
function faultOf(code: string | undefined): 'slowRequest' | 'malformedHttp' {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'slowRequest' : 'malformedHttp';
}

/**
 * More than any honest caller and the proxies in front of it send. Node would leave out headers
 * beyond a limit of its own.
 */
const MOST_HEADERS = 100;

/**
 * Whether programs could differ about where this request ends or which host it names (RFC 9112, 3.2
 * and 6.1). Node's own parser refuses most of that before; it accepts codings before `chunked`,
 * Transfer-Encoding with HTTP/1.0, and the versions 0.9 and 2.0.
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

/** Refuses a request; no request behind it is served, and its connection ends. */
export function failAndEnd(request: FastifyRequest, reply: FastifyReply, failure: Failure): FastifyReply {
  Connection.of(request.raw.socket)?.giveUp();
  return fail(request, reply, failure, { connection: 'close' });
}

/**
 * Operations end by themselves at the deadline; this ends what has no deadline of its own, such as
 * a slow look-up.
 */
const DEADLINE_GRACE_MILLISECONDS = 500;

type AnyCall = Call<unknown, unknown, unknown>;

/** Serves one request until its deadline, and cuts its connection where no answer would be true. */
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

/** A stream that came too late is read by no one: what it holds goes to others. */
function closeUnread(late: Made): void {
  if (late !== CUT_CONNECTION) late.stream?.close();
}

/**
 * An error response says that nothing was made. Where something was written, or may have been, no
 * error response is true: the connection is cut, whatever the operation returned. Reads make
 * nothing, and what a login makes has no effect until it is answered.
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
  // Of a login too (RFC 9110, 15.5.2).
  if (answer.status === 401) reply.header('www-authenticate', 'Bearer');
  if (answer.text !== undefined) return reply.type(answer.text.type).send(answer.text.content);
  if (answer.stream !== undefined) return sendStream(request, reply, answer.stream);
  if (answer.body === undefined) return reply.send();
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer.body));
}

/** Of a HEAD nothing is read. */
function sendStream(request: FastifyRequest, reply: FastifyReply, stream: AnswerStream): FastifyReply {
  reply.type(stream.type);
  if (request.method !== 'HEAD') return reply.send(openAnswerStream(stream));
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
  const { errorBody } = request.routeOptions.config.endpoint ?? {};
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
  return fail(request, reply, 'wrongMethod', { allow: request.routeOptions.config.allowedMethods ?? '' });
}

/**
 * 401 with an empty body. An unread body is drained up to the usual size, else the connection
 * closes.
 */
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

/** What is made and not taken yet; no more is made meanwhile. */
const MOST_HELD_BYTES = 64 * 1024;
/** Without a piece being taken that is made, and for all of the body. */
const STALLED_MILLISECONDS = 60_000;
const LONGEST_MILLISECONDS = 60 * 60_000;
const LOOK_MILLISECONDS = 1_000;

/**
 * A body whose pieces are made when their reader has taken those before. It breaks off, and its
 * connection with it, when the reader stalls, when a piece cannot be made, or when the service stops:
 * no reader takes a part for the whole, for the end of the body is missing then.
 */
function openAnswerStream({ pieces, signal, close }: AnswerStream): Readable {
  const beganAt = performance.now();
  /** Since when a piece waits to be taken; null while one is being made. */
  let waitsSince: number | null = null;
  async function* inTurn() {
    for await (const piece of pieces) {
      waitsSince = performance.now();
      yield piece;
      waitsSince = null;
    }
  }
  const body = Readable.from(inTurn(), { objectMode: false, highWaterMark: MOST_HELD_BYTES });
  const breakOff = (reason: string) => body.destroy(new Error(`an answer broke off: ${reason}`));
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
