import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { CallerConnections } from './caller-connections.ts';
import { Connection } from './connection.ts';
import { STRANGER_IDLE_SECONDS } from './connection-deadlines.ts';

/** From the order to stop until the listener closes, readiness says no and requests are still served. */
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
 * How long after the close requests over open connections are served: their clients cannot know of the stop.
 */
const LATECOMERS_MILLISECONDS = 3_000;
/** How long after the close a silent connection stays: it may have been opened just now for a request. */
const SILENT_MILLISECONDS = 1_000;
/** How long after the close the rest of a head may take, so that its request is refused with an answer. */
const HEAD_MILLISECONDS = 10_000;

/**
 * During a drain each answer ends its connection, unless a request waits behind it. Gives whether the time
 * for late requests is over: they are then refused before anything is done.
 */
export function drainConnections(
  app: FastifyInstance,
  drain: Drain,
  connections: Pick<CallerConnections, 'end'>,
): () => boolean {
  let [stopsSince, closedAt] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const isLate = (by: number) => performance.now() > closedAt + by;
  app.addHook('onSend', (request, reply, payload, done) => {
    const connection = Connection.of(request.raw.socket);
    if (connection?.isLastAnswer() || (drain.hasBegun() && connection?.hasMore() !== true))
      reply.header('connection', 'close');
    else if (connection?.isOfStranger() === true && !reply.hasHeader('connection'))
      reply.header('keep-alive', `timeout=${STRANGER_IDLE_SECONDS}`);
    done(null, payload);
  });
  /** Whether nothing is served over a connection, and nothing more is expected of it. */
  const isOver = (connection: Connection) =>
    connection.isIdle(performance.now(), stopsSince) ||
    (connection.isSilent() && isLate(SILENT_MILLISECONDS)) ||
    // After the close Node does not time heads: half a head would keep the process alive.
    (connection.owesNothing() && isLate(HEAD_MILLISECONDS));
  app.addHook('preClose', async () => {
    drain.begin();
    stopsSince = performance.now();
    // A client keeps the connection of a request that was under way at the stop: it is ended here.
    const sweeping = setInterval(async () => {
      // Ending a connection with an unread request resets it, so all that has arrived is read first.
      await setImmediate();
      connections.end(app.server, isOver);
    }, SWEEP_MILLISECONDS);
    app.server.once('close', () => clearInterval(sweeping));
    await closeBehindWaiting(app.server);
    closedAt = performance.now();
  });
  return () => isLate(LATECOMERS_MILLISECONDS);
}

/** The bounds of `closeBehindWaiting`, for a stop under attack. */
const MOST_ACCEPTED = 10_000;
const MOST_ACCEPTING_MILLISECONDS = 2_000;
/** During a longer turn of the event loop other connections may have arrived. */
const QUIET_TURN_MILLISECONDS = 1;

/**
 * Closing a listener resets connections that wait to be accepted, so they are accepted first, one for each
 * turn of the event loop. They are read only afterwards: otherwise more would arrive in each turn. Short
 * turns without a new connection show that none waits.
 */
async function closeBehindWaiting(server: Server): Promise<void> {
  const accepted: Socket[] = [];
  const hold = (socket: Socket) => accepted.push(socket);
  // Like the option of net.createServer, which HTTP servers do not take.
  Object.assign(server, { pauseOnConnect: true });
  server.on('connection', hold);
  const endsAt = performance.now() + MOST_ACCEPTING_MILLISECONDS;
  // Two quiet turns are awaited: the first may have looked too early.
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
