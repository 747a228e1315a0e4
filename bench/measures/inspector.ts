import { type Service, until } from '../../test/kit/service.ts';

/** A look inside a running service, through V8's inspector. */
export type Inspector = { send(method: string, parameters?: object): Promise<unknown> };

type Waiting = PromiseWithResolvers<unknown>;

/**
 * Looks inside a running service that was started with its inspector; before and afterwards it costs
 * nothing. A service does not stop while it is looked at.
 */
export async function inspect<T>(service: Service, look: (inspector: Inspector) => Promise<T>): Promise<T> {
  const socket = await openSocket(service);
  try {
    return await look(inspectorOver(socket));
  } finally {
    socket.close();
  }
}

async function openSocket(service: Service): Promise<WebSocket> {
  const url = await until('the inspector listens', async () =>
    service.said.map((line) => /ws:\/\/\S+/.exec(line)?.[0]).findLast((found) => found !== undefined),
  );
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error('the inspector did not answer')), { once: true });
  });
  return socket;
}

function inspectorOver(socket: WebSocket): Inspector {
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(data as string) as {
      id?: number;
      result?: unknown;
      error?: { message: string };
    };
    const asker = waiting.get(answer.id ?? 0);
    if (asker === undefined) return;
    waiting.delete(answer.id ?? 0);
    if (answer.error === undefined) asker.resolve(answer.result);
    else asker.reject(new Error(answer.error.message));
  });
  return {
    send(method, parameters = {}) {
      asked += 1;
      const answer: Waiting = Promise.withResolvers();
      waiting.set(asked, answer);
      socket.send(JSON.stringify({ id: asked, method, params: parameters }));
      return answer.promise;
    },
  };
}
