import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Connection } from './connection.ts';
import type { Connections } from './connections.ts';

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

const IDLE_SWEEP_MILLISECONDS = 50;
/**
 * A client with an open connection could not know of the drain: its requests are served for so
 * long.
 */
const LATECOMERS_MILLISECONDS = 1_000;
/** How long the rest of a head may take then, to be refused in words. */
const HEAD_MILLISECONDS = 10_000;

/**
 * Every answer of a drain ends its connection, unless a request waits behind it, so that a proxy opens the
 * next one elsewhere. Gives whether the doors are closed for good: a request that comes then, over a
 * connection that is still open, is to be refused before anything is done for it, for the end must not wait
 * for ever.
 */
export function drainConnections(
  app: FastifyInstance,
  drain: Drain,
  connections: Pick<Connections, 'endUnserved'>,
): () => boolean {
  let closedAt = Number.POSITIVE_INFINITY;
  app.addHook('onSend', (request, reply, payload, done) => {
    const connection = Connection.of(request.raw.socket);
    if (connection?.isLastAnswer() || (drain.hasBegun() && connection?.hasMore() !== true))
      reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('preClose', async () => {
    drain.begin();
    // A connection whose request was under way is kept alive by its client: let go of it afterwards.
    const sweeping = setInterval(() => {
      app.server.closeIdleConnections();
      // Node looks after the heads of requests no more: half of one would keep the process from its end.
      if (performance.now() > closedAt + HEAD_MILLISECONDS) connections.endUnserved(app.server);
    }, IDLE_SWEEP_MILLISECONDS);
    app.server.once('close', () => clearInterval(sweeping));
    await acceptWaiting(app);
    closedAt = performance.now() + LATECOMERS_MILLISECONDS;
  });
  return () => performance.now() > closedAt;
}

/** A bound for a stop under an attack. */
const MOST_ACCEPTED = 10_000;

/**
 * Closing resets the connections that wait to be accepted, with their requests: they are accepted
 * first. The loop takes one of them a turn; turns without any show that none waits.
 */
async function acceptWaiting({ server }: FastifyInstance): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  // The first turn may have looked before it was asked.
  for (let quiet = 0; quiet < 2 && accepted < MOST_ACCEPTED; ) {
    const before = accepted;
    await setImmediate();
    quiet = accepted === before ? quiet + 1 : 0;
  }
  server.off('connection', count);
}
