import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressGroup, parseAddress } from '../../values/ip-address.ts';
import { answerMalformedHttp } from './answers.ts';
import type { BodyMemory } from './body-memory.ts';
import { Connection } from './connection.ts';
import type { CutReason } from './connection-deadlines.ts';
import { ConnectionReserve } from './connection-reserve.ts';
import type { Peers } from './peers.ts';

export type ConnectionLimits = { readonly inAll: number; readonly perAddress: number };

export type RefusedReason = 'inAll' | 'perAddress';

/** For metrics and the log. */
export type ConnectionObserver = {
  opened(count: number): void;
  refused(reason: RefusedReason): void;
  cut(reason: CutReason): void;
};

const HEADERS_TIMEOUT_MILLISECONDS = 10_000;
const KEEP_ALIVE_MILLISECONDS = 65_000;
/** How often callers that are slower than the limits are looked for. */
const SLOW_SWEEP_MILLISECONDS = 1_000;

/** All connections of the process over which requests come, whichever of its listeners took them. */
export class CallerConnections {
  readonly #open = new Map<Socket, { readonly server: Server; readonly connection: Connection }>();
  readonly #byGroup = new Map<string, number>();
  readonly #limits: ConnectionLimits;
  readonly #reserve = new ConnectionReserve<Socket>();
  readonly #peers: Peers;
  readonly #bodies: BodyMemory;
  readonly #observer: ConnectionObserver;
  readonly #sweeping: NodeJS.Timeout;

  constructor(limits: ConnectionLimits, peers: Peers, bodies: BodyMemory, observer: ConnectionObserver) {
    this.#limits = limits;
    this.#peers = peers;
    this.#bodies = bodies;
    this.#observer = observer;
    this.#sweeping = setInterval(() => this.#sweep(), SLOW_SWEEP_MILLISECONDS).unref();
  }

  /** A server whose connections are counted here, and whose requests take turns. */
  createServer(handle: RequestListener): Server {
    const server = createServer(
      {
        headersTimeout: HEADERS_TIMEOUT_MILLISECONDS,
        // Node counts from the first byte, also while the request waits behind another one.
        requestTimeout: 0,
        connectionsCheckingInterval: SLOW_SWEEP_MILLISECONDS,
        keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
        // Ours to refuse, in the usual shape.
        requireHostHeader: false,
      },
      (request, response) => {
        const connection = Connection.of(request.socket);
        if (connection?.take(request, response, () => handle(request, response)) === false)
          this.#observer.cut('pipelining');
      },
    );
    // Node's own resets a connection whose first request was received and not read yet. See `end`.
    server.closeIdleConnections = () => {};
    // Before Node gives it a parser.
    server.prependListener('connection', (socket: Socket) => this.#admit(socket, server));
    return server;
  }

  /** Ends those connections of a server. `isIdle`: kept, and no byte of a next request was read. */
  end(server: Server, isOver: (connection: Connection, isIdle: boolean) => boolean): void {
    const within = socketsWithinRequests(server);
    for (const [socket, { connection, server: own }] of this.#open) {
      const isIdle = connection.isKept() && within?.has(socket) === false;
      if (own === server && isOver(connection, isIdle)) socket.destroy();
    }
  }

  close(): void {
    clearInterval(this.#sweeping);
  }

  #admit(socket: Socket, server: Server): void {
    const { remoteAddress } = socket;
    // Gone before it was looked at.
    if (remoteAddress === undefined) return void socket.destroy();
    const address = addressGroup(parseAddress(remoteAddress));
    const group = this.#peers.isTrusted(remoteAddress) ? null : address;
    const reason = this.#whyRefused(group);
    if (reason === 'perAddress') {
      this.#refuse(socket, reason);
      return;
    }
    const isReserved = reason === 'inAll';
    const isServed = this.#peers.isServed(remoteAddress);
    // The sender of a request that waits is not known yet.
    const openHold = () => this.#bodies.open({ isKnown: false, name: address });
    const connection = new Connection(socket, { isServed, isReserved }, openHold);
    this.#open.set(socket, { server, connection });
    if (isReserved) {
      this.#reserveFor(socket, address);
      return;
    }
    this.#count(group, 1);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#count(group, -1);
    });
  }

  #reserveFor(socket: Socket, address: string): void {
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#reserve.leave(socket);
    });
    const leaving = this.#reserve.keep(socket, address);
    if (leaving === null) return;
    // It closes later, and is not counted until then.
    this.#reserve.leave(leaving);
    this.#open.delete(leaving);
    this.#refuse(leaving, 'inAll');
  }

  #refuse(socket: Socket, reason: RefusedReason): void {
    this.#observer.refused(reason);
    socket.destroy();
  }

  #whyRefused(group: string | null): RefusedReason | null {
    if (this.#unreserved() >= this.#limits.inAll) return 'inAll';
    const ofGroup = group === null ? 0 : (this.#byGroup.get(group) ?? 0);
    return ofGroup >= this.#limits.perAddress ? 'perAddress' : null;
  }

  #unreserved(): number {
    return this.#open.size - this.#reserve.size;
  }

  #count(group: string | null, change: 1 | -1): void {
    this.#observer.opened(this.#unreserved());
    if (group === null) return;
    const count = (this.#byGroup.get(group) ?? 0) + change;
    if (count === 0) this.#byGroup.delete(group);
    else this.#byGroup.set(group, count);
  }

  #sweep(): void {
    const now = performance.now();
    for (const [socket, { connection }] of this.#open) {
      const reason = connection.whyCut(now);
      if (reason === null) continue;
      this.#observer.cut(reason);
      // With a reset: what was not taken would stay in the system's memory otherwise.
      if (reason === 'unreadAnswer') socket.resetAndDestroy();
      else answerMalformedHttp(new Error('the body did not come in time'), socket);
    }
  }
}

/**
 * Those over which a request has begun to come and is not whole. Only Node's parser knows whether bytes that
 * came with a request were the last of it or the first of the next, and Node shows that to itself alone.
 * Null: this Node does not show it; none is idle then, and each ends at its deadline.
 */
function socketsWithinRequests(server: Server): ReadonlySet<Socket> | null {
  const symbols = Object.getOwnPropertySymbols(server);
  const key = symbols.find(({ description }) => description === 'http.server.connections');
  if (key === undefined) return null;
  type Parsers = { active(): readonly { readonly socket: Socket }[] };
  const parsers = (server as unknown as Readonly<Record<symbol, Parsers>>)[key];
  return parsers === undefined ? null : new Set(parsers.active().map(({ socket }) => socket));
}
