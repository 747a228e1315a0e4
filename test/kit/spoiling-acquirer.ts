import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One question on its way to the simulator. */
export type BridgeQuestion = {
  readonly kind: 'authorization' | 'find' | 'undo' | 'cancellation' | 'capture' | 'findCapture' | 'other';
  /** The merchant's own reference of the charge that it is about, where it is known. */
  readonly order: string | null;
};

/**
 * `unavailable`: 503, unheard. `reset`: the connection breaks, unheard. `hold`: unheard until `release`.
 * `holdAnswer`: heard, and answered at `release`. `garbage`: heard, and answered with what is not JSON.
 */
export type Spoiling = 'unavailable' | 'reset' | 'hold' | 'holdAnswer' | 'garbage';

type Fields = Record<string, unknown>;

/** Stands before the simulator and spoils what a test wants spoiled; everything else passes. */
export type ResolvingBridge = {
  readonly url: string;
  /** Everything that was asked, spoiled or not. */
  readonly asked: BridgeQuestion[];
  /** From now on; null: nothing is spoiled. */
  spoil(rule: ((question: BridgeQuestion) => Spoiling | null) | null): void;
  /** Replaces each page of changes; null: they pass as they are. */
  rewriteChanges(rule: ((page: Fields) => unknown) | null): void;
  /** How many questions are being held. */
  held(): number;
  /** Lets go of all that are held; those that come later too. */
  release(): void;
  close(): Promise<void>;
};

export async function openResolvingBridge(target: string): Promise<ResolvingBridge> {
  const asked: BridgeQuestion[] = [];
  const orders = new Map<string, string>();
  const waiting = new Set<() => void>();
  let rule: ((question: BridgeQuestion) => Spoiling | null) | null = null;
  let rewrite: ((page: Fields) => unknown) | null = null;

  async function held(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.add(resolve);
    await promise;
    waiting.delete(resolve);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const path = request.url ?? '';
    const question = questionOf(path, text === '' ? {} : (JSON.parse(text) as Fields), orders);
    asked.push(question);
    const spoiling = rule?.(question) ?? null;
    if (spoiling === 'unavailable') return void response.writeHead(503).end('{}');
    if (spoiling === 'reset') return void response.socket?.resetAndDestroy();
    if (spoiling === 'hold') await held();
    const given = await fetch(target + path, {
      method: request.method as string,
      ...(text === '' ? {} : { body: text }),
    });
    const reported = await given.text();
    const isPage = rewrite !== null && request.method === 'GET' && /^\/changes\?/.test(path);
    const body = isPage ? JSON.stringify(rewrite?.(JSON.parse(reported) as Fields)) : reported;
    if (spoiling === 'holdAnswer') await held();
    const isSpoiled = spoiling === 'garbage';
    response
      .writeHead(given.status, { 'content-type': 'application/json' })
      .end(isSpoiled ? '{"outcome":' : body);
  }

  const server = createServer((request, response) => {
    // The caller may have gone.
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const release = () => {
    for (const resolve of waiting) resolve();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    spoil: (wanted) => {
      rule = wanted;
    },
    rewriteChanges: (wanted) => {
      rewrite = wanted;
    },
    held: () => waiting.size,
    release,
    async close() {
      rule = null;
      release();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function questionOf(path: string, body: Fields, orders: Map<string, string>): BridgeQuestion {
  const { pathname } = new URL(path, 'http://bridge');
  if (/^\/(pre)?authorizations$/.test(pathname) && typeof body.merchantReference === 'string') {
    orders.set(String(body.reference), body.merchantReference);
  }
  const found = /^\/charges\/(.+)$/.exec(pathname)?.[1];
  const kinds = {
    '/authorizations': 'authorization',
    '/preauthorizations': 'authorization',
    '/captures': 'capture',
    '/undos': 'undo',
    '/cancellations': 'cancellation',
  } as const;
  if (pathname.startsWith('/captures/')) return { kind: 'findCapture', order: null };
  const kind = found === undefined ? (kinds[pathname as keyof typeof kinds] ?? 'other') : 'find';
  return { kind, order: orders.get(found ?? String(body.reference)) ?? null };
}
