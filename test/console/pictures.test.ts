import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { arrive } from '../kit/clock.ts';
import { type Listener, startListener } from '../kit/listener.ts';
import { call, cpfOf, logIn, paymentRequest, TEST_CARD, tokenize } from '../kit/merchant.ts';
import type { TestService } from '../kit/service.ts';
import { fillConsole } from './filled-console.ts';
import { subscribe } from './merchant-things.ts';
import { smallPicture } from './small-picture.ts';
import { DESK, TestBrowser, wear, withoutChromium } from './test-browser.ts';

/** `npm run pictures` makes them; they are no part of a run of tests. */
const skip = process.env.PICTURES === '1' ? withoutChromium : 'makes docs/pictures: npm run pictures';
const PICTURES = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const LARGEST_BYTES = 120_000;

/** Their names, and where they are taken. */
const PAGES = {
  today: '/merchants/{merchantId}/today',
  payments: '/merchants/{merchantId}/payments',
  payment: '/merchants/{merchantId}/payments/{soldId}',
  charts: '/merchants/{merchantId}/charts',
  subscription: '/merchants/{merchantId}/subscriptions/{subscriptionId}',
  reconciliation: '/merchants/{merchantId}/reconciliation',
  deliveries: '/merchants/{merchantId}/notifications/deliveries',
  health: '/health',
} as const;

const CARDS = [
  ['visa', '4111111111111111', '123'],
  ['mastercard', '5155901222280001', '123'],
  ['elo', '6362970000457013', '123'],
  ['amex', '378282246310005', '1234'],
] as const;
const BUYERS = [
  'Ana Souza',
  'Bruno Lima',
  'Carla Dias',
  'Davi Rocha',
  'Elisa Melo',
  'Fábio Nunes',
  'Gisele Prado',
];
/** Their last two digits say what the issuer answers; most are approved. */
const AMOUNTS = [12_990, 5_990, 25_900, 8_750, 31_051, 4_500, 18_200, 9_957, 6_700, 15_990, 42_000, 7_305];
const DAYS = 15;

let sold = 0;

async function sell(service: TestService, token: string): Promise<string | undefined> {
  const number = sold;
  sold += 1;
  const [brand, cardNumber, securityCode] = CARDS[(number * 7) % CARDS.length] as (typeof CARDS)[number];
  const amount = AMOUNTS[(number * 5) % AMOUNTS.length] ?? 0;
  const isLarge = amount > 15_000;
  const [firstName = '', lastName = ''] = (BUYERS[number % BUYERS.length] ?? '').split(' ');
  const request = paymentRequest(await tokenize(service.gatewayUrl, token, cardNumber), amount);
  const { body } = await call(service.gatewayUrl, '/v1/payments', {
    token,
    body: {
      ...request,
      payment: {
        ...request.payment,
        ...(isLarge ? { productType: 'lojista', installments: 3 } : {}),
      },
      cardInfo: { ...request.cardInfo, brand, securityCode },
      referenceTransaction: `PEDIDO-${2_101 + number}`,
      customer: {
        documentType: 'cpf',
        documentNumber: cpfOf(number % BUYERS.length),
        firstName,
        lastName,
        email: `${firstName
          .toLowerCase()
          .normalize('NFD')
          .replaceAll(/[^a-z]/g, '')}@cliente.example`,
      },
    },
  });
  return body?.paymentAuthorization?.paymentId as string | undefined;
}

/** What is sold from now on is told to somebody who takes it. */
async function listenTo({ integrationUrl, demo }: TestService, { url }: Listener): Promise<void> {
  const { integration, accountNumber } = await demo();
  const token = await logIn(integrationUrl, integration, '/api/authentication/login');
  const path = `/api/webhooks/subscriptions?accountNumber=${accountNumber}`;
  const registered = await call(integrationUrl, path, { token, body: { url } });
  assert.equal(registered.status, 200, registered.text);
}

/** Two weeks of sales, more of them towards the end. */
async function sellForDays(service: TestService): Promise<string> {
  const { gateway } = await service.demo();
  let soldId: string | undefined;
  for (let day = 1; day <= DAYS; day += 1) {
    const token = await logIn(service.gatewayUrl, gateway);
    const sales = 5 + ((day * 3) % 5) + Math.floor(day / 3);
    for (let sale = 0; sale < sales; sale += 1) soldId = (await sell(service, token)) ?? soldId;
    if (day < DAYS) await arrive(service.gatewayUrl, token, { advanceDays: 1 });
  }
  assert.ok(soldId !== undefined);
  return soldId;
}

/** As a person would have typed what tests need otherwise. */
async function nameWell({ auditor }: TestService, userName: string): Promise<void> {
  await auditor.query("update console_users set name = 'ana@loja.example' where name = $1", [userName]);
  await auditor.query("update plans set name = 'Clube do livro'");
}

test('pictures of the console, small ones, in both languages', { skip }, async () => {
  const filled = await fillConsole();
  const browser = await TestBrowser.open(filled.service);
  const shop = await startListener(200);
  try {
    const { service } = filled;
    await listenTo(service, shop);
    const things: Readonly<Record<string, string>> = {
      ...filled.things,
      soldId: await sellForDays(service),
      subscriptionId: (await subscribe(service, 10.51, TEST_CARD, 'Ana Souza')).subscriptionId,
    };
    const page = await browser.newPage();
    await nameWell(service, await browser.enter(page, null));
    await mkdir(PICTURES, { recursive: true });
    for (const language of ['pt-BR', 'en'] as const) {
      await wear(page, { ...DESK, language });
      for (const [name, path] of Object.entries(PAGES)) {
        await browser.goTo(
          page,
          path.replaceAll(/\{(\w+)\}/g, (_, key: string) => things[key] ?? ''),
        );
        const picture = smallPicture(await page.screenshot());
        assert.ok(picture.length < LARGEST_BYTES, `${name} has ${picture.length} bytes`);
        await writeFile(`${PICTURES}console-${name}.${language}.png`, picture);
      }
    }
  } finally {
    await browser.close();
    await shop.close();
    await filled.close();
  }
});
