import { Agent, request as sendHttp } from 'node:http';
import type { Contract } from '../../src/platform/http/endpoint.ts';
import type { Reply } from '../kit/merchant.ts';
import { patiently } from '../kit/patience.ts';
import { type JsonTree, textOf } from './cases/json-tree.ts';

/** One request as it goes over the wire: nothing in it is put right by a client. */
export type WireRequest = {
  readonly endpoint: Contract;
  /** Another method than the endpoint's. */
  readonly method?: string;
  /** Path parameters, already percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Names and values, already percent-encoded. */
  readonly query: readonly (readonly [string, string])[];
  readonly body?: JsonTree;
  /** Bytes in the place of `body`. */
  readonly raw?: Buffer;
  /** Null: no Authorization header. */
  readonly token: string | null;
  /** By name in small letters; a list is sent as several headers. */
  readonly headers: Readonly<Record<string, string | string[]>>;
};

const TIMEOUT_MILLISECONDS = 60_000;
const agent = new Agent({ keepAlive: true, maxSockets: 32 });

export const methodOf = (request: WireRequest): string => request.method ?? request.endpoint.method;

export function pathOf({ endpoint, parameters, query }: WireRequest): string {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
  return query.length === 0 ? path : `${path}?${query.map(([name, value]) => `${name}=${value}`).join('&')}`;
}

export function bytesOf({ raw, body }: WireRequest): Buffer | null {
  if (raw !== undefined) return raw;
  return body === undefined ? null : Buffer.from(textOf(body));
}

function headersOf(request: WireRequest, bytes: Buffer | null): Record<string, string | string[]> {
  const { token, headers } = request;
  const isChunked = headers['transfer-encoding'] !== undefined;
  return {
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(bytes === null ? {} : { 'content-type': 'application/json' }),
    ...(bytes === null || isChunked ? {} : { 'content-length': String(bytes.length) }),
    ...headers,
  };
}

/** Sends one request and gives the answer. Throws when the connection ends without one. */
export function send(baseUrl: string, request: WireRequest): Promise<Reply> {
  const { hostname, port, pathname } = new URL(baseUrl);
  const bytes = bytesOf(request);
  const options = {
    agent,
    hostname,
    port,
    method: methodOf(request),
    path: (pathname === '/' ? '' : pathname) + pathOf(request),
    headers: headersOf(request, bytes),
    signal: AbortSignal.timeout(patiently(TIMEOUT_MILLISECONDS)),
  };
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const sending = sendHttp(options, (response) => {
      isAnswered = true;
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve(replyOf(response, Buffer.concat(chunks).toString())));
    });
    // A server that answers before the whole body has come may close while we still write: the answer counts.
    sending.on('error', (error) => isAnswered || reject(error));
    sending.end(bytes ?? undefined);
  });
}

function replyOf(
  { statusCode, rawHeaders }: { statusCode?: number | undefined; rawHeaders: string[] },
  text: string,
): Reply {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] as string, rawHeaders[index + 1] as string);
  }
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: statusCode ?? 0,
    headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}

/** The request as text, for whoever wants to see it again: what is no printable ASCII is escaped. */
export function described(request: WireRequest): string {
  const bytes = bytesOf(request);
  const headers = Object.entries(request.headers).map(
    ([name, value]) => ` ${name}: ${JSON.stringify(value)}`,
  );
  const shown = bytes === null ? '' : printable(bytes);
  return `${methodOf(request)} ${printable(Buffer.from(pathOf(request)))}${headers.join('')} ${shown}`.trim();
}

const MOST_SHOWN = 600;

function printable(bytes: Buffer): string {
  const shown = bytes
    .subarray(0, MOST_SHOWN)
    .toString('latin1')
    .replace(/[^\x20-\x7e]/g, (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return bytes.length > MOST_SHOWN ? `${shown}… (${bytes.length} bytes)` : shown;
}

/** Runs tasks with some of them in flight at once, in order of their start. */
export async function inFlight<T>(
  items: readonly T[],
  atOnce: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of waiting) await task(item);
    }),
  );
}

/**
 * Of these a merchant may have one under way: a second one meanwhile is refused, whatever its
 * request is like.
 */
const ONE_AT_A_TIME = ['advanceTestClock'];
const lines = new Map<string, Promise<unknown>>();

/** Makes and sends a request of the endpoint after all others of it, where only one may be under way. */
export function inTurn<T>({ id }: Contract, task: () => Promise<T>): Promise<T> {
  if (!ONE_AT_A_TIME.includes(id)) return task();
  const turn = (lines.get(id) ?? Promise.resolve()).then(task, task);
  lines.set(id, turn);
  return turn;
}

export function hangUp(): void {
  agent.destroy();
}
