import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Chance } from '../chance.ts';

/** One request as a merchant's system got it, and what it answered. */
export type Arrival = {
  /** Of all arrivals and answers at all systems, in the order in which they happened. */
  readonly place: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly system: string;
  readonly path: string;
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly authorization: string | null;
  readonly body: string;
  /** Null: it got no answer, or not a whole one. */
  status: number | null;
  /** When the answer went out, counted as `place` is. */
  answeredPlace: number | null;
};

/** How a system is: `flaky` answers 500 now and then, `silent` takes everything and says nothing. */
type Mood = 'well' | 'flaky' | 'silent';

/** A merchant's system on loopback, which writes down everything that comes. */
export type MerchantSystem = {
  readonly name: string;
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  be(mood: Mood): void;
  /** Every connection breaks, and nobody listens any more. */
  goAway(): Promise<void>;
  /** It listens where it did; harmless when it never went. */
  comeBack(): Promise<void>;
  /** Its arrivals were compared, and it is as it was in the beginning. */
  startAnew(): void;
};

/** One for each shop. The first two are as they are called; the third is what goes away and comes back. */
export const SYSTEM_NAMES = ['healthy', 'flaky', 'away'] as const;

const SHARE_OF_FAILURES = 0.2;
/** Of one message: the pause behind the third failure is longer than a round of faults. */
const MOST_FAILURES = 2;

export function openMerchantSystems(chance: Chance): Promise<MerchantSystem[]> {
  let last = 0;
  const nextPlace = () => {
    last += 1;
    return last;
  };
  return Promise.all(SYSTEM_NAMES.map((name) => openMerchantSystem(name, chance.fork(name), nextPlace)));
}

async function openMerchantSystem(
  name: string,
  chance: Chance,
  nextPlace: () => number,
): Promise<MerchantSystem> {
  const failures = new Map<string, number>();
  const silent = new Set<() => void>();
  let arrivals: Arrival[] = [];
  const usualMood: Mood = name === 'flaky' ? 'flaky' : 'well';
  let mood: Mood = usualMood as Mood;

  function statusFor(id: string): number {
    const failed = failures.get(id) ?? 0;
    if (mood !== 'flaky' || failed >= MOST_FAILURES || !chance.isIn(SHARE_OF_FAILURES)) return 200;
    failures.set(id, failed + 1);
    return 500;
  }

  function answer(arrival: Arrival, response: ServerResponse): void {
    const status = statusFor(arrival.id);
    // Written down before: the sender sees the answer at the earliest now.
    const place = nextPlace();
    response.once('finish', () => {
      arrival.status = status;
      arrival.answeredPlace = place;
    });
    response.writeHead(status).end();
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    if (body === null) return;
    const arrival = arrivalOf(request, body, name, nextPlace());
    arrivals.push(arrival);
    if (mood !== 'silent') return answer(arrival, response);
    const later = () => {
      silent.delete(later);
      if (!response.destroyed) answer(arrival, response);
    };
    silent.add(later);
    response.once('close', () => silent.delete(later));
  }

  const sockets = new Set<Socket>();
  const server = createServer((request, response) => void take(request, response));
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const port = await listen(server, 0);
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    get arrivals() {
      return arrivals;
    },
    be(wanted) {
      mood = wanted;
      if (mood !== 'silent') for (const later of [...silent]) later();
    },
    goAway: () =>
      new Promise((resolve) => {
        if (!server.listening) return resolve();
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
    comeBack: async () => {
      if (!server.listening) await listen(server, port);
    },
    startAnew: () => {
      arrivals = [];
      mood = usualMood;
      failures.clear();
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Null: the connection broke before the whole request was there. */
async function textOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return null;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function arrivalOf(
  { headers, url: path = '' }: IncomingMessage,
  body: string,
  system: string,
  place: number,
) {
  return {
    place,
    at: Date.now(),
    system,
    path,
    id: String(headers['webhook-id']),
    timestamp: String(headers['webhook-timestamp']),
    signature: String(headers['webhook-signature']),
    authorization: headers.authorization ?? null,
    body,
    status: null,
    answeredPlace: null,
  } satisfies Arrival;
}
