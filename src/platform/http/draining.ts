import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { CallerConnections } from './caller-connections.ts';
import { Connection } from './connection.ts';
import { STRANGER_IDLE_SECONDS } from './connection-deadlines.ts';

/**
 * The time between the order to stop and the closing of the doors: readiness says no, so that proxies send
 * nothing new, and everything that comes all the same is served.
 */
export type Drain = { begin(): void; hasBegun(): boolean };

export function openDrain(): Drain {
  let hasBegun = false;
  return {
    begin() {
      hasBegun = true;
    },
    hasBegun: () => hasBegun,
  };
}

const SWEEP_MILLISECONDS = 50;
/**
 * A client with an open connection could not know of the stop: its requests are served for so
 * long after the listener closed.
 */
const LATECOMERS_MILLISECONDS = 3_000;
/** How long a connection that has sent nothing is kept: it may just have been opened for a request. */
const SILENT_MILLISECONDS = 1_000;
/** How long the rest of a head may take then, to be refused in words. */
const HEAD_MILLISECONDS = 10_000;

/**
 * Every answer of a drain ends its connection, unless a request waits behind it, so that a proxy opens the
 * next one elsewhere. Gives whether the time of latecomers is over: a request that comes then, over a
 * connection that is still open, is to be refused before anything is done for it, for the end must not wait
 * for ever.
 */
export function drainConnections(
  app: FastifyInstance,
  drain: Drain,
  connections: Pick<CallerConnections, 'end'>,
): () => boolean {
  let closedAt = Number.POSITIVE_INFINITY;
  const isLate = (by: number) => performance.now() > closedAt + by;
  app.addHook('onSend', (request, reply, payload, done) => {
    const connection = Connection.of(request.raw.socket);
    if (connection?.isLastAnswer() || (drain.hasBegun() && connection?.hasMore() !== true))
      reply.header('connection', 'close');
    else if (connection?.isOfStranger() === true && !reply.hasHeader('connection'))
      reply.header('keep-alive', `timeout=${STRANGER_IDLE_SECONDS}`);
    done(null, payload);
  });
  /** Whether nothing is served over it or expected from it. */
  const isOver = (connection: Connection, isIdle: boolean) =>
    isIdle ||
    (connection.isSilent() && isLate(SILENT_MILLISECONDS)) ||
    // Node looks after the heads of requests no more: half of one would keep the process from its end.
    (connection.owesNothing() && isLate(HEAD_MILLISECONDS));
  app.addHook('preClose', async () => {
    drain.begin();
    // A connection whose request was under way is kept alive by its client: it is ended afterwards.
    const sweeping = setInterval(async () => {
      // Ending a connection with an unread request resets it: first all that has arrived is read.
      await setImmediate();
      connections.end(app.server, isOver);
    }, SWEEP_MILLISECONDS);
    app.server.once('close', () => clearInterval(sweeping));
    await closeBehindWaiting(app.server);
    closedAt = performance.now();
  });
  return () => isLate(LATECOMERS_MILLISECONDS);
}

/** Bounds for a stop under an attack. */
const MOST_ACCEPTED = 10_000;
const MOST_ACCEPTING_MILLISECONDS = 2_000;
/** While a longer turn of the loop went on, others may have arrived. */
const QUIET_TURN_MILLISECONDS = 1;

/**
 * Closing resets the connections that wait to be accepted, with their requests: they are accepted
 * first. The loop accepts one a turn, so they are not read before the listener is closed: in a busy
 * process more would arrive in each turn. Short turns without any show that none waits.
 */
async function closeBehindWaiting(server: Server): Promise<void> {
  const accepted: Socket[] = [];
  const hold = (socket: Socket) => accepted.push(socket);
  // As the option of net.createServer, which servers of HTTP do not take.
  Object.assign(server, { pauseOnConnect: true });
  server.on('connection', hold);
  const endsAt = performance.now() + MOST_ACCEPTING_MILLISECONDS;
  // The first turn may have looked before it was asked.
  for (let quiet = 0; quiet < 2 && accepted.length < MOST_ACCEPTED && performance.now() < endsAt; ) {
    const before = accepted.length;
    const beganAt = performance.now();
    await setImmediate();
    const isQuiet = accepted.length === before && performance.now() - beganAt < QUIET_TURN_MILLISECONDS;
    quiet = isQuiet ? quiet + 1 : 0;
  }
  server.close();
  for (const socket of accepted) socket.resume();
}
