import { createSocket } from 'node:dgram';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import type { Certified } from '../webhooks/certificates.ts';

/** One request as a merchant's server got it. */
export type EndpointResponse = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
};

/**
 * What a merchant's server does with a request. `hang`: nothing, the connection stays open.
 * `reset`: it breaks the connection.
 * A number is a status without a body.
 */
export type Reply =
  | number
  | 'hang'
  | 'reset'
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    };

/** Answers one request; `before` is how many came before it. */
export type Answering = (received: EndpointResponse, before: number) => Reply | Promise<Reply>;

/** A merchant's server on 127.0.0.1. */
export type Listener = {
  /** `http://127.0.0.1:port`, or https. */
  readonly url: string;
  readonly port: number;
  /** Every request that came whole, in order. */
  readonly received: EndpointResponse[];
  /** How many connections were opened to it, and how many are. */
  readonly connections: { opened: number; open: number };
  /** The requests that are being answered, now and the most there were at once. */
  readonly busy: { now: number; most: number };
  /** From now on it answers so. */
  answerWith(answering: Reply | Answering): void;
  close(): Promise<void>;
};

/** A merchant's server over http, or over https with a certificate. `port` 0: a free one. */
export async function startListener(
  answering: Reply | Answering = 200,
  { certified, port = 0 }: { readonly certified?: Certified; readonly port?: number } = {},
): Promise<Listener> {
  let current = answering;
  const received: EndpointResponse[] = [];
  const busy = { now: 0, most: 0 };
  const onRequest = async (request: IncomingMessage, response: ServerResponse) => {
    busy.now += 1;
    busy.most = Math.max(busy.most, busy.now);
    response.once('close', () => {
      busy.now -= 1;
    });
    const one = await receive(request).catch(() => null);
    if (one === null) return;
    received.push(one);
    const reply = typeof current === 'function' ? await current(one, received.length - 1) : current;
    send(reply, request, response);
  };
  const server =
    certified === undefined
      ? createHttpServer(onRequest)
      : createHttpsServer({ cert: certified.certificate, key: certified.keyText }, onRequest);
  const scheme = certified === undefined ? 'http' : 'https';
  const started = await startServer(server, port);
  return {
    ...started,
    url: `${scheme}://127.0.0.1:${started.port}`,
    received,
    busy,
    answerWith(next) {
      current = next;
    },
  };
}

async function receive(request: IncomingMessage): Promise<EndpointResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = '', url: path = '', headers } = request;
  return { method, path, headers, body: Buffer.concat(chunks).toString('utf8') };
}

function send(reply: Reply, request: IncomingMessage, response: ServerResponse): void {
  if (reply === 'hang') return;
  if (reply === 'reset') return void (request.socket as Socket).resetAndDestroy();
  const { status, headers = {}, body = '' } = typeof reply === 'number' ? { status: reply } : reply;
  response.writeHead(status, headers).end(body);
}

/** A server that speaks no HTTP of its own: `onConnection` does with each connection what it likes. */
export async function startRawListener(
  onConnection: (socket: Socket) => void,
): Promise<Pick<Listener, 'url' | 'port' | 'connections' | 'close'>> {
  const started = await startServer(createTcpServer(onConnection), 0);
  return { ...started, url: `http://127.0.0.1:${started.port}` };
}

async function startServer(server: Server | ReturnType<typeof createTcpServer>, port: number) {
  const connections = { opened: 0, open: 0 };
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.opened += 1;
    connections.open += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      connections.open -= 1;
      sockets.delete(socket);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

export type NameServer = {
  /** `127.0.0.1:port`, as `openResolver` takes it. */
  readonly address: string;
  /** Names that were asked for, in order. */
  readonly asked: string[];
  /** IPv4 addresses of names, may be changed; a name without any is unknown; `silent`: no answer is given. */
  readonly names: Map<string, readonly string[] | 'silent'>;
  close(): Promise<void>;
};

/** A name server over UDP with the given names. */
export async function startNameServer(
  names: Readonly<Record<string, readonly string[] | 'silent'>>,
): Promise<NameServer> {
  const known = new Map(Object.entries(names));
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    const { name, type, end } = readQuestion(question);
    asked.push(name);
    const addresses = known.get(name);
    if (addresses !== 'silent') {
      socket.send(answerTo(question.subarray(0, end), type, addresses), from.port, from.address);
    }
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    names: known,
    close: () => new Promise<void>((resolve) => socket.close(resolve)),
  };
}

const HEADER_BYTES = 12;
const TYPE_A = 1;

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(question: Buffer, type: number, addresses: readonly string[] | undefined): Buffer {
  const answers = type === TYPE_A ? (addresses ?? []) : [];
  const head = Buffer.from(question);
  // An answer, recursion available; 3: there is no such name.
  head.writeUInt16BE(addresses === undefined ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(answers.length, 6);
  head.writeUInt16BE(0, 10);
  const records = answers.map((address) =>
    Buffer.from([0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([head, ...records]);
}
