import { connect, type Socket } from 'node:net';
import { Agent, request } from 'undici';

/** What an attacker is given. */
export type Target = {
  readonly url: string;
  /** Of the third merchant: for payments and cards, and for webhooks. */
  readonly gatewayToken: string;
  readonly integrationToken: string;
  readonly accountNumber: string;
  readonly vaultId: string;
  /** Thousands of payments have it. */
  readonly bigReference: string;
  /** A sale of thousands of shares. */
  readonly bigPaymentId: string;
  /** The part of each attack's size that is sent. */
  readonly size: number;
};

/** What an attacker did and what it was answered. */
export type Tally = {
  /** Requests begun, connections opened, and those of them that the service ended or refused. */
  sent: number;
  opened: number;
  ended: number;
  /** By status; 0: no answer. */
  readonly answers: Record<string, number>;
};

type Asked = {
  readonly from: string;
  readonly token?: string;
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
};

/** Nothing of an attack may wait for ever either. */
const ANSWER_MILLISECONDS = 30_000;
/** A refused caller of a program comes again after so long. */
const PAUSE_MILLISECONDS = 200;
const TICK_MILLISECONDS = 10;
/** Beyond this an attack at a rate would be one of memory, of our own process. */
const MOST_UNDER_WAY = 2_000;

function pause(milliseconds: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, milliseconds));
}

/** How an attacker reaches the service: from addresses of its own, so that limits by address mean it. */
export class Means {
  readonly target: Target;
  readonly stopping: AbortSignal;
  readonly tally: Tally = { sent: 0, opened: 0, ended: 0, answers: {} };
  readonly #agents = new Map<string, Agent>();

  constructor(target: Target, stopping: AbortSignal) {
    this.target = target;
    this.stopping = stopping;
  }

  /** So many, in an attack of full size. */
  sized(count: number): number {
    return Math.max(1, Math.ceil(count * this.target.size));
  }

  /** One request, over a connection that is kept; gives its status, 0 without an answer. */
  async ask(path: string, { from, token, method, body }: Asked): Promise<number> {
    const agent = this.#agents.getOrInsertComputed(
      from,
      () => new Agent({ localAddress: from, pipelining: 1 }),
    );
    this.tally.sent += 1;
    let status = 0;
    try {
      const response = await request(this.target.url + path, {
        dispatcher: agent,
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        headersTimeout: ANSWER_MILLISECONDS,
        bodyTimeout: ANSWER_MILLISECONDS,
      });
      status = response.statusCode;
      await response.body.dump({ limit: Number.POSITIVE_INFINITY });
    } catch {
      // Cut, refused, or silent: counted as 0.
    }
    this.tally.answers[status] = (this.tally.answers[status] ?? 0) + 1;
    return status;
  }

  /** So many callers that ask again as soon as they are answered, and a moment after a refusal. */
  async atOnce(callers: number, ask: (caller: number) => Promise<number>): Promise<void> {
    const call = async (caller: number) => {
      while (!this.stopping.aborted) if ((await ask(caller)) !== 200) await pause(PAUSE_MILLISECONDS);
    };
    await Promise.all(Array.from({ length: this.sized(callers) }, (_, caller) => call(caller)));
  }

  /** So many a second, whether answers come or not. */
  async atRate(perSecond: number, ask: (number: number) => Promise<unknown>): Promise<void> {
    const rate = this.sized(perSecond) / 1_000;
    const startedAt = performance.now();
    let begun = 0;
    let underWay = 0;
    while (!this.stopping.aborted) {
      const due = Math.floor((performance.now() - startedAt) * rate);
      for (; begun < due; begun += 1) {
        if (underWay >= MOST_UNDER_WAY) continue;
        underWay += 1;
        void ask(begun).finally(() => {
          underWay -= 1;
        });
      }
      await pause(TICK_MILLISECONDS);
    }
  }

  /** A connection of bytes; what comes is read only where asked. */
  open(from: string, bytes: string, { isRead }: { readonly isRead: boolean }): Socket {
    const { hostname, port } = new URL(this.target.url);
    const socket = connect({ host: hostname, port: Number(port), localAddress: from });
    socket.on('error', () => {});
    if (isRead) socket.resume();
    else socket.pause();
    socket.write(bytes);
    this.tally.opened += 1;
    socket.once('close', () => {
      this.tally.ended += 1;
    });
    return socket;
  }

  /** Keeps so many connections open, a new one for each that ends, at most so many new ones a second. */
  async keepOpen(
    connections: number,
    perSecond: number,
    open: (number: number) => Socket,
    each: (socket: Socket) => void = () => {},
    everyMilliseconds = PAUSE_MILLISECONDS,
  ): Promise<void> {
    const held = new Set<Socket>();
    const mostATurn = Math.ceil((this.sized(perSecond) * everyMilliseconds) / 1_000);
    let opened = 0;
    while (!this.stopping.aborted) {
      for (const socket of held) each(socket);
      for (let turn = 0; turn < mostATurn && held.size < this.sized(connections); turn += 1) {
        const socket = open(opened);
        opened += 1;
        held.add(socket);
        socket.once('close', () => held.delete(socket));
      }
      await pause(everyMilliseconds);
    }
    for (const socket of held) socket.destroy();
  }

  /** Until the time is over or the attack is. */
  async rest(milliseconds: number): Promise<void> {
    for (let rested = 0; rested < milliseconds && !this.stopping.aborted; rested += PAUSE_MILLISECONDS)
      await pause(PAUSE_MILLISECONDS);
  }

  head(method: string, path: string, lines = '', token?: string): string {
    const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
    return `${method} ${path} HTTP/1.1\r\nHost: ${new URL(this.target.url).host}\r\n${authorization}${lines}\r\n`;
  }
}
