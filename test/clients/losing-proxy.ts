import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What becomes of one of the next requests to a path. */
export type Loss =
  /** It never reaches the service. */
  | 'lost'
  /** The service does it, and its answer is lost. */
  | 'answerLost'
  /** The service does it, and a page of a proxy comes in place of its answer. */
  | 'badGateway'
  /** The same with the status of a success. */
  | 'page'
  /** The same in JSON that is not the service's. */
  | 'otherJson';

export type LosingProxy = {
  readonly url: string;
  /** Of requests that came here, by method and path. */
  readonly seen: readonly string[];
  /** The next requests whose path begins so. */
  lose(path: string, ...losses: readonly Loss[]): void;
  /** Nothing more of what was planned. */
  loseNothing(): void;
  close(): void;
};

/** Stands between a client and the service. */
export async function openLosingProxy(target: string): Promise<LosingProxy> {
  const planned: { readonly path: string; readonly loss: Loss }[] = [];
  const seen: string[] = [];
  const server = createServer((asked, answer) => {
    const path = asked.url ?? '';
    seen.push(`${asked.method} ${path}`);
    const place = planned.findIndex((one) => path.startsWith(one.path));
    const loss = place < 0 ? null : planned.splice(place, 1)[0]?.loss;
    if (loss === 'lost') {
      asked.socket.destroy();
      return;
    }
    const sent = request(target + path, { method: asked.method, headers: asked.headers }, (came) => {
      const chunks: Buffer[] = [];
      came.on('data', (chunk: Buffer) => chunks.push(chunk));
      came.on('end', () => {
        if (loss === 'answerLost') asked.socket.destroy();
        else if (loss === 'badGateway')
          answer.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502</h1>');
        else if (loss === 'page') answer.writeHead(203, { 'content-type': 'text/html' }).end('<h1>Hi</h1>');
        else if (loss === 'otherJson')
          answer
            .writeHead(500, { 'content-type': 'application/json' })
            .end('{"message":"Internal Server Error"}');
        else answer.writeHead(came.statusCode ?? 500, came.headers).end(Buffer.concat(chunks));
      });
    });
    sent.on('error', () => asked.socket.destroy());
    asked.pipe(sent);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    lose: (path, ...losses) => planned.push(...losses.map((loss) => ({ path, loss }))),
    loseNothing: () => planned.splice(0),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
