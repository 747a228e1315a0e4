import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { ChannelCredentials } from '../../../../platform/channels/channel-files.ts';
import type { IsTrusted } from '../../../../platform/http/peers.ts';
import { rateLimit } from '../../../../platform/http/rate-limit.ts';
import { type Notice, readNotice, readNoticePath } from './notice.ts';
import { readAuthorities, readProxiedCertificate } from './read-proxied-certificate.ts';

/** A notice may name many Pix at once. A longer body is no notice. */
const LARGEST_BODY_BYTES = 256 * 1024;
const LARGEST_HEADERS_BYTES = 24 * 1024;
const MOST_CONNECTIONS = 256;
const HANDSHAKE_MILLISECONDS = 5_000;
const HEADERS_MILLISECONDS = 5_000;
const REQUEST_MILLISECONDS = 10_000;
const IDLE_MILLISECONDS = 60_000;
/** The most notices under one certificate. Banks put what arrives in the same moment into one notice. */
const NOTICES_PER_SECOND = 50;

export const NOTICE_OUTCOMES = [
  'taken',
  'stranger',
  'tooMany',
  'unknownAddress',
  'tooLarge',
  'malformed',
  'failed',
] as const;
type NoticeOutcome = (typeof NOTICE_OUTCOMES)[number];

const STATUS_OF: Readonly<Record<NoticeOutcome, number>> = {
  taken: 200,
  stranger: 403,
  tooMany: 429,
  unknownAddress: 404,
  tooLarge: 413,
  malformed: 400,
  failed: 503,
};

type NoticeListenerOptions = {
  /** Null: a proxy ends TLS, and passes the certificate in `certificateHeader`. */
  readonly tls: ChannelCredentials | null;
  readonly certificateHeader: string | null;
  /** The authorities of the banks' certificates, as PEM. */
  readonly authorities: () => string;
  readonly isTrusted: IsTrusted;
  readonly isBank: (name: string) => boolean;
  /** Ends when the notice is written. */
  readonly take: (bank: string, notice: Notice) => Promise<void>;
  readonly observe: (outcome: NoticeOutcome) => void;
};

export type NoticeListener = {
  readonly server: Server;
  /** Uses certificates that were replaced, for connections from now on. */
  readonly renew: (credentials: ChannelCredentials) => void;
  readonly close: () => Promise<void>;
};

const secured = ({ ca, clientCertificate }: ChannelCredentials) => ({
  ...(ca === null ? {} : { ca }),
  ...(clientCertificate === null ? {} : { cert: clientCertificate.certificate, key: clientCertificate.key }),
});

/** Makes the server to which banks tell that something changed. It does not listen yet. */
export function openNoticeListener(options: NoticeListenerOptions): NoticeListener {
  const { tls } = options;
  const limit = rateLimit(NOTICES_PER_SECOND);
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    void outcomeOf(request, options, limit).then((outcome) => {
      options.observe(outcome);
      end(request, response, outcome);
    });
  };
  const limits = {
    maxHeaderSize: LARGEST_HEADERS_BYTES,
    headersTimeout: HEADERS_MILLISECONDS,
    requestTimeout: REQUEST_MILLISECONDS,
    keepAliveTimeout: IDLE_MILLISECONDS,
    connectionsCheckingInterval: HEADERS_MILLISECONDS,
  };
  const guard = { requestCert: true, rejectUnauthorized: true, handshakeTimeout: HANDSHAKE_MILLISECONDS };
  const server =
    tls === null
      ? createServer(limits, answer)
      : createTlsServer({ ...limits, ...guard, ...secured(tls), minVersion: 'TLSv1.2' }, answer);
  server.maxConnections = MOST_CONNECTIONS;
  server.on('tlsClientError', () => options.observe('stranger'));
  return {
    server,
    renew(credentials) {
      if (tls !== null) (server as TlsServer).setSecureContext(secured(credentials));
    },
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeIdleConnections();
      await once(server, 'close');
    },
  };
}

/** Never throws. */
async function outcomeOf(
  request: IncomingMessage,
  options: NoticeListenerOptions,
  limit: ReturnType<typeof rateLimit>,
): Promise<NoticeOutcome> {
  const caller = callerOf(request, options);
  if (caller === null) return 'stranger';
  if (limit.secondsToWait(caller.fingerprint256, performance.now()) > 0) return 'tooMany';
  const named = request.method === 'POST' ? readNoticePath(request.url ?? '') : null;
  if (named === null || !options.isBank(named.bank)) return 'unknownAddress';
  const text = await readBody(request);
  if (text === null) return 'tooLarge';
  const notice = readNotice(text);
  if (notice === null) return 'malformed';
  try {
    await options.take(named.bank, notice);
    return 'taken';
  } catch {
    return 'failed';
  }
}

/** The caller's certificate. Null: it has none that an authority of the banks issued. */
function callerOf(
  { socket, headers }: IncomingMessage,
  { tls, certificateHeader, authorities, isTrusted }: NoticeListenerOptions,
): { readonly fingerprint256: string } | null {
  if (tls !== null) {
    const shown = socket as TLSSocket;
    return shown.authorized ? (shown.getPeerX509Certificate() ?? null) : null;
  }
  if (certificateHeader === null || !isTrusted(socket.remoteAddress ?? '')) return null;
  const header = headers[certificateHeader];
  if (typeof header !== 'string') return null;
  return readProxiedCertificate(header, readAuthorities(authorities()), Date.now());
}

/** Null: the body is longer than allowed, or broke off. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > LARGEST_BODY_BYTES) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A request that was not read to its end is cut off: the rest is not waited for. */
function end(request: IncomingMessage, response: ServerResponse, outcome: NoticeOutcome): void {
  const isWhole = request.complete;
  const headers = {
    'content-type': 'application/json',
    ...(outcome === 'tooMany' && { 'retry-after': '1' }),
    ...(!isWhole && { connection: 'close' }),
  };
  response.writeHead(STATUS_OF[outcome], headers);
  response.end('{}', () => {
    if (!isWhole) request.destroy();
  });
}
