import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMerchant } from '../../src/merchants/create-merchant.ts';
import { createCredential } from '../../src/merchants/credentials/create-credential.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { cheapen } from '../kit/cheap-password.ts';
import { keptSums } from '../kit/kept-sums.ts';
import { auditedTools } from '../kit/keys.ts';
import { type CallOptions, call, logIn, type Reply, TEST_CARD } from '../kit/merchant.ts';
import { openRecordingBridge, type RecordingBridge } from '../kit/recording-acquirer.ts';
import {
  type Auditor,
  currentService,
  databaseSettings,
  furnishedDatabase,
  type OpenedService,
  type OwnProcess,
  openAuditor,
  openOwnProcess,
  openService,
  openSimulator,
  type RunningService,
  type Service,
  startService,
  until,
} from '../kit/service.ts';
import { type CuttingProxy, openCuttingProxy } from '../kit/wire-cutter.ts';

/**
 * A service whose acquirer is a simulator of its own behind a bridge that listens; it can be killed
 * and started again.
 */
export type ChargingService = OpenedService & Charging<OpenedService>;
/** In a process of its own, to be killed. */
export type ChargingProcess = Service & Charging<Service>;

type Charging<S> = {
  readonly auditor: Auditor;
  readonly bridge: RecordingBridge;
  readonly simulatorUrl: string;
  /** The wire between the service and PostgreSQL. */
  readonly proxy: CuttingProxy;
  /** Starts the service again, after it was killed. */
  restart(): Promise<void>;
  ownProcess: OwnProcess['running'];
  /** Another one on the same database; it ends with the setup. */
  startBeside(change?: Readonly<Record<string, string>>): Promise<S>;
  /**
   * A merchant who has just come, with a clock of its own that stands at nine in the morning of the
   * first of a month.
   */
  openShop(merchantId: string): Promise<Shop>;
  close(): Promise<void>;
};

export type Shop = {
  readonly merchantId: string;
  readonly userName: string;
  readonly token: string;
  /** The day on which its clock began, `YYYY-MM-DD`. */
  readonly startOn: string;
  ask(path: string, options?: CallOptions): Promise<Reply>;
  /** Of the other API: webhooks and movements. */
  askIntegration(path: string, options?: CallOptions): Promise<Reply>;
  /** As `ask`; an answer that is not 200 throws. */
  get(path: string, options?: CallOptions): Promise<Reply['body']>;
};

/** How long the acquirer may take, in milliseconds: short, for some of its charges are never answered. */
const ACQUIRER_TIMEOUT = 2_000;
const PLENTY = '1000000';

export function openChargingService(change: Readonly<Record<string, string>> = {}): Promise<ChargingService> {
  return openCharging(openService, change);
}

export function openChargingProcess(change: Readonly<Record<string, string>> = {}): Promise<ChargingProcess> {
  return openCharging(startService, change);
}

async function openCharging<S extends OpenedService>(
  startHere: (options: { folder: string; settings: Record<string, string> }) => Promise<S>,
  change: Readonly<Record<string, string>>,
): Promise<S & Charging<S>> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-charging-'));
  const place = await furnishedDatabase(folder, change);
  const auditor = openAuditor(place.address);
  const proxy = await openCuttingProxy(place.runtime);
  const late = ['--late-milliseconds', String(2 * ACQUIRER_TIMEOUT)];
  const simulator = await openSimulator(join(folder, 'ledger'), late);
  const bridge = await openRecordingBridge(simulator.url);
  const settings = {
    ...databaseSettings(place, proxy.address),
    PARCELA_ACQUIRER_URL: bridge.url,
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: String(ACQUIRER_TIMEOUT),
    PARCELA_BILLING_ACQUIRER_TIMEOUT_MILLISECONDS: String(ACQUIRER_TIMEOUT),
    // Looked for three times.
    PARCELA_BILLING_SEARCH_MILLISECONDS: '2000',
    PARCELA_REQUESTS_PER_SECOND_PER_CREDENTIAL: PLENTY,
    PARCELA_REQUESTS_PER_SECOND_PER_MERCHANT: PLENTY,
    ...change,
  };
  const start = () => startHere({ folder, settings });
  const own = openOwnProcess({ folder, settings });
  let service = await start();
  const beside: S[] = [];
  const database = openDatabase(place.address, () => {});
  const tools = await auditedTools(database);

  return currentService<S, Charging<S>>(() => service, {
    auditor,
    bridge,
    simulatorUrl: simulator.url,
    proxy,
    async restart() {
      service = await start();
    },
    ownProcess: own.running,
    async startBeside(other = {}) {
      const started = await startHere({ folder, settings: { ...settings, ...other } });
      beside.push(started);
      return started;
    },
    openShop: (merchantId) => openShop(tools, () => service, merchantId),
    async close() {
      await own.stop();
      for (const other of beside) await other.stop();
      await service.stop();
      await proxy.close();
      await database.close();
      await bridge.close();
      await simulator.stop();
      try {
        await keptSums('billings').assertAddUp(auditor);
      } finally {
        await auditor.close();
        await place.drop();
        await rm(folder, { recursive: true, force: true });
      }
    },
  });
}

async function openShop(
  tools: Awaited<ReturnType<typeof auditedTools>>,
  /** Restarted now and then. */
  service: () => RunningService,
  merchantId: string,
): Promise<Shop> {
  const merchant = await createMerchant(tools, {
    merchantId,
    cnpj: '11.444.777/0001-61',
    legalName: 'Loja de assinaturas Ltda.',
    contact: { name: 'Ana', email: 'ana@example.com', phone: '+55 11 4000 0000' },
    accountNumbers: [merchantId],
    productionAddresses: [],
    softDescriptor: null,
    businessAddress: null,
  });
  assert.ok(!('refusal' in merchant));
  const made = await createCredential(
    { ...tools, enforceAddresses: false },
    {
      ...{ merchantId, accountNumber: null, userName: null, allowedAddresses: [] },
      scopes: ['gateway', 'recurrence', 'integration'],
    },
  );
  assert.ok(!('refusal' in made));
  const { userName } = made.credential;
  await cheapen(tools.database, { userName, password: made.password });
  const login = { userName, password: made.password };
  const token = await logIn(service().gatewayUrl, login);
  const integrationToken = await logIn(service().integrationUrl, login, '/api/authentication/login');
  const ask = (path: string, options: CallOptions = {}) =>
    call(service().gatewayUrl, path, { token, timeoutMilliseconds: 120_000, ...options });
  const get = async (path: string, options?: CallOptions) => {
    const reply = await ask(path, options);
    assert.equal(reply.status, 200, `${path}: ${reply.text}`);
    return reply.body;
  };
  const { now } = await get(CLOCK);
  const startOn = dayAfter(`${now.slice(0, 7)}-28`, 4).replace(/..$/, '01');
  await get(CLOCK, { body: { to: `${startOn}T09:00:00` } });
  const askIntegration = (path: string, options: CallOptions = {}) =>
    call(service().integrationUrl, path, { token: integrationToken, ...options });
  return { merchantId, userName, token, startOn, ask, askIntegration, get };
}

const CLOCK = '/homologation/clock';
const DAY_MILLISECONDS = 86_400_000;

/** `YYYY-MM-DD`, so many days later. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MILLISECONDS).toISOString().slice(0, 10);
}

/** Cards that the simulator knows. */
export const CARDS = {
  good: { number: TEST_CARD, brand: 'mastercard' },
  lacksFundsOnce: { number: '5200050000000168', brand: 'mastercard' },
  lacksFundsTwice: { number: '5200050000000176', brand: 'mastercard' },
  lacksFundsThrice: { number: '5200050000000184', brand: 'mastercard' },
  lacksFundsFiveTimes: { number: '5200050000000200', brand: 'mastercard' },
  canceledAfterApproval: { number: '5200059000000953', brand: 'mastercard' },
  /** The limits of the networks hold for it. */
  trial: { number: '5200059000000003', brand: 'mastercard' },
} as const;

export type CardKind = keyof typeof CARDS;

/** `expiration`: year and month, `YYYY-MM`. */
export async function storeCard(
  { ask, get }: Shop,
  kind: CardKind = 'good',
  expiration = '2039-12',
): Promise<string> {
  const { number, brand } = CARDS[kind];
  const tokenized = await ask('/v1/cards/tokenization', { body: { cardNumber: number } });
  assert.equal(tokenized.status, 200, tokenized.text);
  const body = {
    numberToken: tokenized.body[0].numberToken,
    brand,
    cardholderName: 'ANA SOUZA',
    expirationMonth: expiration.slice(5),
    expirationYear: expiration.slice(2, 4),
  };
  return (await get('/v1/vaults/cards', { body })).vaultId as string;
}

export const PLANS = '/v1/recurrences/plans';
export const SUBSCRIPTIONS = '/v1/recurrences/subscriptions';
export const BILLING = '/v1/recurrences/billing';

export type Subscribed = {
  readonly planId: string;
  readonly vaultId: string;
  readonly subscriptionId: string;
};

/** Enrols a card in a new monthly plan of 49.90; `terms` replaces parts of the plan. */
export async function subscribe(
  shop: Shop,
  terms: Readonly<Record<string, unknown>> = {},
  card: { readonly kind?: CardKind; readonly expiration?: string } = {},
): Promise<Subscribed> {
  const body = {
    name: 'Clube do Livro',
    description: 'Um livro por mês',
    amount: 49.9,
    planType: 'Monthly',
    paymentMethod: 'CreditCard',
    ...terms,
  };
  const planId = (await shop.get(PLANS, { body })) as string;
  const vaultId = await storeCard(shop, card.kind, card.expiration);
  const subscriptionId = await shop.get(SUBSCRIPTIONS, { body: { planId, vaultId, orderNumber: 'P-1' } });
  return { planId, vaultId, subscriptionId: subscriptionId as string };
}

// biome-ignore lint/suspicious/noExplicitAny: it takes values of every shape.
export type Shown = any;

/** All billings of a subscription, each whole, by installment. */
export async function billingsOf({ get }: Shop, subscriptionId: string): Promise<Shown[]> {
  const items: Shown[] = [];
  for (let page = 1, total = 1; 100 * (page - 1) < total; page += 1) {
    const shown = await get(`${BILLING}?limit=100&page=${page}&orderBy=createdDate`);
    items.push(...shown.items);
    total = shown.total;
  }
  const own = items.filter(({ subscription }) => subscription.id === subscriptionId);
  own.sort((one, other) => one.installment - other.installment);
  return Promise.all(own.map(({ id }) => get(`${BILLING}/${id}`)));
}

/**
 * The subscription's billing of an installment, once a charge of it is over; skipped ones are
 * passed over.
 */
export function chargedBilling(
  shop: Shop,
  subscriptionId: string,
  installment = 1,
  charges = 1,
): Promise<Shown> {
  return until(`installment ${installment} was charged`, async () => {
    const billings = await billingsOf(shop, subscriptionId);
    return billings.find(
      (one) => one.installment === installment && chargesOf(one).filter(isOver).length >= charges,
    );
  });
}

const isOver = ({ outcome }: Shown) => outcome !== null;

export function chargesOf(billing: Shown): Shown[] {
  return billing.timeline.filter(({ type }: Shown) => type === 'Charged');
}

/** Of each charge: the day, the number of the try, what came of it, and when the next is to be. */
export function triesOf(billing: Shown): unknown[][] {
  return chargesOf(billing).map(({ at, attempt, outcome, nextChargeOn }) => [
    at.slice(0, 10),
    attempt,
    outcome,
    nextChargeOn,
  ]);
}

/** Of each billing: installment, due day and state. */
export function statesOf(billings: readonly Shown[]): unknown[][] {
  return billings.map(({ installment, expireAt, status }) => [installment, expireAt.slice(0, 10), status]);
}

export async function statusOf({ get }: Shop, subscriptionId: string): Promise<string> {
  return (await get(`${SUBSCRIPTIONS}/${subscriptionId}`)).status;
}

/** Jumps and arrives: to nine in the morning of a day, or so many days on. */
export async function jumpTo({ get }: Shop, wanted: string | number): Promise<void> {
  const body = typeof wanted === 'number' ? { advanceDays: wanted } : { to: `${wanted}T09:00:00` };
  await get(CLOCK, { body });
}

/** What the acquirer has booked for the merchant under a billing's id, or all of it: its own books. */
export async function ledgerOf(
  { simulatorUrl }: ChargingService,
  { merchantId }: Shop,
  billingId?: string,
): Promise<Shown[]> {
  const url = new URL('/ledger', simulatorUrl);
  url.searchParams.set('merchantId', merchantId);
  url.searchParams.set('limit', '100');
  if (billingId !== undefined) url.searchParams.set('merchantReference', billingId);
  const response = await fetch(url);
  assert.equal(response.status, 200);
  return ((await response.json()) as { items: Shown[] }).items;
}

/** Lays out how the next charges of the merchant are answered. */
export async function script(
  { simulatorUrl }: ChargingService,
  { merchantId }: Shop,
  steps: readonly Record<string, unknown>[],
): Promise<void> {
  const body = JSON.stringify({ merchantId, steps });
  const response = await fetch(new URL('/script', simulatorUrl), { method: 'POST', body });
  assert.equal(response.status, 200, await response.text());
}
