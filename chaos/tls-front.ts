import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { makeCertificate } from '../test/webhooks/certificates.ts';

/** A TLS proxy before a service, as production demands one. */
export type TlsFront = {
  readonly url: string;
  /** How often it answered in the place of the service. */
  readonly substitutes: () => number;
  close(): Promise<void>;
};

/** Over the deadline of a request, as the documents ask of its operator. */
const TIMEOUT_MILLISECONDS = 20_000;
const HTML = '<html><body><h1>502 Bad Gateway</h1></body></html>';
const DROPPED = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/**
 * Passes requests on, and answers 502 with a page of its own where the service gives no whole answer, as
 * nginx, HAProxy and the balancers of clouds do. It never sends a request twice.
 */
export async function openTlsFront(targetUrl: string): Promise<TlsFront> {
  const { certificate, keyText } = makeCertificate({ hosts: ['localhost', '127.0.0.1'] });
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let substitutes = 0;

  const substitute = (response: ServerResponse) => {
    if (response.headersSent || response.destroyed) return void response.destroy();
    substitutes += 1;
    response.writeHead(502, { 'content-type': 'text/html' }).end(HTML);
  };
  const pass = (incoming: IncomingMessage, response: ServerResponse) => {
    const { method, url, headers } = incoming;
    const outgoing = request({
      ...{ host: target.hostname, port: target.port, method, path: url, headers },
      timeout: TIMEOUT_MILLISECONDS,
    });
    outgoing.on('error', () => substitute(response));
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      // Half an answer is none: it is kept until it is whole, as proxies do with small ones.
      answer.on('error', () => substitute(response));
      answer.on('end', () => {
        const kept = Object.entries(answer.headers).filter(([name]) => !DROPPED.has(name));
        response.writeHead(answer.statusCode ?? 502, Object.fromEntries(kept)).end(Buffer.concat(chunks));
      });
    });
    incoming.pipe(outgoing);
  };

  const server = createServer({ cert: certificate, key: keyText }, pass);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    substitutes: () => substitutes,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
