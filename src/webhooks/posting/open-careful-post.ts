import type { Dispatcher } from 'undici';
import type { Gate } from '../../platform/gate.ts';
import { type Connection, type ConnectionLimits, openConnections } from './open-connections.ts';
import {
  type PostFailure,
  type PostRequest,
  type PostResult,
  printableAnswer,
  retryAfterMilliseconds,
} from './posting-result.ts';
import { type CallRules, checkUrl, type Resolver } from './url-rules.ts';

export type CarefulPost = {
  /** Sends once. Rejects only for headers that cannot be sent. */
  post(request: PostRequest): Promise<PostResult>;
  close(): Promise<void>;
};

const LIMITS: ConnectionLimits = { perOrigin: 8, inAll: 512, waiting: 4_096 };
/** A post gives up after so many reused connections turned out to be closed. */
const MOST_STALE = 10;

/**
 * The only way to call a URL chosen by a merchant. Public or opened addresses only, vetted and pinned for
 * each connection; checked TLS; no redirects, no proxy; bounded head, body and time. `observe` gets the
 * number of open connections.
 */
export function openCarefulPost(
  rules: CallRules,
  resolver: Resolver,
  {
    limits = LIMITS,
    observe = () => {},
  }: { limits?: ConnectionLimits; observe?: (open: number) => void } = {},
): CarefulPost {
  const connections = openConnections(rules, resolver, limits, observe);

  const sendOnce = async (url: URL, request: PostRequest, endsAt: number): Promise<Sent> => {
    for (let stale = 0; stale < MOST_STALE; stale += 1) {
      const connection = await connections.take(request.merchantId, url, request.connectMilliseconds, endsAt);
      if (typeof connection === 'string') return { kind: 'failed', failure: connection };
      const exchange = await postOnConnection(connection, url, request, endsAt).finally(() =>
        connections.giveBack(connection),
      );
      if (exchange.kind !== 'unsent') return exchange;
      if (!connection.isReused) break;
    }
    return { kind: 'failed', failure: 'reset' };
  };

  return {
    async post(request) {
      const startedAt = performance.now();
      const checked = checkUrl(rules, request.url);
      const sent: Sent = checked.ok
        ? await sendOnce(checked.url, request, startedAt + request.totalMilliseconds)
        : { kind: 'failed', failure: checked.reason === 'address' ? 'forbiddenAddress' : 'forbiddenUrl' };
      const milliseconds = Math.round(performance.now() - startedAt);
      if (sent.kind === 'failed') return { ...sent, milliseconds };
      const { status, retryAfter, body } = sent;
      return {
        kind: 'answered',
        status,
        answer: printableAnswer(body, request.headers.authorization),
        retryAfterMilliseconds: retryAfterMilliseconds(status, retryAfter, Date.now()),
        milliseconds,
      };
    },
    close: () => connections.close(),
  };
}

type Sent =
  | Extract<Exchange, { kind: 'answered' }>
  | { readonly kind: 'failed'; readonly failure: PostFailure };

/** Sends nothing while the gate is closed. */
export function gatedPost({ post }: Pick<CarefulPost, 'post'>, gate: Gate): CarefulPost['post'] {
  return async (request) => {
    if (gate.reason() === null) return post(request);
    return { kind: 'failed', failure: 'notSent', milliseconds: 0 };
  };
}

/** One try on one connection. `unsent`: the connection ended before a byte was written. */
type Exchange =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | undefined;
      /** As much of the body as came in time. */
      readonly body: Buffer;
    }
  | {
      readonly kind: 'failed';
      readonly failure: Extract<PostFailure, 'timeout' | 'reset' | 'headersTooLarge' | 'malformed'>;
    }
  | { readonly kind: 'unsent' };

const MOST_BODY_BYTES = 4 * 1024;
/** The status decides. The body only helps people, so it is awaited no longer than this. */
const BODY_MILLISECONDS = 2_000;

/**
 * Posts until `endsAt` of `performance.now`. Once a status has come, it counts, whatever happens to the body.
 * Rejects for headers that cannot be sent.
 */
function postOnConnection(
  connection: Connection,
  url: URL,
  { body, headers }: Pick<PostRequest, 'body' | 'headers'>,
  endsAt: number,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let retryAfter: string | undefined;
    let size = 0;
    const chunks: Buffer[] = [];
    let isSent = false;
    let isOver = false;
    let controller: Dispatcher.DispatchController | null = null;
    const finish = (exchange: Exchange) => {
      isOver = true;
      clearTimeout(timer);
      resolve(exchange);
    };
    const answered = (): Exchange => ({ kind: 'answered', status, retryAfter, body: Buffer.concat(chunks) });
    /** The rest of the answer is not read: the connection is closed. */
    const stop = (exchange: Exchange) => {
      if (isOver) return;
      finish(exchange);
      controller?.abort(new Error('nobody waits any more'));
    };
    const onLate = () => stop(status === 0 ? { kind: 'failed', failure: 'timeout' } : answered());
    const left = (most: number) => Math.max(1, Math.min(endsAt - performance.now(), most));
    let timer = setTimeout(onLate, left(Number.POSITIVE_INFINITY));
    connection.client.dispatch(
      { method: 'POST', path: url.pathname + url.search, headers, body },
      {
        onRequestStart(started) {
          controller = started;
          if (isOver) started.abort(new Error('its time is over'));
          else isSent = true;
        },
        onResponseStart(_controller, statusCode, answerHeaders) {
          // An informational status comes before the real one.
          if (statusCode < 200 || isOver) return;
          status = statusCode;
          const value = answerHeaders['retry-after'];
          retryAfter = Array.isArray(value) ? value[0] : value;
          clearTimeout(timer);
          timer = setTimeout(onLate, left(BODY_MILLISECONDS));
        },
        onResponseData(_controller, chunk) {
          if (isOver) return;
          chunks.push(chunk.subarray(0, MOST_BODY_BYTES - size));
          size += chunk.length;
          if (size >= MOST_BODY_BYTES) stop(answered());
        },
        onResponseEnd() {
          if (!isOver) finish(answered());
        },
        onResponseError(_controller, error) {
          if (isOver) return;
          if ((error as { code?: string }).code === 'UND_ERR_INVALID_ARG') reject(error);
          if (status !== 0) finish(answered());
          else finish(isSent ? { kind: 'failed', failure: failureOf(error) } : { kind: 'unsent' });
        },
      },
    );
  });
}

function failureOf(error: Error): 'reset' | 'headersTooLarge' | 'malformed' {
  const code = (error as { code?: string }).code ?? '';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'headersTooLarge';
  // The answer is not HTTP, or its length is not the one that it announced.
  const isMalformed = error.name === 'HTTPParserError' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
  return isMalformed ? 'malformed' : 'reset';
}
