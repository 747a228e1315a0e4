import { X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns';
import { stat } from 'node:fs/promises';
import { buildConnector, Pool } from 'undici';
import { errorFields, type Log } from '../log.ts';
import { counter, gauge, type Metrics } from '../metrics.ts';
import { FairLine, Overloaded, type Wanted } from '../work/fair-line.ts';

import { type Asked, askOnce, NONE_FREE, type Question, TOO_LATE, tracedCall } from './ask-once.ts';
import { type ChannelCredentials, type ChannelFiles, readChannelFiles } from './channel-files.ts';

/** The connector of an undici pool. The pool is closed before its channel. */
export type Channel = {
  /** For undici's option `connect`. Each new connection uses the files as they are then. */
  readonly connect: buildConnector.connector;
  readonly headers: () => Readonly<Record<string, string>>;
  /** For protocols that do not send it as a bearer token; null: the channel has none. */
  readonly token: () => string | null;
  readonly close: () => void;
};

type ChannelOptions = {
  readonly connectTimeoutMilliseconds: number;
  /** Called when a changed file cannot be used. The former content stays in use. */
  readonly onFault: (error: Error) => void;
  /** Called with the expiry of each certificate of this side that comes into use; null: it has none. */
  readonly onCertificate?: (endsAt: Date | null) => void;
  /** Called with the content of the files whenever it comes into use. */
  readonly onCredentials?: (credentials: ChannelCredentials) => void;
};

/** How often the files are looked at: certificates are replaced hours before they expire. */
const LOOK_MILLISECONDS = 2_000;

/**
 * Certificates are always verified, whatever the environment says. HTTP/1.1 only: over HTTP/2 the client
 * repeats what a closing server reports as not processed.
 */
export function connectorWith(
  { ca, clientCertificate }: ChannelCredentials,
  connectTimeoutMilliseconds: number,
  lookUp: typeof lookup = lookup,
): buildConnector.connector {
  /** The connection attempt that is starting: `connect` calls `lookup` before it returns. */
  let begun = { isLooking: false };
  const connect = buildConnector({
    timeout: connectTimeoutMilliseconds,
    lookup(host, options, found) {
      const own = begun;
      own.isLooking = true;
      lookUp(host, options, (...answer) => {
        own.isLooking = false;
        found(...answer);
      });
    },
    allowH2: false,
    rejectUnauthorized: true,
    ...(ca === null ? {} : { ca }),
    ...(clientCertificate === null
      ? {}
      : { cert: clientCertificate.certificate, key: clientCertificate.key }),
  });
  return (target, callback) => {
    const own = { isLooking: false };
    begun = own;
    connect(target, (...[error, socket]) => {
      if (isTimeout(error) && own.isLooking)
        callback(Object.assign(new Error('no name server answers'), { code: 'EAI_AGAIN' }), null);
      else if (error === null) callback(null, socket);
      else callback(error, null);
    });
    begun = { isLooking: false };
  };
}

const isTimeout = (error: Error | null) =>
  error !== null && (error as NodeJS.ErrnoException).code === 'UND_ERR_CONNECT_TIMEOUT';

export function headersWith({ token }: ChannelCredentials): Readonly<Record<string, string>> {
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** Reads its files again when they change. Throws `ChannelUnusable` for the first read. */
export async function openChannel(files: ChannelFiles, options: ChannelOptions): Promise<Channel> {
  const channel = new ChangingChannel(files, options);
  await channel.look();
  channel.goOnLooking();
  return {
    connect: (target, callback) => channel.connector(target, callback),
    headers: () => channel.headers,
    token: () => channel.token,
    close: () => channel.close(),
  };
}

/** Without TLS and credentials: for a program on this machine. */
export function plainChannel(connectTimeoutMilliseconds: number): Channel {
  const none: ChannelCredentials = { ca: null, clientCertificate: null, token: null };
  const connect = connectorWith(none, connectTimeoutMilliseconds);
  return { connect, headers: () => ({}), token: () => null, close: () => {} };
}

class ChangingChannel {
  readonly #files: ChannelFiles;
  readonly #options: ChannelOptions;
  #mark: string | null = null;
  #isLooking = false;
  #timer: NodeJS.Timeout | undefined;
  connector: buildConnector.connector;
  headers: Readonly<Record<string, string>> = {};
  token: string | null = null;

  constructor(files: ChannelFiles, options: ChannelOptions) {
    this.#files = files;
    this.#options = options;
    this.connector = plainChannel(options.connectTimeoutMilliseconds).connect;
  }

  async look(): Promise<void> {
    const mark = await markOf(this.#files);
    if (mark === this.#mark) return;
    // Unusable files are reported once, and read again when they change.
    this.#mark = mark;
    const credentials = await readChannelFiles(this.#files);
    this.connector = connectorWith(credentials, this.#options.connectTimeoutMilliseconds);
    this.headers = headersWith(credentials);
    this.token = credentials.token;
    this.#options.onCertificate?.(certificateEnd(credentials));
    this.#options.onCredentials?.(credentials);
  }

  goOnLooking(): void {
    if (Object.values(this.#files).every((file) => file === null)) return;
    this.#timer = setInterval(() => {
      if (this.#isLooking) return;
      this.#isLooking = true;
      void this.look()
        .catch(this.#options.onFault)
        .finally(() => {
          this.#isLooking = false;
        });
    }, LOOK_MILLISECONDS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

function certificateEnd({ clientCertificate }: ChannelCredentials): Date | null {
  return clientCertificate === null
    ? null
    : new Date(new X509Certificate(clientCertificate.certificate).validTo);
}

/**
 * Identifies the content of the files. It has the inodes, because tools that mount secrets swap a link and do
 * not change the times.
 */
async function markOf(files: ChannelFiles): Promise<string> {
  const marks = Object.values(files).map(async (file) => {
    if (file === null) return '';
    const found = await stat(file.path, { bigint: true }).catch(() => null);
    return found === null ? 'gone' : `${found.ino}/${found.size}/${found.mtimeNs}`;
  });
  return (await Promise.all(marks)).join(' ');
}

const FAULTS = counter(
  'parcela_channel_faults_total',
  'Times that changed files of a channel (certificate, key, authorities, token) could not be used.',
  ['channel'],
);
const CERTIFICATE_END = gauge(
  'parcela_channel_certificate_not_after_timestamp_seconds',
  'When the certificate that we show there ends.',
  ['channel'],
);

export function observeChannel(
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
  channel: string,
  sentence: string,
): Required<Pick<ChannelOptions, 'onFault' | 'onCertificate'>> {
  const faults = metrics.counter(FAULTS);
  const end = metrics.gauge(CERTIFICATE_END);
  faults.inc({ channel }, 0);
  return {
    onFault(error) {
      faults.inc({ channel });
      log.error(errorFields(error), sentence);
    },
    onCertificate(endsAt) {
      if (endsAt !== null) end.set({ channel }, endsAt.getTime() / 1_000);
    },
  };
}

/** How many callers may wait for each connection. */
const WAITING_FOR_EACH = 8;
const LONGEST_WAIT_MILLISECONDS = 5_000;
/** The part of the timeout spent waiting for a connection; the rest is for the answer. */
const PART_TO_WAIT = 1 / 4;

/**
 * Connections to an acquirer or a bank, shared by merchants and by kinds of query, so that a slow kind does
 * not stop the others. A query that gets no connection in time is not sent. Nothing is pipelined: an
 * unanswered query must not hold up the next ones.
 */
export class SharedPool {
  readonly #peer: 'acquirer' | 'bank' | 'pix';
  readonly #pool: Pool;
  readonly #line: FairLine;

  constructor(
    peer: 'acquirer' | 'bank' | 'pix',
    origin: string,
    { connect }: Pick<Channel, 'connect'>,
    connections: number,
  ) {
    this.#peer = peer;
    this.#pool = new Pool(origin, { connections, pipelining: 1, keepAliveTimeout: 30_000, connect });
    this.#line = new FairLine({
      name: `connections to the ${peer}`,
      slots: connections,
      waiting: connections * WAITING_FOR_EACH,
      longestWaitMilliseconds: LONGEST_WAIT_MILLISECONDS,
    });
  }

  /** Like `askOnce`, never throws and never exceeds the timeout. Sends nothing when no time is left. */
  async ask(
    wanted: Wanted,
    question: Question,
    timeout: number,
    largestAnswerBytes?: number,
  ): Promise<Asked> {
    const askedAt = performance.now();
    const ask = async (): Promise<Asked> => {
      const left = timeout - (performance.now() - askedAt);
      if (left <= 0) return TOO_LATE;
      return tracedCall(this.#peer, question, (sent) => askOnce(this.#pool, sent, left, largestAnswerBytes));
    };
    try {
      return await this.#line.run(wanted, ask, { milliseconds: timeout * PART_TO_WAIT });
    } catch (error) {
      if (error instanceof Overloaded) return NONE_FREE;
      throw error;
    }
  }

  destroy(): Promise<void> {
    return this.#pool.destroy();
  }
}
