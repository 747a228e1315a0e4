import type { ServerResponse } from 'node:http';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { sendFile, type WrittenFile } from '../files/sent-file.ts';
import type { Fault } from './script-step.ts';

export type Question = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};
export type Answer = {
  readonly status: number;
  /** Undefined: it has none. */
  readonly body: unknown;
  /** What is answered in place of the body. */
  readonly file?: WrittenFile;
};
/** Gives an answer, once; spoiled in the way of the fault, if there is one. */
export type Respond = (answer: Answer, fault: Fault | null) => void;

const LARGEST_BODY_BYTES = 64 * 1024;
const MOST_CONNECTIONS = 4_096;
/** Longer than an asker keeps an idle connection, so that it is the asker who closes. */
const KEEP_ALIVE_MILLISECONDS = 75_000;
/** How long a silent answer holds its connection. */
const SILENCE_MILLISECONDS = 60_000;
const GARBAGE = Buffer.from([0x00, 0xff, 0xfe, 0x7b, 0x22, 0x50, 0x61, 0x79, 0x1b, 0x0a]);

/** The front door, not yet listening. */
export function salesServer(
  answer: (question: Question, respond: Respond) => void,
  lateMilliseconds: number,
  onClose: () => void,
): Server {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MILLISECONDS }, (request, response) => {
    const respond: Respond = (given, fault) => {
      if (fault === null) send(response, given);
      else sendSpoiled(response, given, fault, lateMilliseconds);
    };
    readBody(request, (body) => {
      if (body === null) respond({ status: 413, body: { error: 'tooLarge' } }, null);
      else answer(questionOf(request, body), respond);
    });
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.once('close', onClose);
  return server;
}

function questionOf({ method = '', url = '', headers }: IncomingMessage, body: string): Question {
  const [path = '', search = ''] = url.split('?', 2);
  return { method, path, query: new URLSearchParams(search), headers, body };
}

/** Gives the whole body, or null when it was longer than may be: then it is read to its end. */
function readBody(request: IncomingMessage, onBody: (body: string | null) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= LARGEST_BODY_BYTES) chunks.push(chunk);
  });
  request.on('end', () => {
    onBody(size > LARGEST_BODY_BYTES ? null : Buffer.concat(chunks).toString('utf8'));
  });
}

function send(response: ServerResponse, { status, body, file }: Answer): void {
  if (file === undefined) sendBytes(response, status, textOf(body));
  else sendFile(response, file);
}

function sendSpoiled(response: ServerResponse, answer: Answer, fault: Fault, lateMilliseconds: number): void {
  const { socket } = response;
  // The asker has gone.
  if (socket === null) return;
  switch (fault) {
    case 'silent':
    case 'booksButSilent':
      later(response, SILENCE_MILLISECONDS, () => socket.destroy());
      return;
    case 'closed':
    case 'booksButClosed':
      socket.resetAndDestroy();
      return;
    case 'unavailable':
      sendBytes(response, 503, '');
      return;
    case 'booksButUnavailable':
      sendBytes(response, 500, '');
      return;
    case 'booksButCut':
      sendHalf(response, answer);
      return;
    case 'late':
      later(response, lateMilliseconds, () => send(response, answer));
      return;
    case 'garbage':
      sendBytes(response, answer.status, GARBAGE);
      return;
    // Their answers are the acquirer's own.
    case 'unauthorized':
    case 'notFound':
      send(response, answer);
      return;
  }
}

function textOf(body: unknown): string {
  return body === undefined ? '' : JSON.stringify(body);
}

/** The connection ends in the middle of the answer, or instead of one without a body. */
function sendHalf(response: ServerResponse, { status, body }: Answer): void {
  const bytes = Buffer.from(textOf(body), 'utf8');
  if (bytes.length === 0) return void response.socket?.destroy();
  response.writeHead(status, headersOf(bytes.length));
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.socket?.destroy());
}

/** Acts unless the asker goes first. */
function later(response: ServerResponse, milliseconds: number, act: () => void): void {
  const timer = setTimeout(act, milliseconds);
  response.once('close', () => clearTimeout(timer));
}

function sendBytes(response: ServerResponse, status: number, body: string | Buffer): void {
  response.writeHead(status, headersOf(Buffer.byteLength(body)));
  response.end(body);
}

/** Nothing has no type. */
function headersOf(length: number) {
  const type = length === 0 ? {} : { 'content-type': 'application/json; charset=utf-8' };
  return { ...type, 'content-length': length };
}

/** Null: it is no JSON. */
export function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
