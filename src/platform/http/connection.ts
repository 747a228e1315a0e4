import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { BodyHold } from './body-memory.ts';
import {
  type CutReason,
  isBodyLate,
  isUnreadTooLong,
  STRANGER_IDLE_MILLISECONDS,
  type Unread,
  unreadNow,
} from './connection-deadlines.ts';

/**
 * Requests that may wait behind the one that is served. Callers that send more at once are no honest ones.
 */
const MOST_WAITING = 2;
/**
 * What is read of a body before its turn: what Node keeps of one, and what one read of the socket adds
 * to that.
 */
const MOST_READ_AHEAD_BYTES = 128 * 1024;

/** One request of a connection, from when it has come to the end of its answer. */
type Turn = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly serve: () => void;
  /** What its body may take while it waits. */
  readonly hold: BodyHold | null;
  /** When it began, and whether its caller is known by now: what its body may take goes by both. */
  begunAt: number;
  isKnown: boolean;
  isAnswered: boolean;
};

type ConnectionTools = {
  /** Of memory for bodies, of the connection's address. */
  readonly openHold: () => BodyHold;
  /** Called once: a token that came over it was accepted. */
  readonly onKnown: () => void;
};

const bySocket = new WeakMap<Socket, Connection>();

/**
 * One TCP connection. Its requests take turns: the next one is not looked at before the answer to the one
 * before was written, so that a connection has one handler at work and owes one answer, however many
 * requests are sent at once.
 */
export class Connection {
  /** False: its peer is not served, but for health. */
  readonly isServed: boolean;
  /** Beyond the limit: only health is served over it. */
  readonly isReserved: boolean;
  /** A trusted proxy's, over which many callers come. */
  readonly isTrusted: boolean;
  readonly #socket: Socket;
  readonly #tools: ConnectionTools;
  #turn: Turn | null = null;
  #waiting: Turn[] = [];
  #newest: IncomingMessage | null = null;
  #unread: Unread | null = null;
  /** Nothing more that comes over it is served. */
  #isGivenUp = false;
  /** It was said by hand that the request that was coming in is not carried out. */
  #isRefused = false;
  /** A caller over it was known, once. */
  #isKnown = false;
  /** Since when no request is served over it: monotonic milliseconds. */
  #idleSince = performance.now();

  constructor(
    socket: Socket,
    { isServed, isReserved, isTrusted }: Pick<Connection, 'isServed' | 'isReserved' | 'isTrusted'>,
    tools: ConnectionTools,
  ) {
    this.isServed = isServed;
    this.isReserved = isReserved;
    this.isTrusted = isTrusted;
    this.#socket = socket;
    this.#tools = tools;
    bySocket.set(socket, this);
    socket.once('close', () => {
      for (const { hold } of this.#waiting) hold?.release();
      this.#waiting = [];
    });
  }

  static of(socket: Socket): Connection | undefined {
    return bySocket.get(socket);
  }

  /**
   * Serves a request when its turn comes. False when too many wait already, or there is no memory for its
   * body meanwhile: what was taken is answered, then it ends.
   */
  take(request: IncomingMessage, response: ServerResponse, serve: () => void): boolean {
    if (this.#isGivenUp) {
      this.#socket.pause();
      return true;
    }
    this.#newest = request;
    const turn = { request, response, serve, begunAt: 0, isKnown: false, isAnswered: false };
    if (this.#turn === null || this.#turn.isAnswered) {
      this.#begin({ ...turn, hold: null });
      return true;
    }
    const hold = this.#holdFor(request);
    if (this.#waiting.length < MOST_WAITING && hold !== 'refused') {
      this.#waiting.push({ ...turn, hold });
      return true;
    }
    if (hold !== 'refused') hold?.release();
    this.#isGivenUp = true;
    // What else has been sent stays where it is, instead of being read into memory.
    this.#socket.pause();
    return false;
  }

  /** Null: it has no body. */
  #holdFor({ headers }: IncomingMessage): BodyHold | null | 'refused' {
    const announced =
      headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
    if (announced === 0) return null;
    const hold = this.#tools.openHold();
    return hold.add(Math.min(announced, MOST_READ_AHEAD_BYTES)) ? hold : 'refused';
  }

  /**
   * From now on the request's body may take as long as that of a known caller, and the connection is kept as
   * one.
   */
  acceptCaller(request: IncomingMessage): void {
    if (this.#turn?.request === request) this.#turn.isKnown = true;
    if (this.#isKnown) return;
    this.#isKnown = true;
    this.#tools.onKnown();
  }

  /** Nobody has shown a token over it that was accepted, and no proxy brings the requests of many. */
  isOfStranger(): boolean {
    return !this.#isKnown && !this.isTrusted;
  }

  /** Whether it may end for another one: nothing that would be acted upon has come whole. */
  mayMakeRoom(): boolean {
    return this.isOfStranger() && !this.#isAnswerUnderWay();
  }

  /** Whether it is a stranger's, and was kept for a next request longer than a stranger's is. */
  isKeptTooLong(now: number): boolean {
    return this.isOfStranger() && this.isKept() && now - this.#idleSince >= STRANGER_IDLE_MILLISECONDS;
  }

  /** Nothing behind this request is served. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  /** Whether more is to be served behind the answer that is made now. */
  hasMore(): boolean {
    return this.#waiting.length > 0;
  }

  /** Whether the connection ends behind the answer that is made now. */
  isLastAnswer(): boolean {
    return (this.#isGivenUp || this.isReserved || !this.isServed) && !this.hasMore();
  }

  /**
   * Ends the connection because what came is no HTTP, or did not come in time. True when this may be said
   * by hand. Behind a request that is being served it may not: its caller would take it for the answer of
   * that request, a payment perhaps, and it would be a lie. Nor behind an answer whose request is still
   * coming in.
   */
  breakOff(): boolean {
    this.#isGivenUp = true;
    if (this.#isAnswerUnderWay()) return false;
    const newest = this.#newest;
    this.#isRefused = newest === null || newest.complete || this.#owes(newest);
    if (!this.#isRefused) this.#socket.destroySoon();
    return this.#isRefused;
  }

  /**
   * Whether nothing that comes over it may be carried out: the caller was answered so, and its body
   * may still come.
   */
  isRefused(): boolean {
    return this.#isRefused;
  }

  /** Whether nothing is served and no answer is on its way: half a head may have come. */
  owesNothing(): boolean {
    return this.#owed().length === 0;
  }

  /**
   * Whether it is kept for a next request; of that no byte may have been read yet: see
   * `socketsWithinRequests`.
   */
  isKept(): boolean {
    return this.#newest?.complete === true && this.owesNothing();
  }

  /** Whether no byte was ever read from it. */
  isSilent(): boolean {
    return this.#socket.bytesRead === 0;
  }

  /** Why the connection is to be cut now; asked again and again. Never for how long a handler works. */
  whyCut(now: number): CutReason | null {
    const turn = this.#turn;
    const isEnding = this.#socket.writableEnded;
    const isLeft = turn?.response.writableEnded === true && !turn.response.writableFinished;
    this.#unread = isEnding || isLeft ? unreadNow(this.#unread, bytesLeft(this.#socket), now) : null;
    if (this.#unread !== null && isUnreadTooLong(this.#unread, now)) return 'unreadAnswer';
    // Behind half an answer nothing can be said of the body: the answer's own deadline ends the connection.
    const isAwaited =
      turn !== null && !turn.request.complete && (turn.isAnswered || !turn.response.headersSent);
    return isAwaited && isBodyLate(turn, now) ? 'slowBody' : null;
  }

  #begin(turn: Turn): void {
    this.#turn = turn;
    turn.begunAt = performance.now();
    turn.response.once('close', () => this.#end(turn));
    turn.serve();
  }

  #end(turn: Turn): void {
    turn.isAnswered = true;
    this.#idleSince = performance.now();
    // The rest of a body that was refused unread is still under its deadline.
    if (turn.request.complete || this.#isGivenUp) this.#beginNext();
  }

  #beginNext(): void {
    this.#turn = null;
    this.#idleSince = performance.now();
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      next.hold?.release();
      // Ended by the answer before, or by the caller: what could not be answered must not be done.
      if (!this.#socket.writable) return;
      // Nothing more is read: it would wait for its body for ever.
      if (this.#isGivenUp && !next.request.complete) continue;
      this.#begin(next);
      return;
    }
    if (this.#isGivenUp) this.#socket.destroySoon();
  }

  #owes(request: IncomingMessage): boolean {
    return this.#owed().some((turn) => turn.request === request);
  }

  #owed(): readonly Turn[] {
    const isOwed = this.#turn !== null && !this.#turn.isAnswered;
    return isOwed ? [this.#turn as Turn, ...this.#waiting] : this.#waiting;
  }

  /**
   * Whether a whole request is served or waits, or half an answer is sent: a request still coming in was
   * not acted upon.
   */
  #isAnswerUnderWay(): boolean {
    return this.#owed().some(({ request, response }) => request.complete || response.headersSent);
  }
}

/**
 * Bytes of an answer that the system has not taken yet. What Node shows to everybody only moves when all of
 * it is taken.
 */
function bytesLeft(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { readonly writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? socket.writableLength;
}
