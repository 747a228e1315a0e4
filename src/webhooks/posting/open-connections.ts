import type { Socket } from 'node:net';
import { Client } from 'undici';
import { type DialFailure, openSocket } from './open-socket.ts';
import type { PostFailure } from './posting-result.ts';
import { type CallRules, lookupFor, type Resolver } from './url-rules.ts';

export type ConnectionLimits = {
  /** To one server for one merchant, who thus does not slow other merchants of the same server. */
  readonly perOrigin: number;
  readonly inAll: number;
  readonly waiting: number;
};

export type Connection = {
  readonly client: Client;
  readonly socket: Socket;
  /** The merchant and the server that the connection is for. */
  readonly place: string;
  /** When it was opened, on the clock of `performance.now`: it is closed at a certain age. */
  readonly openedAt: number;
  isReused: boolean;
  isGone: boolean;
  /** The connection is closed if `socket.bytesRead` becomes larger. */
  mostBytes: number;
};

export type Connections = {
  /** Waits for a free connection until `endsAt` of `performance.now`. The connection must be given back. */
  take(
    merchantId: string,
    url: URL,
    connectMilliseconds: number,
    endsAt: number,
  ): Promise<Connection | DialFailure | Extract<PostFailure, 'timeout' | 'notSent'>>;
  giveBack(connection: Connection): void;
  close(): Promise<void>;
};

/** A name's addresses are trusted for this long. Then the connection is closed, however busy. */
const LONGEST_LIFE_MILLISECONDS = 60_000;
/** Far more than is read of an honest answer: its head, the beginning of its body, and read-ahead. */
const MOST_BYTES_OF_ANSWER = 256 * 1024;

/** One socket per client, kept for the next post unless it is idle for long. */
const CLIENT = {
  pipelining: 1,
  allowH2: false,
  maxHeaderSize: 16 * 1024,
  // undici's time-outs are off: our own deadlines apply.
  headersTimeout: 0,
  bodyTimeout: 0,
  // Servers close idle connections silently after five seconds or more.
  keepAliveTimeout: 4_000,
  keepAliveTimeoutThreshold: 1_000,
  keepAliveMaxTimeout: 10_000,
} as const;

type Place = { open: number; readonly idle: Connection[] };
type Waiter = { readonly place: string; readonly go: (turn: Turn) => void };
/** A free connection, a slot to open one, or `closed` while closing. */
type Turn = Connection | 'freeSlot' | 'closed';

export function openConnections(
  rules: CallRules,
  resolver: Resolver,
  limits: ConnectionLimits,
  observe: (open: number) => void,
): Connections {
  return new BoundedConnections({ rules, resolver, limits, observe });
}

type ConnectionTools = {
  readonly rules: CallRules;
  readonly resolver: Resolver;
  readonly limits: ConnectionLimits;
  readonly observe: (open: number) => void;
};

/**
 * At the limit, the connection that is idle longest is closed to open one to another server. The longest
 * waiting post is served first.
 */
class BoundedConnections implements Connections {
  readonly #tools: ConnectionTools;
  readonly #places = new Map<string, Place>();
  readonly #inUse = new Set<Connection>();
  readonly #waiting = new Set<Waiter>();
  readonly #idle = new Set<Connection>();
  readonly #closing = new AbortController();
  #open = 0;

  constructor(tools: ConnectionTools) {
    this.#tools = tools;
  }

  async take(
    merchantId: string,
    url: URL,
    connectMilliseconds: number,
    endsAt: number,
  ): ReturnType<Connections['take']> {
    const { limits } = this.#tools;
    const place = placeOf(merchantId, url);
    if (this.#isClosing()) return 'notSent';
    let turn: Turn | 'late' | null = this.#turnFor(place);
    if (turn === null && this.#waiting.size >= limits.waiting) return 'notSent';
    turn ??= await this.#waitForTurn(place, endsAt);
    // No turn in time: it is the server's fault if it keeps all its connections busy, and ours if the process
    // is full.
    if (turn === 'late') return isServerBusy(this.#places.get(place), limits) ? 'timeout' : 'notSent';
    if (turn === 'closed') return 'notSent';
    if (turn !== 'freeSlot') return this.#giveTo(Object.assign(turn, { isReused: true }));
    const milliseconds = Math.min(connectMilliseconds, millisecondsUntil(endsAt));
    const opened = await this.#openOne(merchantId, url, milliseconds);
    if (this.#isClosing()) {
      if (typeof opened !== 'string') this.#forget(opened);
      return 'notSent';
    }
    return typeof opened === 'string' ? opened : this.#giveTo(opened);
  }

  giveBack(connection: Connection): void {
    this.#inUse.delete(connection);
    const isOld = performance.now() - connection.openedAt > LONGEST_LIFE_MILLISECONDS;
    if (this.#isClosing() || isOld || connection.socket.destroyed) this.#forget(connection);
    if (!connection.isGone) {
      this.#idle.add(connection);
      this.#places.get(connection.place)?.idle.push(connection);
    }
    this.#serveNext();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const waiter of this.#waiting) waiter.go('closed');
    for (const connection of [...this.#idle, ...this.#inUse]) this.#forget(connection);
  }

  #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  #count(place: string, change: 1 | -1): void {
    const counted = this.#places.get(place) ?? { open: 0, idle: [] };
    counted.open += change;
    this.#open += change;
    if (counted.open === 0) this.#places.delete(place);
    else this.#places.set(place, counted);
    this.#tools.observe(this.#open);
  }

  #forget(connection: Connection): void {
    if (connection.isGone) return;
    connection.isGone = true;
    this.#idle.delete(connection);
    this.#inUse.delete(connection);
    const siblings = this.#places.get(connection.place)?.idle ?? [];
    const at = siblings.indexOf(connection);
    if (at !== -1) siblings.splice(at, 1);
    void connection.client.destroy();
    this.#count(connection.place, -1);
  }

  #turnFor(place: string): Exclude<Turn, 'closed'> | null {
    const { limits } = this.#tools;
    const counted = this.#places.get(place);
    const free = counted?.idle.pop();
    if (free !== undefined) {
      this.#idle.delete(free);
      return free;
    }
    if ((counted?.open ?? 0) >= limits.perOrigin) return null;
    const [longestIdle] = this.#idle;
    if (this.#open >= limits.inAll && longestIdle === undefined) return null;
    if (this.#open >= limits.inAll && longestIdle !== undefined) this.#forget(longestIdle);
    this.#count(place, 1);
    return 'freeSlot';
  }

  #serveNext(): void {
    for (const waiter of this.#waiting) {
      const turn = this.#turnFor(waiter.place);
      if (turn === null) continue;
      this.#waiting.delete(waiter);
      waiter.go(turn);
      return;
    }
  }

  #waitForTurn(place: string, endsAt: number): Promise<Turn | 'late'> {
    return new Promise((resolve) => {
      const end = (turn: Turn | 'late') => {
        clearTimeout(timer);
        this.#waiting.delete(waiter);
        resolve(turn);
      };
      const waiter = { place, go: end };
      const timer = setTimeout(() => end('late'), millisecondsUntil(endsAt));
      this.#waiting.add(waiter);
    });
  }

  #leave(place: string): void {
    this.#count(place, -1);
    this.#serveNext();
  }

  async #openOne(merchantId: string, url: URL, milliseconds: number): Promise<Connection | DialFailure> {
    const { rules, resolver } = this.#tools;
    const place = placeOf(merchantId, url);
    const lookup = lookupFor(resolver, merchantId);
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(milliseconds)]);
    const socket = await openSocket(rules, lookup, url, signal).catch((error: unknown) => {
      this.#leave(place);
      throw error;
    });
    if (typeof socket === 'string') {
      this.#leave(place);
      return socket;
    }
    const connection = connectionOn(socket, url.origin, place);
    connection.client.on('disconnect', () => {
      this.#forget(connection);
      this.#serveNext();
    });
    return connection;
  }

  #giveTo(connection: Connection): Connection {
    connection.mostBytes = connection.socket.bytesRead + MOST_BYTES_OF_ANSWER;
    this.#inUse.add(connection);
    return connection;
  }
}

function placeOf(merchantId: string, { origin }: URL): string {
  return `${merchantId}\n${origin}`;
}

function isServerBusy(place: Place | undefined, limits: ConnectionLimits): boolean {
  return (place?.open ?? 0) >= limits.perOrigin;
}

/** At least one, because a zero timer gives a warning. */
function millisecondsUntil(endsAt: number): number {
  return Math.max(1, Math.ceil(endsAt - performance.now()));
}

/** Gives this one socket to undici, which opens none of its own: what cannot be sent on it fails. */
function connectionOn(socket: Socket, origin: string, place: string): Connection {
  let isTaken = false;
  const client = new Client(origin, {
    ...CLIENT,
    // Calls back in a later microtask: undici does not continue if called back at once.
    connect: (_options, done) =>
      queueMicrotask(() => {
        if (isTaken) return done(new Error('the connection is over'), null);
        isTaken = true;
        done(null, socket);
        // Registered behind undici's own listener, which ends the reading of an honest but long body.
        socket.on('readable', watch);
      }),
  });
  const connection = { client, socket, place, openedAt: performance.now(), ...FRESH };
  const watch = () => {
    if (socket.bytesRead > connection.mostBytes) socket.destroy(new Error('the answer does not end'));
  };
  return connection;
}

const FRESH = { isReused: false, isGone: false, mostBytes: MOST_BYTES_OF_ANSWER };
