import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { BodyHold } from './body-memory.ts';
import {
  type CutReason,
  isBodyLate,
  isUnreadTooLong,
  REST_MILLISECONDS,
  STRANGER_IDLE_MILLISECONDS,
  type Unread,
  unreadNow,
} from './connection-deadlines.ts';

/** The most requests that may wait behind the one being served. Honest callers do not send more at once. */
const MOST_WAITING = 2;
/** The most body bytes that are read before a request's turn: Node's buffer and one read of the socket. */
const MOST_READ_AHEAD_BYTES = 128 * 1024;

/** A request from its arrival to the end of its answer. `hold`: the memory for a body that arrives early. */
type Turn = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly serve: () => void;
  readonly hold: BodyHold | null;
  begunAt: number;
  isKnown: boolean;
  isAnswered: boolean;
};

type ConnectionTools = {
  /** Body memory, counted for the connection's address. */
  readonly openHold: () => BodyHold;
  readonly onKnown: () => void;
};

const bySocket = new WeakMap<Socket, Connection>();

/**
 * One TCP connection. Its requests take turns: the next starts when the answer before it was written. So a
 * connection has at most one handler at work.
 */
export class Connection {
  /** False: only health is served to this peer. */
  readonly isServed: boolean;
  /** Above the limit of connections: only health is served. */
  readonly isReserved: boolean;
  /** The peer is a trusted proxy, which brings many callers. */
  readonly isTrusted: boolean;
  readonly #socket: Socket;
  readonly #tools: ConnectionTools;
  #turn: Turn | null = null;
  #waiting: Turn[] = [];
  #newest: IncomingMessage | null = null;
  #unread: Unread | null = null;
  #isGivenUp = false;
  /** The arriving request was refused by an answer written to the socket by hand. */
  #isRefused = false;
  #isKnown = false;
  #idleSince = performance.now();
  /** The bytes that had been read from the socket at `#idleSince`. */
  #readByThen = 0;

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
   * Serves a request when its turn comes. False when too many wait or its body gets no memory: then pending
   * requests are answered and the connection ends.
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
    // Further requests stay in the system's buffer instead of this program's memory.
    this.#socket.pause();
    return false;
  }

  #holdFor({ headers }: IncomingMessage): BodyHold | null | 'refused' {
    const announced =
      headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
    if (announced === 0) return null;
    const hold = this.#tools.openHold();
    return hold.add(Math.min(announced, MOST_READ_AHEAD_BYTES)) ? hold : 'refused';
  }

  /** Gives the request's body and the connection the longer deadlines of known callers. */
  acceptCaller(request: IncomingMessage): void {
    if (this.#turn?.request === request) this.#turn.isKnown = true;
    if (this.#isKnown) return;
    this.#isKnown = true;
    this.#tools.onKnown();
  }

  isOfStranger(): boolean {
    return !this.#isKnown && !this.isTrusted;
  }

  mayMakeRoom(): boolean {
    return this.isOfStranger() && !this.#isAnswerUnderWay();
  }

  isKeptTooLong(now: number): boolean {
    return this.isOfStranger() && this.isKept() && now - this.#idleSince >= STRANGER_IDLE_MILLISECONDS;
  }

  giveUp(): void {
    this.#isGivenUp = true;
  }

  hasMore(): boolean {
    return this.#waiting.length > 0;
  }

  isLastAnswer(): boolean {
    return (this.#isGivenUp || this.isReserved || !this.isServed) && !this.hasMore();
  }

  /**
   * Ends the connection on malformed or late input. True: an error may be written to the socket by hand. It
   * may not behind a request being served, whose caller would take the error for the answer, perhaps to a
   * payment; nor behind an answer whose request is still arriving.
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
   * Whether the arriving request must not be carried out: its caller was told so, though its body may still
   * arrive.
   */
  isRefused(): boolean {
    return this.#isRefused;
  }

  /** Whether nothing is served and no answer is pending. The head of a next request may have come in part. */
  owesNothing(): boolean {
    return this.#owed().length === 0;
  }

  /** Whether the connection waits for a next request, of which a part may have come. */
  isKept(): boolean {
    return this.#newest?.complete === true && this.owesNothing();
  }

  /**
   * Whether the connection is kept and brought nothing of a next request for `REST_MILLISECONDS`, counted
   * from `stopsSince` at the earliest: when the server began to stop.
   */
  isIdle(now: number, stopsSince: number): boolean {
    const hasRested = now - Math.max(this.#idleSince, stopsSince) >= REST_MILLISECONDS;
    return this.isKept() && hasRested && this.#socket.bytesRead === this.#readByThen;
  }

  isSilent(): boolean {
    return this.#socket.bytesRead === 0;
  }

  /**
   * Why the connection must be cut now; null: it stays. Asked every second. How long a handler takes is never
   * a reason.
   */
  whyCut(now: number): CutReason | null {
    const turn = this.#turn;
    const { writableEnded: isEnding, bytesWritten, writableLength } = this.#socket;
    const isLeft = turn !== null && isMade(turn.response) && !turn.response.writableFinished;
    this.#unread = isEnding || isLeft ? unreadNow(this.#unread, bytesWritten - writableLength, now) : null;
    if (this.#unread !== null && isUnreadTooLong(this.#unread, now)) return 'unreadAnswer';
    // Once an answer is being sent, its own deadline applies, not that of the body.
    const isAwaited =
      turn !== null && !turn.request.complete && (turn.isAnswered || !turn.response.headersSent);
    return isAwaited && isBodyLate(turn, now) ? 'slowBody' : null;
  }

  #begin(turn: Turn): void {
    this.#turn = turn;
    this.#unread = null;
    turn.begunAt = performance.now();
    turn.response.once('close', () => this.#end(turn));
    turn.serve();
  }

  #end(turn: Turn): void {
    turn.isAnswered = true;
    const { request } = turn;
    if (request.complete || this.#isGivenUp) this.#beginNext();
    // The rest of a body that was refused unread may still arrive, until the deadline of bodies.
    else
      request.once('end', () => {
        if (this.#turn === turn) this.#beginNext();
      });
  }

  #beginNext(): void {
    this.#turn = null;
    this.#idleSince = performance.now();
    this.#readByThen = this.#socket.bytesRead;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      next.hold?.release();
      // The answer before or the caller ended the connection: a request that cannot be answered must not be
      // done.
      if (!this.#socket.writable) return;
      // Nothing more is read from the socket, so the body would never arrive.
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

  /** Whether a whole request is served or waits, or half an answer is sent. */
  #isAnswerUnderWay(): boolean {
    return this.#owed().some(({ request, response }) => request.complete || response.headersSent);
  }
}

/** Whether the whole answer was made. An answer that is still produced as a stream has no length. */
function isMade(response: ServerResponse): boolean {
  return response.writableEnded || (response.headersSent && response.hasHeader('content-length'));
}
