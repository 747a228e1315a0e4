import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { ServerOptions } from './server.ts';

export type ListenAt = { readonly host: string; readonly port: number; readonly prefix: string };

type Mounts = ServerOptions['mounts'];

function isShared(gateway: ListenAt, integration: ListenAt): boolean {
  return gateway.host === integration.host && gateway.port === integration.port;
}

/** The addresses of the APIs in the published description: paths on one listener, else URLs. */
export function serverUrls(
  gateway: ListenAt,
  integration: ListenAt,
): { gateway: string; integration: string } {
  const address = ({ host, port, prefix }: ListenAt) =>
    isShared(gateway, integration) ? prefix || '/' : urlOf(host, { address: host, family: '', port }, prefix);
  return { gateway: address(gateway), integration: address(integration) };
}

export async function listen(
  gateway: ListenAt,
  integration: ListenAt,
  build: (mounts: Mounts) => FastifyInstance,
): Promise<{ gatewayUrl: string; integrationUrl: string }> {
  const always = { api: 'operations', prefix: '' } as const;
  const together = isShared(gateway, integration);
  const ofGateway = [
    { api: 'gateway', prefix: gateway.prefix },
    { api: 'either', prefix: gateway.prefix },
  ] as const;
  const ofIntegration = [
    { api: 'integration', prefix: integration.prefix },
    ...(together && gateway.prefix === integration.prefix
      ? []
      : [{ api: 'either', prefix: integration.prefix } as const]),
  ] as const;
  if (together) {
    const app = build([...ofGateway, ...ofIntegration, always]);
    const origin = await listenOn(app, gateway);
    return { gatewayUrl: origin + gateway.prefix, integrationUrl: origin + integration.prefix };
  }
  const gatewayOrigin = await listenOn(build([...ofGateway, always]), gateway);
  const integrationOrigin = await listenOn(build([...ofIntegration, always]), integration);
  return {
    gatewayUrl: gatewayOrigin + gateway.prefix,
    integrationUrl: integrationOrigin + integration.prefix,
  };
}

/** Throws as a listener would: the port is taken, or the address is not of this machine. */
export async function tryToListen({ host, port }: Pick<ListenAt, 'host' | 'port'>): Promise<void> {
  const server = createServer((socket) => socket.destroy()).listen(port, host);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}

async function listenOn(app: FastifyInstance, { host, port }: ListenAt): Promise<string> {
  await app.listen({ host, port });
  return urlOf(host, app.server.address(), '');
}

export function urlOf(host: string, address: ReturnType<Server['address']>, path: string): string {
  const port = typeof address === 'object' ? address?.port : address;
  const named = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${named}:${port}${path}`;
}
