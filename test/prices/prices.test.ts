import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import {
  type Counted,
  type MeasuredWork,
  openWorkCounter,
  type Work,
  type WorkCounter,
} from '../kit/counted-work.ts';
import { type Listener, startListener } from '../kit/listener.ts';
import { paymentRequest, TEST_CARD } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import {
  type ChargingService,
  chargedBilling,
  jumpTo,
  openChargingService,
  type Shop,
  storeCard,
  subscribe,
} from '../recurrence/charging-service.ts';

/*
 * What each kind of work writes and asks stands in prices.json, with the feature that each table, index and
 * statement is there for. What rises fails here: take it out, or write its price down.
 */
type Prices = {
  readonly features: Readonly<Record<string, string>>;
  readonly prices: Readonly<Record<string, Work>>;
};

const PRICES_FILE = new URL('prices.json', import.meta.url);
const { features, prices } = JSON.parse(await readFile(PRICES_FILE, 'utf8')) as Prices;
/** Lengths of numbers and texts differ a little from run to run. */
const WAL_MARGIN = 0.03;
/** The first runs plan statements and fill caches. */
const RUNS = 4;
/** The simulator declines it, for lack of funds. */
const DECLINED_AMOUNT = 1_051;

let service: ChargingService;
let shop: Shop;
/** With one monthly subscription. */
let subscriber: Shop;
let counter: WorkCounter;
let listener: Listener;
let vaultId: string;
const tokens: string[] = [];
/** The newest one that is to be changed. */
let paymentId = '';

before(async () => {
  service = await openChargingService({
    // What follows the sales is a price of its own, at its own time.
    PARCELA_ROLES: 'http,charging,webhooks',
    PARCELA_WEBHOOK_LOOPBACK: '1',
  });
  listener = await startListener();
  shop = await service.openShop('precos');
  counter = await openWorkCounter(service.auditor);
  vaultId = await storeCard(shop);
  for (let card = 0; card < 9 * RUNS; card += 1) {
    const reply = await shop.ask('/v1/cards/tokenization', { body: { cardNumber: TEST_CARD } });
    tokens.push(reply.body[0].numberToken);
  }
  subscriber = await service.openShop('clube');
  const { subscriptionId } = await subscribe(subscriber);
  await chargedBilling(subscriber, subscriptionId);
  // The first use of a stored card is written otherwise.
  await inThree();
});
after(async () => {
  counter?.close();
  await listener?.close();
  await service?.close();
});

type Sale = {
  readonly status?: number;
  readonly amount?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
};

async function paid({ status = 200, headers = {}, amount = 10_000, ...change }: Sale): Promise<string> {
  const numberToken = change.cardInfo === undefined ? (tokens.pop() as string) : '';
  const body = paymentRequest(numberToken, amount, change);
  const reply = await shop.ask('/v1/payments', { body, headers });
  assert.equal(reply.status, status, reply.text);
  return reply.body.paymentAuthorization?.paymentId;
}

async function change(path: string, body: object): Promise<void> {
  const reply = await shop.ask(`/v1/payments/${paymentId}/${path}`, { body });
  assert.equal(reply.status, 200, reply.text);
}

const IN_THREE = { transactionType: 'credit', amount: 10_000, productType: 'lojista', installments: 3 };
const TO_CAPTURE = { ...IN_THREE, productType: 'avista', installments: 1, captureType: 'pa' };

const CUSTOMER = { documentType: 'cpf', documentNumber: '52998224725', firstName: 'Ana', lastName: 'Souza' };

const SEARCH_BY_CODE = '/api/transaction/concil/search-by-code';

async function preauthorize(): Promise<void> {
  paymentId = await paid({ payment: TO_CAPTURE });
}

async function register(): Promise<void> {
  const path = `/api/webhooks/subscriptions?accountNumber=${encodeURIComponent(shop.merchantId)}`;
  const reply = await shop.askIntegration(path, { body: { url: listener.url } });
  assert.equal(reply.status, 200, reply.text);
}

const inThree = () => paid({ cardInfo: { vaultId, securityCode: '123' }, payment: IN_THREE });

const byStoredCardWithKey = () =>
  paid({ cardInfo: { vaultId, securityCode: '123' }, headers: { 'idempotency-key': randomUUID() } });

async function hasDelivered(): Promise<boolean> {
  const [row] = await service.auditor.query(
    `select bool_and(state = 'delivered') as is_delivered from deliveries where merchant_id = $1`,
    [shop.merchantId],
  );
  return row?.is_delivered === true;
}

/** In this order: the last one is notified. */
const WORKS: Readonly<Record<string, Counted>> = {
  payment: { run: () => paid({}) },
  'payment with a key and a customer': {
    run: () => paid({ headers: { 'idempotency-key': randomUUID() }, customer: CUSTOMER }),
  },
  'payment by stored card in three installments': { run: inThree },
  'payment by stored card with a key': { run: byStoredCardWithKey },
  'declined payment': { run: () => paid({ status: 402, amount: DECLINED_AMOUNT }) },
  'pre-authorization': { run: preauthorize },
  capture: { prepare: preauthorize, run: () => change('capture', {}) },
  'cancel of a payment': {
    prepare: async () => {
      paymentId = await paid({});
    },
    run: () => change('cancel', {}),
  },
  'receivables of three installments': {
    prepare: inThree,
    run: () =>
      shop.askIntegration(`${SEARCH_BY_CODE}?accountNumber=${shop.merchantId}`, {
        body: { nsu: '1', codAuth: '1' },
      }),
  },
  billing: { run: () => jumpTo(subscriber, 30) },
  'notified payment': {
    run: async () => {
      await paid({});
      await until('the delivery is recorded', hasDelivered);
    },
  },
};

test('everything costs what prices.json says, and each price names its feature', async () => {
  const found: Record<string, MeasuredWork> = {};
  for (const [name, counted] of Object.entries(WORKS)) {
    if (name === 'notified payment') await register();
    found[name] = await counter.count(RUNS, counted);
  }
  if (process.env.WRITE_PRICES === '1') {
    const written = Object.entries(found).map(([name, { bytes: _, ...price }]) => [name, price]);
    const text = JSON.stringify({ features, prices: Object.fromEntries(written) }, null, 2);
    await writeFile(PRICES_FILE, `${text}\n`);
  }
  const differences = Object.entries(found).flatMap(([name, work]) =>
    differencesOf(name, work, prices[name]),
  );
  assert.deepEqual(
    differences,
    [],
    'WRITE_PRICES=1 writes prices.json anew; say in the commit why they rise',
  );
  const used = Object.values(found).flatMap((work) => namesOf(work));
  const unnamed = [...new Set(used)].filter((name) => features[name] === undefined);
  assert.deepEqual(unnamed, [], 'prices.json says of these what they are for');
});

const COUNTED = ['statements', 'rows', 'entries'] as const;

/** Tables without what is done to their rows. */
function namesOf(work: Work): string[] {
  return COUNTED.flatMap((kind) => Object.keys(work[kind]).map((name) => name.split(' ')[0] as string));
}

/** What became cheaper is told too: the file would let it rise again. */
function differencesOf(name: string, work: MeasuredWork, price: Work | undefined): string[] {
  if (price === undefined) return [`${name} has no price`];
  const counts = COUNTED.flatMap((kind) =>
    [...new Set([...Object.keys(work[kind]), ...Object.keys(price[kind])])]
      .filter((key) => work[kind][key] !== price[kind][key])
      .map((key) => `${name}: ${key}: ${work[kind][key] ?? 0}, not ${price[kind][key] ?? 0}`),
  );
  const isNear = Math.abs(work.walBytes - price.walBytes) <= WAL_MARGIN * price.walBytes;
  const bytes = `${work.walBytes} bytes of WAL, not ${price.walBytes}: ${JSON.stringify(work.bytes)}`;
  return isNear ? counts : [...counts, `${name}: ${bytes}`];
}
