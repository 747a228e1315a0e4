import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createKeyFile } from '../../src/keys/stores/create-key-file.ts';
import { type KeySetup, openKeySetup } from '../keys/key-setup.ts';
import { rememberKeyFile } from '../kit/keys.ts';
import { call, logIn } from '../kit/merchant.ts';
import { type Login, makeMerchant } from '../kit/merchants.ts';
import type { OpenedService, Service } from '../kit/service.ts';

const MERCHANT = '01700555550000';

/**
 * A service in production with one merchant: codes must have been issued. Its acquirer is the
 * simulator, unnamed.
 */
export type ProductionService<S = OpenedService> = {
  readonly keys: KeySetup;
  readonly service: S;
  /** Those that it was started with, beside those of `keys`. */
  readonly settings: Readonly<Record<string, string>>;
  readonly token: string;
  newCode(): Promise<string>;
  close(): Promise<void>;
};

type Settings = Readonly<Record<string, string>>;
type Change = Settings | ((folder: string) => Promise<Settings>);

export function openProductionService(
  change: Change,
  merchantId = MERCHANT,
): Promise<ProductionService<OpenedService>> {
  return openProduction((keys, settings) => keys.openService(settings), change, merchantId);
}

/** In a process of its own, which is signalled, or whose words to the operator are read. */
export function openProductionProcess(change: Change): Promise<ProductionService<Service>> {
  return openProduction((keys, settings) => keys.startService(settings), change, MERCHANT);
}

async function openProduction<S extends OpenedService>(
  open: (keys: KeySetup, settings: Settings) => Promise<S>,
  change: Change,
  merchantId: string,
): Promise<ProductionService<S>> {
  const keys = await openKeySetup();
  const bridge = await openUnnamedBridge(keys.settings.PARCELA_ACQUIRER_URL as string);
  const changed = typeof change === 'function' ? await change(keys.folder) : change;
  const settings = {
    PARCELA_ENVIRONMENT: 'production',
    PARCELA_ACQUIRER_URL: bridge.url,
    PARCELA_TRUSTED_PROXIES: 'none',
    ...changed,
  };
  await createKeyFile(keys.keyFile, 'production');
  rememberKeyFile(keys.database.address.database, keys.keyFile);
  const [login] = await makeMerchant(
    keys.database,
    { merchantId, accountNumbers: ['1'], credentials: [['gateway']], addresses: ['127.0.0.1'] },
    { environment: 'production', cell: (settings as Settings).PARCELA_CELL ?? null },
  );
  const service = await open(keys, settings);
  const token = await logIn(service.gatewayUrl, login as Login);
  return {
    keys,
    service,
    settings,
    token,
    async newCode() {
      const reply = await call(service.gatewayUrl, '/v1/antifraud/sessions', { method: 'POST', token });
      if (reply.status !== 200) throw new Error(`no code: ${reply.status} ${reply.text}`);
      return reply.body.codeAntiFraud as string;
    },
    async close() {
      await service.stop();
      await bridge.close();
      await keys.close();
    },
  };
}

/** Passes everything on to the simulator and does not say that it is one: production refuses what says so. */
export async function openUnnamedBridge(
  target: string,
  observe: (path: string) => void = () => {},
): Promise<{ url: string; close(): Promise<void> }> {
  async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    observe(request.url ?? '');
    const isPost = request.method === 'POST';
    const answer = await fetch(target + request.url, {
      method: isPost ? 'POST' : 'GET',
      ...(isPost ? { body: Buffer.concat(chunks) } : {}),
    });
    const text = (await answer.text()).replace(/"simulator":\s*true/, '"simulator":false');
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  }
  const server = createServer((request, response) => {
    // The caller may have gone, and the simulator may have hung up.
    passOn(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
