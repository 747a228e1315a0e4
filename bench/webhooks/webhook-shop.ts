import { createMerchant } from '../../src/merchants/create-merchant.ts';
import { createCredential } from '../../src/merchants/credentials/create-credential.ts';
import type { NewMerchant } from '../../src/merchants/merchant.ts';
import type { Scope } from '../../src/platform/http/endpoint.ts';
import { call, logIn } from '../../test/kit/merchant.ts';
import { type Auditor, openAuditor, type Service } from '../../test/kit/service.ts';
import type { BenchService } from '../bench-service.ts';
import { type Carriers, createTokens, createVaultCards } from '../load/carriers.ts';
import { PAYMENT_KINDS, type PaymentKind } from '../load/payment-kinds.ts';
import type { Load } from '../load/wrk-load.ts';
import { type Listener, startListener } from './listener.ts';

/** Whose deliveries a measurement writes. */
export type Notified = { readonly merchantId: string; readonly accounts: readonly string[] };

/** A merchant with ten accounts that are notified, each at a server of its own, and one that is not. */
export type WebhookShop = Notified & {
  /** Another merchant with a hundred accounts, whose servers come after this one's in `listener.urls`. */
  readonly neighbour: Notified;
  /** Without the limits on statements that the service's connections have. */
  readonly database: Auditor;
  readonly service: Service;
  readonly listener: Listener;
  /** Sold by the accounts that are notified, in turn, or by the one that is not. */
  loadOf(kind: PaymentKind, payments: number, reported: 'notified' | 'unnotified'): Promise<Load>;
  close(): Promise<void>;
};

const TOLD_ACCOUNTS = 10;
const NEIGHBOURS_ACCOUNTS = 100;
const VAULT_CARDS = 10_000;
const SHOP = {
  merchantId: 'shop-with-webhooks',
  cnpj: '11.444.777/0001-61',
  legalName: 'Loja com avisos Ltda.',
  contact: { name: 'Ana', email: 'ana@example.com', phone: '+55 11 4000 0000' },
  productionAddresses: [],
  softDescriptor: null,
  businessAddress: null,
};
const NEIGHBOUR = {
  ...SHOP,
  merchantId: 'neighbour',
  cnpj: '11.222.333/0001-81',
  legalName: 'Vizinha Ltda.',
};

export async function openWebhookShop(bench: BenchService): Promise<WebhookShop> {
  const { merchantId } = SHOP;
  const service = await bench.serviceFor(PAYMENT_KINDS.merchant);
  const listener = await startListener(TOLD_ACCOUNTS + NEIGHBOURS_ACCOUNTS);
  const accounts = accountsFrom(2_000_001, TOLD_ACCOUNTS);
  const untold = String(2_000_001 + TOLD_ACCOUNTS);
  await create(bench, { ...SHOP, accountNumbers: [...accounts, untold] });
  const sellers = await Promise.all(
    accounts.map((account) => createLogin(bench, merchantId, account, 'gateway')),
  );
  const untoldSeller = await createLogin(bench, merchantId, untold, 'gateway');
  await notify(bench, service, { merchantId, accounts }, listener.urls.slice(0, TOLD_ACCOUNTS));
  const neighbour = {
    merchantId: NEIGHBOUR.merchantId,
    accounts: accountsFrom(3_000_001, NEIGHBOURS_ACCOUNTS),
  };
  await create(bench, { ...NEIGHBOUR, accountNumbers: neighbour.accounts });
  await notify(bench, service, neighbour, listener.urls.slice(TOLD_ACCOUNTS));
  const database = openAuditor(bench.server.connection);
  const carriersOf = carrierMaker(bench);
  return {
    merchantId,
    neighbour,
    database,
    accounts,
    service,
    listener,
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

function accountsFrom(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(first + index));
}

async function create({ tools }: BenchService, merchant: NewMerchant): Promise<void> {
  const made = await createMerchant(tools, merchant);
  if ('refusal' in made) throw new Error(`the merchant was refused: ${made.refusal}`);
}

/** Registers an address for each account, in their order, and makes the secrets that sign. */
async function notify(
  bench: BenchService,
  { integrationUrl }: Service,
  { merchantId, accounts }: Notified,
  urls: readonly string[],
): Promise<void> {
  const login = await createLogin(bench, merchantId, accounts[0] as string, 'integration');
  const token = await logIn(integrationUrl, login, '/api/authentication/login');
  for (const [index, account] of accounts.entries()) {
    const query = `accountNumber=${account}`;
    const body = { url: urls[index] };
    const registered = await call(integrationUrl, `/api/webhooks/subscriptions?${query}`, { token, body });
    if (registered.status !== 200) throw new Error(`not registered: ${registered.text}`);
    const made = await call(integrationUrl, `/api/webhooks/secret?${query}`, { token, method: 'POST' });
    if (made.status !== 200) throw new Error(`no secret: ${made.text}`);
  }
}

async function createLogin({ tools }: BenchService, merchantId: string, accountNumber: string, scope: Scope) {
  const made = await createCredential(
    { ...tools, enforceAddresses: false },
    { merchantId, accountNumber, userName: null, scopes: [scope], allowedAddresses: [] },
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
