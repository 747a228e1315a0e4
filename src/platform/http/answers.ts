import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newId } from '../chance.ts';
import type { Answer, WireError } from './endpoint.ts';
import { FAILURES, type Failure } from './failures.ts';

export const LARGEST_BODY_BYTES = 64 * 1024;
const RETRY_AFTER_SECONDS = '2';

/** What is no HTTP never becomes a request; it is answered by hand, and its connection ends. */
export function answerMalformedHttp(error: Error, socket: Socket): void {
  if ((error as NodeJS.ErrnoException).code === 'ECONNRESET' || !socket.writable)
    return void socket.destroy();
  const { status, tag, sentence } = FAILURES.malformedHttp;
  const body = JSON.stringify([{ tag, description: sentence.pt }]);
  const headers = {
    ...COMMON_HEADERS,
    'x-request-id': newId(),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Bad Request\r\n${lines.join('')}\r\n${body}`);
}

const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

export function send(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
  reply.code(answer.status).headers({ ...COMMON_HEADERS, 'x-request-id': request.id, ...answer.headers });
  if (answer.text !== undefined) return reply.type(answer.text.type).send(answer.text.content);
  if (answer.body === undefined) return reply.send();
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer.body));
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
  const { status, tag, sentence } = FAILURES[failure];
  if (status === 503) headers = { 'retry-after': RETRY_AFTER_SECONDS, ...headers };
  return sendErrors(request, reply, status, [{ tag, description: sentence[request.language] }], headers);
}

/** 401 with an empty body. A body that nobody read is drained up to the usual size, else the connection closes. */
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
