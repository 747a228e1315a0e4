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

/** Requests that wait behind the one being served. Honest callers do not send more at once. */
const MOST_WAITING = 2;
/** Body bytes read before a request's turn: Node's buffer and one read of the socket. */
const MOST_READ_AHEAD_BYTES = 128 * 1024;

/** Lasts from a request's arrival to the end of its answer. */
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
  /** A trusted proxy brings many callers. */
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
  /** Bytes that had been read by then. */
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
    // Further requests stay in the system's buffer instead of our memory.
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
   * Ends the connection on malformed or late input. True when an error may be written by hand. Not behind a
   * request being served: its caller would take the error for the answer, perhaps to a payment. Nor behind an
   * answer whose request is still arriving.
   */
  breakOff(): boolean {
    this.#isGivenUp = true;
    if (this.#isAnswerUnderWay()) return false;
    const newest = this.#newest;
    this.#isRefused = newest === null || newest.complete || this.#owes(newest);
    if (!this.#isRefused) this.#socket.destroySoon();
    return this.#isRefused;
  }

  /** Whether no request may be carried out: the caller was told so, though its body may still arrive. */
  isRefused(): boolean {
    return this.#isRefused;
  }

  /** Whether nothing is served and no answer is pending. Half a head may have arrived. */
  owesNothing(): boolean {
    return this.#owed().length === 0;
  }

  /** Whether it waits for a next request, of which a part may have come. */
  isKept(): boolean {
    return this.#newest?.complete === true && this.owesNothing();
  }

  /**
   * For a server that stops since then: whether it is kept, and nothing of a next request has come. A part
   * that came with the last one rests.
   */
  isIdle(now: number, stopsSince: number): boolean {
    const hasRested = now - Math.max(this.#idleSince, stopsSince) >= REST_MILLISECONDS;
    return this.isKept() && hasRested && this.#socket.bytesRead === this.#readByThen;
  }

  isSilent(): boolean {
    return this.#socket.bytesRead === 0;
  }

  /** Polled. The duration of a handler is never a reason. */
  whyCut(now: number): CutReason | null {
    const turn = this.#turn;
    const { writableEnded: isEnding, bytesWritten, writableLength } = this.#socket;
    const isLeft = turn !== null && isMade(turn.response) && !turn.response.writableFinished;
    this.#unread = isEnding || isLeft ? unreadNow(this.#unread, bytesWritten - writableLength, now) : null;
    if (this.#unread !== null && isUnreadTooLong(this.#unread, now)) return 'unreadAnswer';
    // After half an answer the answer's deadline applies, not the body's.
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
    // The rest of a body that was refused unread is still under its deadline.
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
      // No more is read: its body would never arrive.
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

/** Whether an answer is there as a whole. That of a stream, which is still produced, has no length. */
function isMade(response: ServerResponse): boolean {
  return response.writableEnded || (response.headersSent && response.hasHeader('content-length'));
}
