import type { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Opens the port and gives the origin under which it answers. */
export async function listenOn(
  app: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  await app.listen({ host, port });
  return urlOf(host, app.server.address(), '');
}

/** The address of a listening server as a person would type it. */
export function urlOf(host: string, address: ReturnType<Server['address']>, path: string): string {
  const port = typeof address === 'object' ? address?.port : address;
  const named = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${named}:${port}${path}`;
}
