import { type ConnectionLimits, openConnections } from './open-connections.ts';
import { type Exchange, postOnConnection } from './post-on-connection.ts';
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
  /** Ends every pending request at once. */
  close(): Promise<void>;
};

const LIMITS: ConnectionLimits = { perOrigin: 8, inAll: 512, waiting: 4_096 };
/** Connections that were closed just as they were to be used again, until a post gives up. */
const MOST_STALE = 10;

/**
 * The only way by which this program calls an address that a merchant chose: only public addresses
 * and those that the operator opened, vetted and pinned for each connection; TLS that is checked;
 * no redirect, no proxy; head, body and time of the answer bounded. `observe` is called with the
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
