import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Certified } from '../webhooks/certificates.ts';

/** A request as the bridge saw it come. */
export type Visit = {
  readonly path: string;
  readonly authorization: string | null;
  readonly serialNumber: string | null;
};

export type GuardedBridge = {
  readonly url: string;
  readonly visits: Visit[];
  /** The only token that is let in from now on; null: all. */
  letIn(token: string | null): void;
  close(): Promise<void>;
};

/**
 * Before the simulator, or a key store, at `target`: TLS that lets in only clients with a certificate of
 * `clients`.
 */
export async function openGuardedBridge(
  target: string,
  own: Pick<Certified, 'certificate' | 'keyText'>,
  clients: Pick<Certified, 'certificate'> | null,
  port = 0,
): Promise<GuardedBridge> {
  const visits: Visit[] = [];
  let wanted: string | null = null;
  async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const authorization = request.headers.authorization ?? null;
    const { serialNumber = null } = (request.socket as TLSSocket).getPeerCertificate();
    visits.push({ path: request.url ?? '', authorization, serialNumber });
    if (wanted !== null && authorization !== `Bearer ${wanted}`) return void response.writeHead(401).end();
    const isPost = request.method === 'POST';
    const answer = await fetch(target + request.url, {
      method: isPost ? 'POST' : 'GET',
      ...(isPost ? { body: Buffer.concat(chunks) } : {}),
      ...(authorization === null ? {} : { headers: { authorization } }),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  }
  const server = createServer(
    {
      key: own.keyText,
      cert: own.certificate,
      requestCert: clients !== null,
      rejectUnauthorized: clients !== null,
      ...(clients === null ? {} : { ca: clients.certificate }),
    },
    (request, response) => void passOn(request, response).catch(() => response.destroy()),
  );
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    visits,
    letIn(token) {
      wanted = token;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
