import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressGroup, parseAddress } from '../../values/ip-address.ts';
import { answerMalformedHttp } from './answers.ts';
import type { BodyMemory } from './body-memory.ts';
import { Connection } from './connection.ts';
import type { CutReason } from './connection-deadlines.ts';
import type { Peers } from './peers.ts';

export type ConnectionLimits = { readonly inAll: number; readonly perAddress: number };

export type RefusedReason = 'inAll' | 'perAddress';

export type ConnectionObserver = {
  opened(count: number): void;
  refused(reason: RefusedReason): void;
  cut(reason: CutReason): void;
};

const HEADERS_TIMEOUT_MILLISECONDS = 10_000;
const KEEP_ALIVE_MILLISECONDS = 65_000;
const SLOW_SWEEP_MILLISECONDS = 1_000;

/** One connection in so many is reserved for trusted proxies, if there are any. */
const PART_FOR_PROXIES = 8;

type Open = {
  readonly server: Server;
  readonly connection: Connection;
  readonly leave: () => void;
};

export class CallerConnections {
  readonly #open = new Map<Socket, Open>();
  readonly #byGroup = new Map<string, number>();
  /** Connections from all addresses except those of trusted proxies. */
  #ofGroups = 0;
  /** Connections over which no token was accepted. */
  readonly #strangers = new ConnectionsByAddress<Socket>();
  readonly #limits: ConnectionLimits;
  readonly #reserve = new ConnectionReserve<Socket>();
  readonly #unserved = new ConnectionReserve<Socket>();
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

  createServer(handle: RequestListener): Server {
    const server = createServer(
      {
        headersTimeout: HEADERS_TIMEOUT_MILLISECONDS,
        // Off: Node counts from the first byte, even while the request waits behind another. See `#sweep`.
        requestTimeout: 0,
        connectionsCheckingInterval: SLOW_SWEEP_MILLISECONDS,
        keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
        // A missing host is refused by `isDoubtful`, in the usual shape.
        requireHostHeader: false,
      },
      (request, response) => {
        const connection = Connection.of(request.socket);
        if (connection?.take(request, response, () => handle(request, response)) === false)
          this.#observer.cut('pipelining');
      },
    );
    // Node's own method resets connections whose first request was received and not yet read. `end` replaces
    // it.
    server.closeIdleConnections = () => {};
    server.prependListener('connection', (socket: Socket) => this.#admit(socket, server));
    return server;
  }

  end(server: Server, isOver: (connection: Connection) => boolean): void {
    for (const [socket, { connection, server: own }] of this.#open)
      if (own === server && isOver(connection)) socket.destroy();
  }

  close(): void {
    clearInterval(this.#sweeping);
  }

  #admit(socket: Socket, server: Server): void {
    const { remoteAddress } = socket;
    // The peer has left.
    if (remoteAddress === undefined) return void socket.destroy();
    const address = addressGroup(parseAddress(remoteAddress));
    const isTrusted = this.#peers.isTrusted(remoteAddress);
    const isServed = this.#peers.isServed(remoteAddress);
    const group = isTrusted ? null : address;
    const reason = isServed ? this.#whyRefused(group) : null;
    if (reason === 'perAddress') {
      this.#refuse(socket, reason);
      return;
    }
    const isReserved = reason === 'inAll';
    const connection = new Connection(
      socket,
      { isServed, isReserved, isTrusted },
      {
        // The caller of a waiting request is not known yet, so the memory is that of its address.
        openHold: () => this.#bodies.open({ isKnown: false, name: address }),
        onKnown: () => this.#strangers.leave(socket, address),
      },
    );
    const reserve = isReserved ? this.#reserve : isServed ? null : this.#unserved;
    const leave = () => {
      // A connection that was ended to make room has left the counts already when it closes.
      if (!this.#open.delete(socket)) return;
      if (reserve === null) this.#count(group, -1);
      else reserve.leave(socket, address);
      this.#strangers.leave(socket, address);
    };
    this.#open.set(socket, { server, connection, leave });
    socket.once('close', leave);
    if (reserve !== null) this.#keepIn(reserve, socket, address);
    else {
      this.#count(group, 1);
      if (group !== null) this.#strangers.add(socket, address);
    }
  }

  #keepIn(reserve: ConnectionReserve<Socket>, socket: Socket, address: string): void {
    const leaving = reserve.keep(socket, address);
    if (leaving === null) return;
    this.#open.get(leaving)?.leave();
    this.#refuse(leaving, 'inAll');
  }

  #refuse(socket: Socket, reason: RefusedReason): void {
    this.#observer.refused(reason);
    socket.destroy();
  }

  #whyRefused(group: string | null): RefusedReason | null {
    const ofGroup = group === null ? 0 : (this.#byGroup.get(group) ?? 0);
    const isAddressFull = ofGroup >= this.#limits.perAddress;
    const isFull = this.#isFull(group);
    // An address that has all its connections must not push out those of others.
    if (isFull) return isAddressFull || !this.#makeRoom(group) ? 'inAll' : null;
    return isAddressFull ? 'perAddress' : null;
  }

  /** Trusted proxies have a reserved part, and whatever others leave free. */
  #isFull(group: string | null): boolean {
    const { inAll } = this.#limits;
    if (this.#counted() >= inAll) return true;
    const forProxies = this.#peers.hasTrusted ? Math.ceil(inAll / PART_FOR_PROXIES) : 0;
    return group !== null && this.#ofGroups >= inAll - forProxies;
  }

  /**
   * Ends the oldest connection of a stranger with no answer under way; false: that makes no room for `group`.
   */
  #makeRoom(group: string | null): boolean {
    const socket = this.#strangers.oldestOfMost(
      (one) => this.#open.get(one)?.connection.mayMakeRoom() === true,
    );
    if (socket === null) return false;
    this.#open.get(socket)?.leave();
    this.#observer.cut('roomForOthers');
    socket.destroy();
    return !this.#isFull(group);
  }

  #counted(): number {
    return this.#open.size - this.#reserve.size - this.#unserved.size;
  }

  #count(group: string | null, change: 1 | -1): void {
    this.#observer.opened(this.#counted());
    if (group === null) return;
    this.#ofGroups += change;
    const count = (this.#byGroup.get(group) ?? 0) + change;
    if (count === 0) this.#byGroup.delete(group);
    else this.#byGroup.set(group, count);
  }

  #sweep(): void {
    const now = performance.now();
    for (const [socket, { connection }] of this.#open) {
      const reason = connection.whyCut(now);
      if (reason === null) {
        if (connection.isKeptTooLong(now)) socket.destroySoon();
        continue;
      }
      this.#observer.cut(reason);
      // It ends by a reset: unread bytes would stay in the system's memory.
      if (reason === 'unreadAnswer') socket.resetAndDestroy();
      else answerMalformedHttp(new Error('the body did not come in time'), socket);
    }
  }
}

/** How many connections a reserve keeps open, for health checks. */
const MOST_RESERVED = 16;

/**
 * The connections of each address in the order of their opening, to find one to end when a new one needs
 * room.
 */
export class ConnectionsByAddress<One> {
  readonly #byAddress = new Map<string, Set<One>>();

  get size(): number {
    let size = 0;
    for (const own of this.#byAddress.values()) size += own.size;
    return size;
  }

  add(one: One, address: string): void {
    this.#byAddress.getOrInsertComputed(address, () => new Set()).add(one);
  }

  leave(one: One, address: string): void {
    const own = this.#byAddress.get(address);
    own?.delete(one);
    if (own?.size === 0) this.#byAddress.delete(address);
  }

  /**
   * The oldest connection that may be ended, of the address with the most connections; null: there is none.
   */
  oldestOfMost(mayGo: (one: One) => boolean = () => true): One | null {
    const most = this.#largest();
    if (most === null) return null;
    const found = firstOf(most, mayGo);
    if (found !== null) return found;
    // All connections of that address are being served: try the next address.
    const others = [...this.#byAddress.values()].toSorted((one, other) => other.size - one.size);
    for (const own of others) {
      const other = firstOf(own, mayGo);
      if (other !== null) return other;
    }
    return null;
  }

  #largest(): ReadonlySet<One> | null {
    let most: ReadonlySet<One> | null = null;
    for (const own of this.#byAddress.values()) if (own.size > (most?.size ?? 0)) most = own;
    return most;
  }
}

/** Connections that only health checks may use: above the limit, or of peers that are not served. */
export class ConnectionReserve<One> {
  readonly #kept = new ConnectionsByAddress<One>();

  get size(): number {
    return this.#kept.size;
  }

  /**
   * Adds a connection. Gives the one to end for it, the oldest of the address with the most; null: there is
   * room.
   */
  keep(one: One, address: string): One | null {
    this.#kept.add(one, address);
    return this.size > MOST_RESERVED ? this.#kept.oldestOfMost() : null;
  }

  leave(one: One, address: string): void {
    this.#kept.leave(one, address);
  }
}

function firstOf<One>(all: ReadonlySet<One>, mayGo: (one: One) => boolean): One | null {
  for (const one of all) if (mayGo(one)) return one;
  return null;
}
