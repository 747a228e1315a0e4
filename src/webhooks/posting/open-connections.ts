import type { Socket } from 'node:net';
import { Client } from 'undici';
import { type DialFailure, openSocket } from './open-socket.ts';
import type { PostFailure } from './posting-result.ts';
import type { CallRules, Resolver } from './url-rules.ts';

export type ConnectionLimits = {
  readonly perOrigin: number;
  readonly inAll: number;
  /** Posts that wait for a connection. */
  readonly waiting: number;
};

/** A connection to one server, given to one post at a time. */
export type Connection = {
  readonly client: Client;
  readonly socket: Socket;
  readonly origin: string;
  /** Real time, for the bound of its life. */
  readonly openedAt: number;
  isReused: boolean;
  isGone: boolean;
  /** Of `socket.bytesRead`: with more it is closed. */
  mostBytes: number;
};

export type Connections = {
  /**
   * A free connection to the origin of `url`, or a new one, or one that becomes free before the moment `endsAt` of
   * `performance.now` (`timeout`). It must be given back.
   */
  take(
    url: URL,
    connectMilliseconds: number,
    endsAt: number,
  ): Promise<Connection | DialFailure | Extract<PostFailure, 'timeout' | 'notSent'>>;
  giveBack(connection: Connection): void;
  close(): Promise<void>;
};

/** A name's addresses are believed no longer than this: by then a connection is closed, however busy. */
const LONGEST_LIFE_MILLISECONDS = 60_000;
/** Much longer than any honest head and beginning of a body together with what the socket reads ahead. */
const MOST_BYTES_OF_ANSWER = 256 * 1024;

/** One socket each, kept for the next post to the same server while it is not idle for long. */
const CLIENT = {
  pipelining: 1,
  allowH2: false,
  maxHeaderSize: 16 * 1024,
  // Our own clocks run.
  headersTimeout: 0,
  bodyTimeout: 0,
  // A server that closes idle connections without having said when does so after five seconds or later; one that said so is
  // believed, less a second, up to ten.
  keepAliveTimeout: 4_000,
  keepAliveTimeoutThreshold: 1_000,
  keepAliveMaxTimeout: 10_000,
} as const;

type Origin = { open: number; readonly idle: Connection[] };
type Waiter = { readonly origin: string; readonly go: (turn: Turn) => void };
/** A free connection, room to open one, or none any more. */
type Turn = Connection | 'room' | 'closed';

/**
 * The connections of this process, bounded for each server and in all. Those that are idle make room for servers that have
 * none. Whoever waits longest is served first, whatever the server.
 */
export function openConnections(
  rules: CallRules,
  resolver: Resolver,
  limits: ConnectionLimits,
  observe: (open: number) => void,
): Connections {
  const origins = new Map<string, Origin>();
  const inUse = new Set<Connection>();
  const waiting = new Set<Waiter>();
  /** Longest idle first. */
  const idle = new Set<Connection>();
  let open = 0;
  const closing = new AbortController();

  function count(origin: string, change: 1 | -1): void {
    const counted = origins.get(origin) ?? { open: 0, idle: [] };
    counted.open += change;
    open += change;
    if (counted.open === 0) origins.delete(origin);
    else origins.set(origin, counted);
    observe(open);
  }
  function forget(connection: Connection): void {
    if (connection.isGone) return;
    connection.isGone = true;
    idle.delete(connection);
    inUse.delete(connection);
    const siblings = origins.get(connection.origin)?.idle ?? [];
    const at = siblings.indexOf(connection);
    if (at !== -1) siblings.splice(at, 1);
    void connection.client.destroy();
    count(connection.origin, -1);
  }
  function turnFor(origin: string): Exclude<Turn, 'closed'> | null {
    const counted = origins.get(origin);
    const free = counted?.idle.pop();
    if (free !== undefined) {
      idle.delete(free);
      return free;
    }
    if ((counted?.open ?? 0) >= limits.perOrigin) return null;
    const [longestIdle] = idle;
    if (open >= limits.inAll && longestIdle === undefined) return null;
    if (open >= limits.inAll && longestIdle !== undefined) forget(longestIdle);
    count(origin, 1);
    return 'room';
  }
  /** Called whenever one was given back or closed: that is a turn for one of those who wait. */
  function serveNext(): void {
    for (const waiter of waiting) {
      const turn = turnFor(waiter.origin);
      if (turn === null) continue;
      waiting.delete(waiter);
      waiter.go(turn);
      return;
    }
  }
  function waitForTurn(origin: string, endsAt: number): Promise<Turn | 'late'> {
    return new Promise((resolve) => {
      const end = (turn: Turn | 'late') => {
        clearTimeout(timer);
        waiting.delete(waiter);
        resolve(turn);
      };
      const waiter = { origin, go: end };
      const timer = setTimeout(() => end('late'), millisecondsUntil(endsAt));
      waiting.add(waiter);
    });
  }
  function leave(origin: string): void {
    count(origin, -1);
    serveNext();
  }
  async function openOne(url: URL, milliseconds: number): Promise<Connection | DialFailure> {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(milliseconds)]);
    const opening = openSocket(rules, resolver, url, signal);
    const socket = await opening.catch((error: unknown) => {
      leave(url.origin);
      throw error;
    });
    if (typeof socket === 'string') {
      leave(url.origin);
      return socket;
    }
    const connection = connectionOn(socket, url.origin);
    connection.client.on('disconnect', () => {
      forget(connection);
      serveNext();
    });
    return connection;
  }
  function giveTo(connection: Connection): Connection {
    connection.mostBytes = connection.socket.bytesRead + MOST_BYTES_OF_ANSWER;
    inUse.add(connection);
    return connection;
  }

  return {
    async take(url, connectMilliseconds, endsAt) {
      if (closing.signal.aborted) return 'notSent';
      let turn: Turn | 'late' | null = turnFor(url.origin);
      if (turn === null && waiting.size >= limits.waiting) return 'notSent';
      turn ??= await waitForTurn(url.origin, endsAt);
      // Where the process has no room, it is ours; where the server's own connections are all busy, it is the server's.
      if (turn === 'late') return isServerBusy(origins.get(url.origin), limits) ? 'timeout' : 'notSent';
      if (turn === 'closed') return 'notSent';
      if (turn !== 'room') return giveTo(Object.assign(turn, { isReused: true }));
      const opened = await openOne(url, Math.min(connectMilliseconds, millisecondsUntil(endsAt)));
      if (closing.signal.aborted) {
        if (typeof opened !== 'string') forget(opened);
        return 'notSent';
      }
      return typeof opened === 'string' ? opened : giveTo(opened);
    },
    giveBack(connection) {
      inUse.delete(connection);
      const isOld = performance.now() - connection.openedAt > LONGEST_LIFE_MILLISECONDS;
      if (closing.signal.aborted || isOld || connection.socket.destroyed) forget(connection);
      if (!connection.isGone) {
        idle.add(connection);
        origins.get(connection.origin)?.idle.push(connection);
      }
      serveNext();
    },
    async close() {
      closing.abort();
      for (const waiter of waiting) waiter.go('closed');
      for (const connection of [...idle, ...inUse]) forget(connection);
    },
  };
}

function isServerBusy(origin: Origin | undefined, limits: ConnectionLimits): boolean {
  return (origin?.open ?? 0) >= limits.perOrigin;
}

/** At least one: a timer of nothing would be of a millisecond too, and with a warning. */
function millisecondsUntil(endsAt: number): number {
  return Math.max(1, Math.ceil(endsAt - performance.now()));
}

/** Takes the socket as it is: undici opens none of its own, and what it could not send on this one fails. */
function connectionOn(socket: Socket, origin: string): Connection {
  let isTaken = false;
  const client = new Client(origin, {
    ...CLIENT,
    // Answered later, since undici does not go on by itself when it is answered while it asks.
    connect: (_options, done) =>
      queueMicrotask(() => {
        if (isTaken) return done(new Error('the connection is over'), null);
        isTaken = true;
        done(null, socket);
        // After undici's own reading: an honest answer may come with a long body behind it.
        socket.on('readable', watch);
      }),
  });
  const connection = { client, socket, origin, openedAt: performance.now(), ...FRESH };
  const watch = () => {
    if (socket.bytesRead > connection.mostBytes) socket.destroy(new Error('the answer does not end'));
  };
  return connection;
}

const FRESH = { isReused: false, isGone: false, mostBytes: MOST_BYTES_OF_ANSWER };
