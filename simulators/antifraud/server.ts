import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Decisions, type Fault, faultOf } from './decisions.ts';
import { readQuestion } from './question.ts';

const LARGEST_BODY_BYTES = 64 * 1024;
const MOST_CONNECTIONS = 4_096;
/** Longer than an asker keeps an idle connection, so that it is the asker who closes. */
const KEEP_ALIVE_MILLISECONDS = 75_000;
const ABOUT = { name: 'parcela-antifraud-simulator', simulator: true, protocol: 1 };

/** The front door, not yet listening. */
export function antiFraudServer(decisions: Decisions, token: string | null): Server {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MILLISECONDS }, (request, response) => {
    readBody(request, (body) => {
      const asked = `${request.method} ${request.url}`;
      const isUnknown = token !== null && request.headers.authorization !== `Bearer ${token}`;
      if (isUnknown) answer(response, 401, { error: 'unauthorized' });
      else if (body === null) answer(response, 413, { error: 'tooLarge' });
      else if (asked === 'GET /about') answer(response, 200, ABOUT);
      else if (asked === 'POST /decisions') decide(decisions, body, response);
      else answer(response, 404, { error: 'unknownPath' });
    });
  });
  server.maxConnections = MOST_CONNECTIONS;
  return server;
}

function decide(decisions: Decisions, body: string, response: ServerResponse): void {
  const json = jsonOf(body);
  const question = readQuestion(json);
  if ('field' in question) {
    answer(response, 400, { error: 'malformed', field: question.field });
    return;
  }
  const decision = decisions.decide(question, JSON.stringify(json));
  const fault = faultOf(question);
  if (decision === null) answer(response, 409, { error: 'transactionReused' });
  else if (fault === null) answer(response, 200, decision);
  else spoil(response, fault, decision);
}

function spoil(response: ServerResponse, fault: Fault, decision: object): void {
  switch (fault) {
    case 'silent':
      break;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"verdict":"acc');
      break;
    case 'other':
      answer(response, 200, { ...decision, transactionId: 'another' });
      break;
    case 'unavailable':
      answer(response, 503, { error: 'unavailable' });
      break;
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
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
  request.on('end', () => onBody(size > LARGEST_BODY_BYTES ? null : Buffer.concat(chunks).toString('utf8')));
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
