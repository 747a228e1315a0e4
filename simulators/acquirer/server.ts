import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Acquirer, Respond } from './acquirer.ts';
import { TOO_LARGE } from './answers.ts';
import { route } from './routes.ts';
import { sendAnswer, sendSpoiledAnswer } from './spoiled-answer.ts';

const LARGEST_BODY_BYTES = 64 * 1024;
const MOST_CONNECTIONS = 4_096;
/** Longer than an asker keeps an idle connection, so that it is the asker who closes. */
const KEEP_ALIVE_MILLISECONDS = 75_000;

/** The front door, not yet listening. */
export function acquirerServer(acquirer: Acquirer, lateMilliseconds: number): Server {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MILLISECONDS }, (request, response) => {
    const respond: Respond = (answer, fault) => {
      if (fault === null) sendAnswer(response, answer);
      else sendSpoiledAnswer(response, answer, fault, lateMilliseconds);
    };
    readBody(request, (body) => {
      if (body === null) respond(TOO_LARGE, null);
      else route(acquirer, { method: request.method ?? '', url: request.url ?? '', body }, respond);
    });
  });
  server.maxConnections = MOST_CONNECTIONS;
  return server;
}

/**
 * Gives the whole body, or null when it was longer than may be; then it is read to its end and
 * dropped.
 */
function readBody(request: IncomingMessage, onBody: (body: string | null) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= LARGEST_BODY_BYTES) chunks.push(chunk);
  });
  request.on('end', () => {
    if (size > LARGEST_BODY_BYTES) onBody(null);
    else onBody(Buffer.concat(chunks).toString('utf8'));
  });
}
