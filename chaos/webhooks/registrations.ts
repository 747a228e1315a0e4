import { call, logIn } from '../../test/kit/merchant.ts';
import type { ChaosBench, Shop } from '../chaos-bench.ts';
import type { Gateway } from '../gateways.ts';
import { CALLBACK_PATH } from './operations.ts';

/** Where an account is notified and how its messages are signed, as the merchant knows it. */
export type Registration = {
  readonly merchantId: string;
  readonly system: string;
  readonly path: string;
  readonly callbackPath: string;
  /** The header that comes with a notification. */
  readonly authorization: string;
  readonly secret: Buffer;
};

const ACCOUNT_PATH = '/avisos/';

/** Registers every shop at its system, with a secret of its own. */
export function registerAll(bench: ChaosBench, gateway: Gateway): Promise<Registration[]> {
  return Promise.all(
    bench.shops.map(async (shop, index) => {
      const { merchantId } = shop;
      const token = await integrationToken(shop, gateway);
      const system = bench.systems[index];
      if (system === undefined) throw new Error(`${merchantId} has no system`);
      await register(bench, gateway, shop, token);
      const made = await call(
        gateway.integrationUrl,
        `/api/webhooks/secret?accountNumber=${shop.accountNumber}`,
        {
          method: 'POST',
          token,
        },
      );
      if (made.status !== 200) throw new Error(`the secret was answered ${made.status}: ${made.text}`);
      return {
        merchantId,
        system: system.name,
        path: ACCOUNT_PATH + merchantId,
        callbackPath: CALLBACK_PATH + merchantId,
        authorization: `Basic ${basicAuthOf(merchantId)}`,
        secret: Buffer.from(String(made.body.secret).replace(/^whsec_/, ''), 'base64'),
      };
    }),
  );
}

/** The same registration once more: what waits there goes at once. */
export async function registerAgain(bench: ChaosBench, gateway: Gateway): Promise<void> {
  for (const shop of bench.shops) await register(bench, gateway, shop, await integrationToken(shop, gateway));
}

async function register(bench: ChaosBench, gateway: Gateway, shop: Shop, token: string): Promise<void> {
  const { merchantId, accountNumber } = shop;
  const system = bench.systems[bench.shops.indexOf(shop)];
  const body = { url: `${system?.url}${ACCOUNT_PATH}${merchantId}`, basicAuth: basicAuthOf(merchantId) };
  const path = `/api/webhooks/subscriptions?accountNumber=${accountNumber}`;
  const reply = await call(gateway.integrationUrl, path, { token, body });
  if (reply.status !== 200) throw new Error(`the registration was answered ${reply.status}: ${reply.text}`);
}

/**
 * Moves the business time of every merchant, so that pauses between tries are over. Resolves when
 * the clocks have arrived;
 * throws when one does not.
 */
export async function moveClocks(bench: ChaosBench, gateway: Gateway, milliseconds: number): Promise<void> {
  await Promise.all(
    bench.shops.map(async (shop) => {
      const token = await integrationToken(shop, gateway);
      const clock = (body?: object) =>
        call(gateway.integrationUrl, '/homologation/clock', {
          token,
          timeoutMilliseconds: 90_000,
          ...(body === undefined ? {} : { body }),
        });
      const { body: before } = await clock();
      // Without a zone, as the clock shows it: the machine's zone must not shift it.
      const to = new Date(Date.parse(`${before.now}Z`) + milliseconds).toISOString().slice(0, -1);
      const reply = await clock({ to });
      if (reply.status !== 200) throw new Error(`the clock answered ${reply.status}: ${reply.text}`);
    }),
  );
}

function integrationToken({ integration }: Shop, gateway: Gateway): Promise<string> {
  return logIn(gateway.integrationUrl, integration, '/api/authentication/login');
}

function basicAuthOf(merchantId: string): string {
  return Buffer.from(`loja-${merchantId}:senha`).toString('base64');
}
