import { connect } from 'node:net';
import { patiently } from '../kit/patience.ts';

/** One answer as it came over the wire; interim ones (100) are not counted. */
export type WireAnswer = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

export type Exchange = {
  readonly answers: readonly WireAnswer[];
  /** Bytes behind the last whole answer: empty, unless an answer was cut. */
  readonly rest: string;
};

export type ExchangeOptions = {
  /** Whether our side ends when everything is sent. */
  readonly isEnded?: boolean;
  /** Milliseconds between the pieces; 0 sends them one after another at once. */
  readonly pause?: number;
  /** The address that we call from. */
  readonly localAddress?: string;
  /** Each piece waits for the answer to the one before. */
  readonly isPatient?: boolean;
};

/** Far over every limit of the server's own: reached only when it never ends a connection. */
const NO_END_MILLISECONDS = 90_000;

/** Sends bytes as they are over a connection of its own, and gives what came until the server ended it. */
export async function exchange(
  url: string,
  pieces: readonly (string | Uint8Array)[],
  options: ExchangeOptions = {},
): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  const socket = connect({
    port: Number(port),
    host: hostname,
    localAddress: options.localAddress,
    allowHalfOpen: true,
  });
  const chunks: Buffer[] = [];
  const closed = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the server did not end the connection; it sent ${Buffer.concat(chunks)}`));
    }, patiently(NO_END_MILLISECONDS));
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve();
    };
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('end', finish);
    // A server that ends a connection with unread bytes on it resets it; what it had said before was read.
    socket.once('error', finish);
  });
  const answered = (count: number) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (readAnswers(Buffer.concat(chunks).toString('latin1')).answers.length >= count) resolve();
      };
      socket.on('data', look);
      socket.once('close', () => resolve());
      look();
    });
  await send(socket, pieces, options, answered);
  await closed;
  return readAnswers(Buffer.concat(chunks).toString('latin1'));
}

async function send(
  socket: ReturnType<typeof connect>,
  pieces: readonly (string | Uint8Array)[],
  { isEnded = false, pause = 0, isPatient = false }: ExchangeOptions,
  answered: (count: number) => Promise<void>,
): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (isPatient) await answered(index);
    if (socket.destroyed || socket.readableEnded) return;
    socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
    if (pause > 0) await new Promise((wake) => setTimeout(wake, pause));
  }
  if (isEnded && !socket.destroyed) socket.end();
}

/** Reads the answers one behind another, by their Content-Length. */
function readAnswers(text: string): Exchange {
  const answers: WireAnswer[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return { answers, rest };
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? 0);
    const headers = new Map(lines.map(headerOf));
    const size = Number(headers.get('content-length') ?? 0);
    const from = end + 4;
    if (rest.length < from + size) return { answers, rest };
    const body = Buffer.from(rest.slice(from, from + size), 'latin1').toString('utf8');
    if (status >= 200 || status === 0) answers.push({ status, headers, body });
    rest = rest.slice(from + size);
  }
}

function headerOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
