import { createConnection, createServer, type Server, type Socket } from 'node:net';
import type { Chance } from './chance.ts';

/**
 * Stands between the gateways and the simulator and spoils the answers to cancels and captures, which the
 * simulator's own scripts do not reach. Everything else passes through byte for byte.
 */
export type CancelSpoiler = {
  readonly url: string;
  /** Ids of cancels that were refused here, and never reached the acquirer: each is refused for ever. */
  readonly refused: ReadonlySet<string>;
  /** From now on this share of the cancels is spoiled. */
  spoil(share: number): void;
  /** The next cancel is kept from the acquirer, and refused in its name when that is said. */
  refuseNext(): { readonly asked: Promise<void>; answer(): void };
  /** Nothing is under way any more, and no id that was asked for is asked for again. */
  forget(): void;
  close(): Promise<void>;
};

const WAYS = ['lost before', 'lost after', 'silent', 'garbage', 'refused'] as const;
type Way = (typeof WAYS)[number];

/** One id is not spoiled for ever: the acquirer is reached in the end. */
const MOST_SPOILED_TRIES = 3;
const HEAD_END = '\r\n\r\n';

export async function openCancelSpoiler(targetUrl: string, chance: Chance): Promise<CancelSpoiler> {
  const cancels = new SpoiledCancels(chance);
  const sockets = new Set<Socket>();
  const server = createServer((client) => passThrough(client, new URL(targetUrl), sockets, cancels));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    refused: cancels.refused,
    spoil: (wanted) => {
      cancels.share = wanted;
    },
    refuseNext: () => cancels.refuseNext(),
    forget: () => cancels.forget(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Which cancels are spoiled, and how. */
class SpoiledCancels {
  readonly refused = new Set<string>();
  share = 0;
  readonly #chance: Chance;
  readonly #seen = new Map<string, { spoiledTries: number; hasReached: boolean }>();
  #next: { readonly asked: () => void; readonly answered: Promise<void> } | null = null;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  refuseNext(): ReturnType<CancelSpoiler['refuseNext']> {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    this.#next = { asked: asked.resolve, answered: answered.promise };
    return { asked: asked.promise, answer: answered.resolve };
  }

  forget(): void {
    this.#next = null;
    this.#seen.clear();
    this.refused.clear();
  }

  /** When this cancel may be refused, where it is the one that was to be refused next; null: it is not. */
  takeNext(cancelId: string): Promise<void> | null {
    // An earlier one that is asked again was booked by the acquirer: it is not refused any more.
    if (this.#next === null || this.#seen.get(cancelId)?.hasReached) return null;
    const { asked, answered } = this.#next;
    this.#next = null;
    this.refused.add(cancelId);
    asked();
    return answered;
  }

  wayOf(cancelId: string): Way | null {
    if (this.refused.has(cancelId)) return 'refused';
    const past = this.#seen.getOrInsertComputed(cancelId, () => ({ spoiledTries: 0, hasReached: false }));
    const isSpoiled = past.spoiledTries < MOST_SPOILED_TRIES && this.#chance.isIn(this.share);
    let way = isSpoiled ? this.#chance.pick(WAYS) : null;
    // What reached the acquirer once is booked there: a refusal afterwards would be a lie, which no
    // acquirer answers.
    if (way === 'refused' && past.hasReached) way = 'silent';
    if (way === 'refused') this.refused.add(cancelId);
    if (isSpoiled) past.spoiledTries += 1;
    past.hasReached ||= way !== 'lost before' && way !== 'refused';
    return way;
  }
}

function passThrough(client: Socket, { hostname, port }: URL, sockets: Set<Socket>, cancels: SpoiledCancels) {
  const acquirer = createConnection({ host: hostname, port: Number(port) });
  const breakBoth = () => {
    client.destroy();
    acquirer.destroy();
  };
  for (const socket of [client, acquirer]) {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', breakBoth);
    socket.on('close', () => {
      sockets.delete(socket);
      breakBoth();
    });
  }
  let way: Way | null = null;
  let held: Buffer = Buffer.alloc(0);
  client.on('data', (bytes: Buffer) => {
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    const length = lengthOfRequest(held);
    if (length === null || held.length < length) return;
    const request = held;
    held = Buffer.alloc(0);
    const cancelId = cancelIdOf(request);
    const refusedNext = cancelId === null ? null : cancels.takeNext(cancelId);
    if (cancelId !== null && refusedNext !== null)
      return void refusedNext.then(() => client.write(refusalOf(request, cancelId)));
    way = cancelId === null ? null : cancels.wayOf(cancelId);
    if (way === 'lost before') breakBoth();
    else if (way === 'refused') client.write(refusalOf(request, cancelId as string));
    else acquirer.write(request);
  });
  acquirer.on('data', (bytes: Buffer) => {
    if (way === null) client.write(bytes);
    else if (way === 'lost after') breakBoth();
    else if (way === 'garbage') client.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"cancel!');
    // Silent: the gateway gives up and closes the connection.
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * Bytes of the whole request; null while its head is not all there. Gateways ask one thing at a
 * time on a connection.
 */
function lengthOfRequest(bytes: Buffer): number | null {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) return null;
  const head = bytes.toString('latin1', 0, end);
  const length = /^content-length: *(\d+)/im.exec(head)?.[1] ?? '0';
  return end + HEAD_END.length + Number(length);
}

function cancelIdOf(request: Buffer): string | null {
  if (!/^POST \/(cancellations|captures) /.test(request.toString('latin1', 0, 32))) return null;
  return OWN_REFERENCE.exec(request.toString('latin1'))?.[1] ?? null;
}

const OWN_REFERENCE = /"(?:cancellation|capture)Reference":"([0-9a-f-]{36})"/;

function refusalOf(request: Buffer, id: string): string {
  const isCapture = request.subarray(0, 32).includes('POST /captures');
  const body = JSON.stringify({
    ...(isCapture ? { captureReference: id } : { cancellationReference: id }),
    outcome: 'refused',
    reason: isCapture ? 'expired' : 'notApproved',
  });
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  return head + HEAD_END + body;
}
