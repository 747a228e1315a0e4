import { randomUUID } from 'node:crypto';
import { brandOf, type CardBrand, securityCodeLength } from '../../src/values/card-number.ts';
import { encryptCard, paymentRequest } from '../kit/merchant.ts';
import { sliceOf } from '../kit/patience.ts';
import { until } from '../kit/service.ts';
import { plantBilling, plantSubscription } from '../recurrence/billing-rows.ts';
import { type Caller, jsonOf } from './caller.ts';
import type { NumberUse } from './marks.ts';
import type { WatchedService } from './watched-service.ts';

/**
 * Everything that a merchant does right, with marked cards. Amounts have five digits at least:
 * codes have fewer.
 */
export type Shop = {
  readonly service: WatchedService;
  readonly caller: Caller;
  readonly token: string;
  /** For plans, subscriptions and billings. */
  readonly recurrenceToken: string;
  readonly merchantId: string;
};

/** How often each security code is used: in the proof so that a leak is no chance where runs are compared. */
const USES = sliceOf(4, 1);
const AMOUNT = 31_000;

const REFERENCE = 'MARKED-';

function codeFor({ service: { marks } }: Shop, brand: CardBrand, index: number): string {
  const codes = securityCodeLength(brand) === 4 ? marks.longCodes : marks.codes;
  return codes[index % codes.length] as string;
}

async function tokenize(shop: Shop, use: NumberUse): Promise<string> {
  const { service, caller, token } = shop;
  const asked = {
    method: 'POST',
    path: '/v1/cards/tokenization',
    token,
    body: { cardNumber: service.marks.numbers[use] },
  };
  const reported = await caller.ask(service.gatewayUrl, asked);
  if (reported.status !== 200) throw new Error(`${use} was not tokenized: ${reported.text}`);
  return (jsonOf(reported) as [{ numberToken: string }])[0].numberToken;
}

/** A payment with a marked card and a marked code; gives its status. */
async function payWith(
  shop: Shop,
  use: NumberUse,
  amount: number,
  index = 0,
  change: Record<string, unknown> = {},
) {
  const { service, caller, token } = shop;
  const brand = brandOf(service.marks.numbers[use]) as CardBrand;
  const { cardInfo, ...rest } = paymentRequest(await tokenize(shop, use), amount, {
    referenceTransaction: `${REFERENCE}${randomUUID().slice(0, 8)}`,
  });
  const body = {
    ...rest,
    cardInfo: { ...cardInfo, brand, securityCode: codeFor(shop, brand, index) },
    ...change,
  };
  return (await caller.ask(service.gatewayUrl, { method: 'POST', path: '/v1/payments', token, body })).status;
}

async function encrypted(shop: Shop, use: NumberUse, index: number): Promise<string> {
  const { service, caller, token, merchantId } = shop;
  const url = service.gatewayUrl;
  const reported = await caller.ask(url, { method: 'GET', path: '/v1/cards/public-key', token });
  return encryptCard((jsonOf(reported) as { key: string }).key, {
    cardNumber: service.marks.numbers[use],
    merchantId,
    createdAt: new Date().toISOString(),
    securityCode: service.marks.codes[index % service.marks.codes.length] as string,
    expirationMonth: '12',
    expirationYear: '39',
    cardholderName: 'ANA SOUZA',
  });
}

const PLAIN_USES = [
  'visa',
  'mastercard',
  'mastercardOfTwo',
  'amex',
  'elo',
  'hipercard',
  'visaOf13',
  'visaOf19',
] as const;

export async function payInEveryWay(shop: Shop): Promise<void> {
  const { marks } = shop.service;
  for (const [index, use] of PLAIN_USES.entries())
    expectStatus(use, await payWith(shop, use, AMOUNT, index), 200);
  for (let turn = 0; turn < USES; turn += 1) {
    for (let index = 0; index < marks.codes.length; index += 1) await payWith(shop, 'visa', AMOUNT, index);
    for (let index = 0; index < marks.longCodes.length; index += 1)
      await payWith(shop, 'amex', AMOUNT, index);
  }
  const threeDSecure = { eci: '05', cavv: marks.cavv, dsTransactionId: randomUUID() };
  expectStatus('authenticated', await payWith(shop, 'visa', AMOUNT, 3, { threeDSecure }), 200);
  const declined = await payWith(shop, 'visa', 31_051, 4, { threeDSecure });
  expectStatus('authenticated and declined', declined, 402);
  expectStatus('declined', await payWith(shop, 'declined', 31_051, 1), 402);
  expectStatus('declined for good', await payWith(shop, 'declined', 31_041, 2), 402);
  const unknown = { silent: 31_001, booksButSilent: 31_002, late: 31_003, garbage: 31_004 } as const;
  await Promise.all(
    Object.entries(unknown).map(async ([use, amount], index) =>
      expectStatus(use, await payWith(shop, use as keyof typeof unknown, amount, index), 500),
    ),
  );
}

export async function payEncrypted(shop: Shop): Promise<void> {
  const { service, caller, token } = shop;
  const url = service.gatewayUrl;
  for (let index = 0; index < USES; index += 1) {
    const body = paymentRequest('', AMOUNT, {
      referenceTransaction: `${REFERENCE}${randomUUID().slice(0, 8)}`,
      cardInfo: { cardholderName: 'ANA SOUZA', encryptedCard: await encrypted(shop, 'encrypted', index) },
    });
    const reported = await caller.ask(url, { method: 'POST', path: '/v1/payments', token, body });
    expectStatus('encrypted', reported.status, 200);
    // Said differently beside the blob and inside of it, and the blob sent a second time.
    const { encryptedCard: blob } = body.cardInfo as unknown as { encryptedCard: string };
    const other = {
      cardholderName: 'ANA SOUZA',
      securityCode: service.marks.codes[index + 1],
      encryptedCard: blob,
    };
    await caller.ask(url, {
      method: 'POST',
      path: '/v1/payments',
      token,
      body: { ...body, cardInfo: other },
    });
    await caller.ask(url, { method: 'POST', path: '/v1/payments', token, body });
  }
  const encryptedCard = await encrypted(shop, 'encryptedToken', 0);
  for (const blob of [encryptedCard, encryptedCard.slice(0, -8), service.marks.numbers.malformed])
    await caller.ask(url, {
      method: 'POST',
      path: '/v1/cards/tokenization',
      token,
      body: { encryptedCard: blob },
    });
}

/**
 * New keys seal what the old ones sealed: every stored card is opened once. Then everything that
 * can be listed is.
 */
async function operate(service: WatchedService): Promise<void> {
  await service.operate(['key', 'rotate', '--kind', 'all']);
  for (const words of ['key status', 'audit verify', 'audit list --json', 'merchant list'])
    await service.read(words.split(' '));
}

/** Stores cards with marked numbers, seals them anew, reads them, pays with them and removes one. */
export async function useVault(shop: Shop): Promise<void> {
  const { service, caller, token } = shop;
  const url = service.gatewayUrl;
  const beside = { cardholderName: 'ANA SOUZA', expirationMonth: '12', expirationYear: '39' };
  const stored: string[] = [];
  for (let index = 0; index < USES; index += 1) {
    const securityCode = service.marks.codes[index] as string;
    for (const body of [
      { ...beside, numberToken: await tokenize(shop, 'vault'), verifyCard: true, securityCode },
      {
        ...beside,
        encryptedCard: await encrypted(shop, 'encryptedVault', index),
        verifyCard: index % 2 === 0,
      },
    ]) {
      const reported = await caller.ask(url, { method: 'POST', path: '/v1/vaults/cards', token, body });
      expectStatus('vault', reported.status, 200);
      stored.push((jsonOf(reported) as { vaultId: string }).vaultId);
    }
  }
  await operate(service);
  for (const [index, vaultId] of stored.entries()) {
    await caller.ask(url, { method: 'GET', path: `/v1/vaults/cards/${vaultId}`, token });
    const cardInfo = { vaultId, securityCode: service.marks.codes[index] };
    const body = paymentRequest('', AMOUNT, {
      referenceTransaction: `${REFERENCE}${randomUUID().slice(0, 8)}`,
      cardInfo,
    });
    const reported = await caller.ask(url, { method: 'POST', path: '/v1/payments', token, body });
    expectStatus('payment with a stored card', reported.status, 200);
  }
  await caller.ask(url, { method: 'DELETE', path: `/v1/vaults/cards/${stored[0]}`, token });
}

/**
 * A page that sends its buyer's data, whose card then pays with the code; and a buyer who is
 * rejected, card in hand.
 */
export async function askAntiFraud(shop: Shop): Promise<void> {
  const { service, caller, token } = shop;
  const body = { ipAddress: '203.0.113.7', deviceId: 'aparelho-1' };
  const path = '/v1/antifraud/sessions';
  const reported = await caller.ask(service.gatewayUrl, { method: 'POST', path, token, body });
  expectStatus('anti-fraud code', reported.status, 200);
  const sellerInfo = jsonOf(reported);
  for (const [index, verdict] of ['accept', 'review', 'reject'].entries()) {
    const change = { sellerInfo, customer: { email: `${verdict}@test.com` } };
    const status = await payWith(shop, 'visa', AMOUNT, index, change);
    expectStatus(verdict, status, verdict === 'reject' ? 402 : 200);
  }
}

/** A divided payment that is found by its reference, read, and given back in parts. */
export async function cancelInParts(shop: Shop): Promise<void> {
  const { service, caller, token } = shop;
  const url = service.gatewayUrl;
  const referenceTransaction = `${REFERENCE}${randomUUID().slice(0, 8)}`;
  const configSplit = [{ documentNumberBeneficiary: '52998224725', percent: 100 }];
  expectStatus(
    'a divided payment',
    await payWith(shop, 'visa', AMOUNT, 0, { referenceTransaction, configSplit }),
    200,
  );
  const path = `/v1/payments?referenceTransaction=${referenceTransaction}`;
  const reported = await caller.ask(url, { method: 'GET', path, token });
  const [{ paymentId }] = (jsonOf(reported) as { items: [{ paymentId: string }] }).items;
  for (const body of [{ amount: 10_000 }, {}]) {
    const asked = { method: 'POST', path: `/v1/payments/${paymentId}/cancel`, token, body };
    expectStatus('a cancel', (await caller.ask(url, asked)).status, 200);
  }
  await caller.ask(url, { method: 'GET', path: `/v1/payments/${paymentId}`, token });
}

/** Searches what subscriptions owe, reads it, and cancels it. */
export async function manageBillings(shop: Shop, recurrenceToken: string): Promise<void> {
  const { service, caller, merchantId } = shop;
  const auditor = await service.openAuditor();
  const rows = { auditor, merchantId };
  const { subscriptionId } = await plantSubscription(rows);
  const billingId = await plantBilling(rows, subscriptionId);
  await auditor.close();
  const ask = async (method: string, path: string) => {
    const asked = { method, path: `/v1/recurrences/billing${path}`, token: recurrenceToken };
    expectStatus(`${method} ${path}`, (await caller.ask(service.gatewayUrl, asked)).status, 200);
  };
  await ask('GET', '?status=Opened&orderBy=amount');
  await ask('POST', `/${billingId}/cancel`);
  await ask('GET', `/${billingId}`);
}

/** Looks through what was sent to the merchant, and has some of it sent again, a test too. */
export async function lookThroughDeliveries(shop: Shop, token: string): Promise<void> {
  const { service, caller } = shop;
  const { accountNumber } = await service.demo();
  const ask = (method: string, path: string, body?: unknown) =>
    caller.ask(service.integrationUrl, { method, path: `/api/webhooks/${path}`, token, body });
  const reported = await ask('GET', `deliveries?accountNumber=${accountNumber}&limit=100`);
  expectStatus('the deliveries', reported.status, 200);
  for (const { id } of (jsonOf(reported) as { items: { id: string }[] }).items.slice(0, USES)) {
    expectStatus('a delivery', (await ask('GET', `deliveries/${id}`)).status, 200);
    await ask('POST', `deliveries/${id}/resend`);
  }
  const period = { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date().toISOString() };
  const again = await ask('POST', `resend?accountNumber=${accountNumber}`, { ...period, status: 'All' });
  expectStatus('a period of deliveries', again.status, 200);
  await ask('POST', `subscriptions/test?accountNumber=${accountNumber}`);
}

/**
 * Types a marked number into the login of an address, which is refused; registers it, makes secrets, and
 * removes it again.
 */
export async function registerWebhook(shop: Shop, integrationToken: string): Promise<void> {
  const { service, caller } = shop;
  const { accountNumber } = await service.demo();
  const ask = async (method: string, resource: string, body?: unknown, expected = 200) => {
    const path = `/api/webhooks/${resource}?accountNumber=${accountNumber}`;
    const asked = { method, path, token: integrationToken, ...(body === undefined ? {} : { body }) };
    const { status } = await caller.ask(service.integrationUrl, asked);
    expectStatus(`${method} ${resource}`, status, expected);
  };
  const number = service.marks.numbers.webhook;
  const loginOf = (password: string) => Buffer.from(`loja:${password}`).toString('base64');
  const url = 'http://127.0.0.1:49151/notificacoes';
  await ask('POST', 'subscriptions', { url, basicAuth: loginOf(number) }, 400);
  await ask('POST', 'subscriptions', { url: `${url}?c=${number}`, basicAuth: loginOf('senha') }, 400);
  await ask('POST', 'subscriptions', { url, basicAuth: loginOf('senha') });
  for (let turn = 0; turn < 2; turn += 1) await ask('POST', 'secret');
  await service.operate(['key', 'rotate', '--kind', 'secret']);
  await ask('GET', 'subscriptions');
  await ask('DELETE', 'subscriptions');
}

/**
 * A plan into whose texts a marked number is typed where it does not belong, looked for, changed
 * and canceled.
 */
export async function offerPlans({ service, caller, merchantId }: Shop, token: string): Promise<void> {
  const url = service.gatewayUrl;
  const ask = async (method: string, path: string, body?: unknown, status = 200) => {
    const asked = {
      method,
      path: `/v1/recurrences/plans${path}`,
      token,
      ...(body === undefined ? {} : { body }),
    };
    const reported = await caller.ask(url, asked);
    expectStatus(`${method} ${asked.path.slice(0, 24)}`, reported.status, status);
    return reported;
  };
  const typed = service.marks.typedNumber;
  const terms = { amount: 49.9, planType: 'Monthly', paymentMethod: 'CreditCard' };
  const body = { merchantId, name: 'Clube', description: 'Um livro por mês', ...terms };
  await ask('POST', '', { ...body, description: `Cartão ${typed}` }, 400);
  const planId = jsonOf(await ask('POST', '', body)) as string;
  await ask('GET', '?name=clube');
  await ask('GET', `/${planId}`);
  await ask('GET', `/${planId}/calendar`);
  await ask('POST', `/${planId}`, { ...body, name: `Clube ${typed}` }, 400);
  await ask('POST', `/${planId}/status`, { status: 'Canceled' });
}

/**
 * Payments that are called back, approved and declined; then everything that happened at the
 * account, page by page.
 */
export async function catchUp(shop: Shop, integrationToken: string, accountNumber: string): Promise<void> {
  const { service, caller } = shop;
  const urlCallBack = 'https://loja.example/retorno';
  expectStatus('called back', await payWith(shop, 'mastercard', AMOUNT, 1, { urlCallBack }), 200);
  expectStatus('a decline', await payWith(shop, 'declined', 31_051, 2, { urlCallBack }), 402);
  for (let after = 0, pages = 0; pages < 100; pages += 1) {
    const path = `/api/movements?accountNumber=${accountNumber}&after=${after}&limit=100`;
    const reported = await caller.ask(service.gatewayUrl, {
      method: 'GET',
      path,
      token: integrationToken,
    });
    expectStatus('movements', reported.status, 200);
    const { items, next } = jsonOf(reported) as { items: unknown[]; next: number };
    if (items.length === 0) return;
    after = next;
  }
}

/** The acquirer is away, then the service is killed while it waits for it. */
export async function payThroughTrouble(shop: Shop): Promise<void> {
  const { service } = shop;
  await service.withoutAcquirer(async () =>
    expectStatus('acquirer away', await payWith(shop, 'acquirerAway', AMOUNT), 503),
  );
  const paying = payWith(shop, 'killed', 31_001, 3);
  const auditor = await service.openAuditor();
  await until(
    'the payment is under way',
    async () => (await auditor.query(`select 1 from transactions where state = 'charging'`)).length > 0,
  );
  await auditor.close();
  await service.restart();
  await paying;
  const again = await service.openAuditor();
  await until(
    'all is settled',
    async () => (await again.query('select 1 from transactions where decided_at is null')).length === 0,
    60_000,
  );
  await again.close();
}

function expectStatus(what: string, status: number, expected: number): void {
  if (status !== expected) throw new Error(`${what} was answered ${status} instead of ${expected}`);
}
