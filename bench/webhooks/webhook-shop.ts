import { createMerchant } from '../../src/merchants/create-merchant.ts';
import { createCredential } from '../../src/merchants/credentials/create-credential.ts';
import type { Scope } from '../../src/platform/http/endpoint.ts';
import { call, logIn } from '../../test/kit/merchant.ts';
import { type Auditor, openAuditor, type Service } from '../../test/kit/service.ts';
import type { BenchService } from '../bench-service.ts';
import { type Carriers, createTokens, createVaultCards } from '../load/carriers.ts';
import { PAYMENT_KINDS, type PaymentKind } from '../load/payment-kinds.ts';
import type { Load } from '../load/wrk-load.ts';
import { type Listener, startListener } from './listener.ts';

/** A merchant with ten accounts that are notified, each at a server of its own, and one that is not. */
export type WebhookShop = {
  readonly merchantId: string;
  /** Without the limits on statements that the service's connections have. */
  readonly database: Auditor;
  /** Accounts that are notified. */
  readonly accounts: readonly string[];
  readonly service: Service;
  readonly listener: Listener;
  /** Sold by the accounts that are notified, in turn, or by the one that is not. */
  loadOf(kind: PaymentKind, payments: number, reported: 'notified' | 'unnotified'): Promise<Load>;
  /** Registers another address of an account; whatever was known of the place before is forgotten. */
  register(account: string, url: string): Promise<void>;
  close(): Promise<void>;
};

const TOLD_ACCOUNTS = 10;
const VAULT_CARDS = 10_000;
const SHOP = {
  merchantId: 'shop-with-webhooks',
  cnpj: '11.444.777/0001-61',
  legalName: 'Loja com avisos Ltda.',
  contact: { name: 'Ana', email: 'ana@example.com', phone: '+55 11 4000 0000' },
  productionAddresses: [],
  softDescriptor: null,
};

export async function openWebhookShop(bench: BenchService): Promise<WebhookShop> {
  const { merchantId } = SHOP;
  const service = await bench.serviceFor(PAYMENT_KINDS.merchant);
  const listener = await startListener(TOLD_ACCOUNTS);
  const accounts = Array.from({ length: TOLD_ACCOUNTS }, (_, index) => String(2_000_001 + index));
  const untold = String(2_000_001 + TOLD_ACCOUNTS);
  const made = await createMerchant(bench.tools, { ...SHOP, accountNumbers: [...accounts, untold] });
  if ('refusal' in made) throw new Error(`the merchant was refused: ${made.refusal}`);
  const sellers = await Promise.all(accounts.map((account) => createLogin(bench, account, 'gateway')));
  const untoldSeller = await createLogin(bench, untold, 'gateway');
  const integration = await createLogin(bench, untold, 'integration');
  const register = async (account: string, url: string) => {
    const token = await logIn(service.integrationUrl, integration, '/api/authentication/login');
    const path = `/api/webhooks/subscriptions?accountNumber=${account}`;
    const reply = await call(service.integrationUrl, path, { token, body: { url } });
    if (reply.status !== 200) throw new Error(`not registered: ${reply.text}`);
  };
  for (const [index, account] of accounts.entries()) {
    await register(account, listener.urls[index] as string);
    const token = await logIn(service.integrationUrl, integration, '/api/authentication/login');
    const path = `/api/webhooks/secret?accountNumber=${account}`;
    const reply = await call(service.integrationUrl, path, { token, method: 'POST' });
    if (reply.status !== 200) throw new Error(`no secret: ${reply.text}`);
  }
  const database = openAuditor(bench.server.connection);
  const carriersOf = carrierMaker(bench);
  return {
    merchantId,
    database,
    accounts,
    service,
    listener,
    register,
    async loadOf(kind, payments, reported) {
      const logins = reported === 'notified' ? sellers : [untoldSeller];
      const accessTokens: string[] = [];
      for (const login of logins) accessTokens.push(await logIn(service.gatewayUrl, login));
      return {
        gatewayUrl: service.gatewayUrl,
        accessTokens,
        kind,
        carriers: await carriersOf(kind, payments),
      };
    },
    async close() {
      listener.stop();
      await database.close();
    },
  };
}

async function createLogin({ tools }: BenchService, accountNumber: string, scope: Scope) {
  const made = await createCredential(
    { ...tools, enforceAddresses: false },
    { merchantId: SHOP.merchantId, accountNumber, userName: null, scopes: [scope], allowedAddresses: [] },
  );
  if ('refusal' in made) throw new Error(`the credential was refused: ${made.refusal}`);
  return { userName: made.credential.userName, password: made.password };
}

function carrierMaker({ tools, folder }: BenchService) {
  const shop = { ...tools, merchantId: SHOP.merchantId };
  let vaultCards: Promise<Carriers> | undefined;
  return (kind: PaymentKind, payments: number): Promise<Carriers> => {
    const file = `${folder}/webhook-${kind.cardSource}s`;
    if (kind.cardSource === 'numberToken') return createTokens(shop, file, payments);
    if (kind.cardSource !== 'vaultId') throw new Error('KINDS: kinds that pay by card token or stored card');
    vaultCards ??= createVaultCards(shop, file, VAULT_CARDS);
    return vaultCards;
  };
}
