import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { TOO_LARGE } from './answers.ts';
import type { Bank } from './bank.ts';
import { type Respond, route } from './routes.ts';
import { sendAnswer, sendSpoiledAnswer } from './spoiled-answer.ts';
import type { Tls } from './tls-files.ts';

/** What is asked for is a line of the ledger. */
const LARGEST_BODY_BYTES = 32 * 1024;
const MOST_CONNECTIONS = 4_096;
/** Longer than an asker keeps an idle connection, so that it is the asker who closes. */
const KEEP_ALIVE_MILLISECONDS = 75_000;

/** The front door, not yet listening; with TLS it lets in only clients whose certificate it believes. */
export function pixServer(bank: Bank, lateMilliseconds: number, tls: Tls | null): Server {
  const listener: RequestListener = (request, response) => {
    const respond: Respond = (answer, fault) => {
      if (fault === null) sendAnswer(response, answer);
      else sendSpoiledAnswer(response, answer, fault, lateMilliseconds);
    };
    const { method = '', url = '', headers } = request;
    const now = headers['x-parcela-now'];
    const clock = headers['x-parcela-clock'];
    readBody(request, (body) => {
      if (body === null) respond(TOO_LARGE, null);
      else {
        const { authorization } = headers;
        route(bank, { method, url, authorization, now: oneOf(now), clock: oneOf(clock), body }, respond);
      }
    });
  };
  const options = { keepAliveTimeout: KEEP_ALIVE_MILLISECONDS };
  const guard = { requestCert: true, rejectUnauthorized: true };
  const server =
    tls === null
      ? createServer(options, listener)
      : createTlsServer({ ...options, ...tls, ...guard }, listener);
  server.maxConnections = MOST_CONNECTIONS;
  server.on('close', () => bank.sender.close());
  return server;
}

function oneOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
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
