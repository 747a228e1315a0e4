import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Frame, Page } from 'puppeteer-core';
import { keepPicture, TestBrowser, withoutChromium, wordsOn } from '../console/test-browser.ts';
import { call, logIn, TEST_CARD } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';

const skip = withoutChromium;

let service: TestService;
let browser: TestBrowser;
let shop: Server;
/** On another port of the shop's host. */
let sibling: Server;
let token: string;
let key: string;
/** Of the shop, on another site than the service's. */
let origin: string;

before(async () => {
  if (skip !== false) return;
  service = await openTestService({
    PARCELA_REQUESTS_PER_SECOND_PER_MERCHANT: '100',
    PARCELA_TRUSTED_PROXIES: '127.0.0.1',
  });
  browser = await TestBrowser.open(service);
  shop = await serving((path) => (path === '/' ? shopPage() : hostilePage(path)));
  sibling = await serving(() => shopPage());
  origin = `http://localhost:${portOf(shop)}`;
  token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
  const put = await fields('PUT', { origins: [origin] });
  assert.equal(put.status, 200, put.text);
  key = put.body.key;
});
after(async () => {
  if (skip !== false) return;
  await browser?.close();
  shop?.close();
  sibling?.close();
  await service?.close();
});

async function serving(pageAt: (path: string) => string): Promise<Server> {
  const server = createServer(({ url = '/' }, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(pageAt(url));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

const fields = (method: string, body?: object) =>
  call(service.gatewayUrl, '/v1/cards/fields', { token, method, ...(body && { body }) });

/** Whatever passes its ports and windows is written down, and so is each key that is pressed. */
const shopPage =
  () => `<!doctype html><html lang="pt-BR"><title>Loja</title><main><h1>Loja</h1><div id="card"></div></main>
<script>
const heard = window.heard = [];
const open = MessageChannel;
MessageChannel = function () {
  const made = new open();
  made.port1.addEventListener('message', ({ data }) => heard.push(data));
  return made;
};
for (const kind of ['keydown', 'keypress', 'keyup', 'input', 'beforeinput', 'paste', 'copy', 'message'])
  addEventListener(kind, (event) => heard.push(kind, event.key ?? event.data), true);
</script>
<script type="module">
import { mountFields } from '${service.gatewayUrl}/fields.js';
const style = { color: '#102030', fontSize: '18px', background: 'url(https://evil.example/)', content: 'x' };
window.mounting = mountFields('#card', { key: '${key}', style, onSubmit: () => { window.submits = (window.submits ?? 0) + 1; } }).then(
  (made) => { window.fields = made; },
  (error) => { window.failed = error.kind; },
);
</script></html>`;

type Shop = { readonly page: Page; readonly frame: Frame; readonly sent: string[] };

async function openShop(): Promise<Shop> {
  const page = await browser.newPage();
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
  await page.goto(origin);
  await page.waitForFunction('window.fields !== undefined');
  const frame = await (await page.$('iframe'))?.contentFrame();
  assert.ok(frame);
  return { page, frame, sent };
}

async function fill(page: Page, frame: Frame, number: string): Promise<void> {
  await frame.focus('#number');
  // Where the number does not say the brand, the choice of one stands behind it.
  const choice = number === UNKNOWN_CARD ? [''] : [];
  for (const text of [number, ...choice, 'ANA SOUZA', '1239', '847']) {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  }
}

const payWith = (cardInfo: object, codeAntiFraud?: string) =>
  call(service.gatewayUrl, '/v1/payments', {
    token,
    body: {
      payment: { transactionType: 'credit', productType: 'avista', amount: 1_000, installments: 1 },
      cardInfo,
      sellerInfo: { codeAntiFraud: codeAntiFraud ?? randomUUID() },
    },
  });

/** Of no brand by its first digits. */
const UNKNOWN_CARD = '6000000000000007';

const CARD = `fields.card().catch(({ kind, message }) => ({ kind, message }))`;

test('a shop pays with what the fields give it, and cannot read what was typed', { skip }, async () => {
  const { page, frame, sent } = await openShop();
  await fill(page, frame, TEST_CARD);
  await keepPicture(page, 'fields');
  // As high as what is in it, and no higher than that.
  await frame.waitForFunction(
    'document.documentElement.scrollHeight === innerHeight && document.body.offsetHeight === innerHeight',
  );
  const tries = [
    'frames[0].document.body.innerText',
    'document.querySelector("iframe").contentDocument.body.innerText',
    'frames[0].given.key',
    'frames[0].eval("1")',
    'frames[0].location.href',
  ];
  for (const one of tries)
    assert.equal(
      await page.evaluate(`(() => { try { return ${one}; } catch { return 'kept'; } })()`),
      'kept',
      one,
    );
  // A second port, and what is sent to the window itself, meet nobody.
  await page.evaluate(`(() => {
    const { port1, port2 } = new MessageChannel();
    port1.start();
    frames[0].postMessage({ parcela: 'fields', style: {} }, '*', [port2]);
    port1.postMessage({ kind: 'card', id: 99 });
    frames[0].postMessage({ kind: 'card', id: 98 }, '*');
  })()`);
  await frame.focus('#code');
  await page.keyboard.press('Enter');
  await page.waitForFunction('window.submits === 1');
  const card = (await page.evaluate(CARD)) as Record<string, string>;
  assert.deepEqual(Object.keys(card).sort(), [
    ...['brand', 'cardholderName', 'codeAntiFraud', 'encryptedCard'],
    ...['expirationMonth', 'expirationYear', 'lastFour', 'numberToken'],
  ]);
  assert.deepEqual([card.brand, card.lastFour, card.expirationYear], ['mastercard', '0001', '39']);
  const heard = (await page.evaluate('window.heard')) as { id?: number; kind?: string }[];
  assert.ok(
    heard.some(({ kind }) => kind === 'card'),
    'the shop listened',
  );
  assert.ok(!heard.some(({ id }) => id === 98 || id === 99));
  assert.equal(heard.filter(({ kind }) => kind === 'brand').length, 1, 'not one for each key');
  assert.doesNotMatch(
    JSON.stringify(heard).replaceAll(card.encryptedCard ?? '', ''),
    /847|5155|keydown|input|paste/,
  );
  assert.ok(sent.every((request) => !request.includes(TEST_CARD)));
  const look = `(() => { const { color, fontSize, backgroundImage } = getComputedStyle(document.querySelector('main')); return [color, fontSize, backgroundImage]; })()`;
  assert.deepEqual(await frame.evaluate(look), ['rgb(16, 32, 48)', '18px', 'none']);

  const { encryptedCard, codeAntiFraud, numberToken } = card;
  const { cardholderName, brand, expirationMonth, expirationYear } = card;
  const paid = await payWith({ encryptedCard, cardholderName, brand }, codeAntiFraud);
  assert.equal(paid.status, 200, paid.text);
  const again = await payWith({ numberToken, cardholderName, brand, expirationMonth, expirationYear });
  assert.equal(again.status, 400, 'one card pays once, in whichever form');
});

test('the brand that the buyer chose pays beside the card, since it is not inside', { skip }, async () => {
  const { page, frame } = await openShop();
  await fill(page, frame, UNKNOWN_CARD);
  const asked = (await page.evaluate(CARD)) as { kind: string; message: string };
  assert.match(asked.message, /bandeira/i);
  await frame.select('#brand', 'hipercard');
  const { encryptedCard, cardholderName, brand } = (await page.evaluate(CARD)) as Record<string, string>;
  assert.equal(brand, 'hipercard');
  assert.equal((await payWith({ encryptedCard, cardholderName })).status, 400);
  const paid = await payWith({ encryptedCard, cardholderName, brand });
  assert.equal(paid.status, 200, paid.text);
});

test('the buyer reads in the fields what is wrong with the card', { skip }, async () => {
  const { page, frame } = await openShop();
  await fill(page, frame, `${TEST_CARD.slice(0, -1)}2`);
  assert.equal(((await page.evaluate(CARD)) as { kind: string }).kind, 'invalid');
  assert.match(await frame.$eval('#number-fault', (one) => one.textContent ?? ''), /Confira o número/);
});

test('the frame opens on no page but those of the origins that the merchant has named', {
  skip,
}, async () => {
  const page = await browser.newPage();
  const refused = new Promise<void>((told) =>
    page.on('console', (message) => /frame-ancestors/.test(message.text()) && told()),
  );
  await page.goto(origin.replace('localhost', '127.0.0.1'));
  await refused;
  assert.equal(await page.evaluate('window.fields'), undefined);
  // As a window of its own it hears nobody.
  await page.evaluate(`window.other = window.open('${service.gatewayUrl}/fields/${key}'), true`);
  const target = await page.browserContext().waitForTarget((one) => one.url().endsWith(key));
  const opened = await target.page();
  assert.ok(opened);
  await opened.waitForSelector('#number');
  assert.match(await wordsOn(opened), /Número do cartão/);
  await opened.evaluate(`addEventListener('message', () => { window.reached = true; })`);
  await page.evaluate(
    `other.postMessage({ parcela: 'fields', style: {} }, '*', [new MessageChannel().port2]), true`,
  );
  await opened.waitForFunction('window.reached');
  assert.equal(await opened.evaluate('port'), null);
  await fields('PUT', { origins: [] });
  assert.equal((await fetch(`${service.gatewayUrl}/fields/${key}`)).status, 404);
  const back = await fields('PUT', { origins: [origin, 'https://loja.com.br'] });
  assert.equal(back.body.key, key, 'the key stays');
  const policy = (await fetch(`${service.gatewayUrl}/fields/${key}`)).headers.get('content-security-policy');
  assert.ok(policy?.includes(`frame-ancestors ${origin} https://loja.com.br;`), policy ?? '');
});

/** `/nested`: the shop within a stranger's page. `/sandboxed`, `/robbed`: shop or fields without origin. */
const hostilePage = (path: string) =>
  ({
    '/nested': `<iframe src="${origin}/"></iframe>`,
    '/sandboxed': `<iframe sandbox="allow-scripts" src="${origin}/"></iframe>`,
    '/robbed': `<iframe sandbox="allow-scripts" src="${service.gatewayUrl}/fields/${key}"></iframe>`,
    // A frame of a stranger on the shop's own page offers the fields a port of its own.
    '/beside': `${shopPage()}<iframe src="http://127.0.0.1:${portOf(shop)}/stranger"></iframe>`,
    '/stranger': `<script>
setInterval(() => {
  for (let at = 0; at < parent.length; at += 1) {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => { window.got = data; };
    parent[at].postMessage({ parcela: 'fields', style: { color: '#ff0000' } }, '*', [port2]);
    port1.postMessage({ kind: 'card', id: 97 });
    window.offered = (window.offered ?? 0) + 1;
  }
}, 50);
</script>`,
  })[path] ?? '';

/** Whether any frame of the page shows the fields, once the browser has refused to. */
async function refusedAt(address: string): Promise<boolean> {
  const page = await browser.newPage();
  await page.goto(address);
  await until('the browser refuses the frame', async () =>
    page.frames().some((frame) => frame.url().startsWith('chrome-error:')),
  );
  const shown = await Promise.all(
    page.frames().map((frame) =>
      frame.$('#number').then(
        (found) => found !== null,
        () => false,
      ),
    ),
  );
  await page.close();
  return !shown.includes(true);
}

test('neither the page around the shop, nor another port or name of its host, holds the fields', {
  skip,
}, async () => {
  for (const address of [
    `http://127.0.0.1:${portOf(shop)}/nested`,
    `http://evil.localhost:${portOf(shop)}/nested`,
    `${origin}/sandboxed`,
    `http://localhost:${portOf(sibling)}/`,
    `http://evil.localhost:${portOf(shop)}/`,
  ])
    assert.ok(await refusedAt(address), address);
});

test('fields without their origin make no card, and a stranger beside them is not heard', {
  skip,
}, async () => {
  const robbed = await browser.newPage();
  await robbed.goto(`${origin}/robbed`);
  const inside = await (await robbed.$('iframe'))?.contentFrame();
  assert.ok(inside);
  await inside.waitForSelector('#number');
  assert.equal(
    await inside.evaluate(
      `fetch('${service.gatewayUrl}/fields/${key}/card', { method: 'POST' }).then(() => 'sent', () => 'kept')`,
    ),
    'kept',
  );
  const page = await browser.newPage();
  await page.goto(`${origin}/beside`);
  await page.waitForFunction('window.fields !== undefined');
  const stranger = page.frames().find((frame) => frame.url().endsWith('/stranger'));
  const frame = page.frames().find((one) => one.url().endsWith(key));
  assert.ok(stranger && frame);
  await fill(page, frame, TEST_CARD);
  // Looked at by time: a frame that is not in sight draws no frames.
  await stranger.waitForFunction('window.offered > 20', { polling: 100 });
  const card = (await page.evaluate(CARD)) as Record<string, string>;
  assert.equal(card.lastFour, '0001');
  assert.equal(await stranger.evaluate('window.got'), undefined);
  assert.equal(
    await frame.evaluate(`getComputedStyle(document.querySelector('main')).color`),
    'rgb(16, 32, 48)',
    'the looks are those of the shop',
  );
});

test('of all strangers together a merchant takes so many cards and no more', { skip }, async () => {
  await fields('PUT', { origins: [origin] });
  const tries = Array.from({ length: 40 }, (_, at) =>
    call(service.gatewayUrl, `/fields/${key}/card`, {
      body: { encryptedCard: 'q83v'.repeat(128) },
      headers: { 'x-forwarded-for': `10.0.0.${at}` },
    }),
  );
  const statuses = (await Promise.all(tries)).map(({ status }) => status);
  assert.deepEqual([...new Set(statuses)].sort(), [200, 429]);
});
