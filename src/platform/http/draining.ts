import type { FastifyInstance } from 'fastify';

/**
 * The time between the order to stop and the closing of the doors: readiness says no, so that proxies send nothing new, and
 * everything that comes all the same is served.
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
 * Every answer of a drain ends its connection, so that a proxy opens the next one elsewhere. Gives whether the doors are
 * closing: a request that comes then, over a connection that is still open, is to be refused before anything is done for it.
 */
export function drainConnections(app: FastifyInstance, drain: Drain): () => boolean {
  let isClosing = false;
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing || drain.hasBegun()) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    // A connection whose request was under way is kept alive by its client: let go of it afterwards.
    const sweeping = setInterval(() => app.server.closeIdleConnections(), IDLE_SWEEP_MILLISECONDS);
    app.server.once('close', () => clearInterval(sweeping));
  });
  return () => isClosing;
}
