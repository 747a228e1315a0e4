import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { HTTPRequest, Page } from 'puppeteer-core';
import { DESK, lookAt, TestBrowser, withoutChromium, wordsOn } from '../console/test-browser.ts';
import { call, logIn, TEST_CARD, tokenize } from '../kit/merchant.ts';
import { openTestService, type TestService } from '../kit/service.ts';

const skip = withoutChromium;

let service: TestService;
let browser: TestBrowser;
let token: string;
before(async () => {
  if (skip !== false) return;
  service = await openTestService();
  browser = await TestBrowser.open(service);
  token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
});
after(async () => {
  if (skip !== false) return;
  await browser?.close();
  await service?.close();
});

type Opened = {
  readonly page: Page;
  readonly path: string;
  readonly sent: HTTPRequest[];
  readonly wrong: string[];
};

/** As a buyer on a phone opens it; what his browser sends, and what it complains of. */
async function open(value: number): Promise<Opened> {
  const body = {
    description: 'Um livro',
    value,
    qttyInstallments: 3,
    urlReturn: 'https://loja.example.com/',
  };
  const { body: made } = await call(service.gatewayUrl, '/v1/paymentlink/new', { token, body });
  const path = new URL(made.url).pathname;
  return { path, ...(await openAt(path)) };
}

async function openAt(path: string): Promise<Omit<Opened, 'path'>> {
  const page = await browser.newPage({ ...DESK, window: 'phone' });
  const sent: HTTPRequest[] = [];
  const wrong: string[] = [];
  page.on('request', (request) => sent.push(request));
  page.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(String(error)));
  await page.goto(browser.origin + path);
  return { page, sent, wrong };
}

/** By the keyboard alone, from field to field. */
async function fill(page: Page, number = TEST_CARD): Promise<void> {
  await page.focus('#number');
  for (const text of [number, 'ANA SOUZA', '1239', '123']) {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  }
}

async function paid(page: Page): Promise<void> {
  await page.waitForFunction(`document.querySelector('.notice').textContent.startsWith('Pago')`);
}

test('a buyer pays by the keyboard alone, and no digit of his card leaves the browser in clear', {
  skip,
}, async () => {
  const { page, sent, wrong } = await open(100);
  await lookAt(page, 'link-open');
  await fill(page);
  assert.equal(
    await page.$eval('#number', (field) => (field as unknown as { value: string }).value),
    TEST_CARD.replaceAll(/(.{4})(?=.)/g, '$1 '),
  );
  assert.equal(await page.$eval('#number-brand', (one) => one.textContent), 'Mastercard');
  await page.select('#installments', '3');
  await page.focus('#pay');
  await page.keyboard.press('Enter');
  await paid(page);
  await lookAt(page, 'link-paid');
  assert.match(await wordsOn(page), /Voltar ao vendedor/);
  const posted = sent.filter((request) => request.method() === 'POST');
  assert.equal(posted.length, 1);
  assert.deepEqual(Object.keys(JSON.parse(posted[0]?.postData() ?? '{}')), ['encryptedCard', 'installments']);
  assert.ok(sent.every((request) => !`${request.url()} ${request.postData() ?? ''}`.includes(TEST_CARD)));
  assert.deepEqual(wrong, []);
  await page.goto('about:blank');
  await page.goBack();
  await paid(page);
});

test('what is not a card is said beside its field, and a declined one in the words for buyers', {
  skip,
}, async () => {
  const { page, sent } = await open(10.51);
  await fill(page, `${TEST_CARD.slice(0, -1)}2`);
  await page.click('#pay');
  assert.match(await wordsOn(page, '#number-fault'), /Confira o número/);
  assert.equal(sent.filter((request) => request.method() === 'POST').length, 0);
  await page.reload();
  await fill(page);
  await page.click('#pay');
  await page.waitForFunction(`document.querySelector('#answer').textContent.length > 10`);
  assert.equal(await page.$eval('#pay', (one) => (one as unknown as { disabled: boolean }).disabled), false);
  await lookAt(page, 'link-declined');
});

test('two tabs and double clicks make one payment', { skip }, async () => {
  const first = await open(200);
  const second = await openAt(first.path);
  for (const { page } of [first, second]) await fill(page);
  const click = `document.querySelector('#pay').click(), document.querySelector('#pay').click()`;
  await Promise.all([first.page.evaluate(click), second.page.evaluate(click)]);
  await Promise.all([paid(first.page), paid(second.page)]);
  const charges = await service.auditor.query('select 1 from transactions where amount = 20000');
  assert.equal(charges.length, 1);
});

test('a buyer has a Pix made, sees its code, and pays by card after all', { skip }, async () => {
  const { page, wrong } = await open(300);
  await page.click('[data-send="pix"]');
  await page.waitForSelector('main svg');
  await lookAt(page, 'link-pix');
  assert.match(await wordsOn(page), /Aguardando o pagamento.*Pix copia e cola, válido até \d\d:\d\d/s);
  await page.click('#copy');
  await page.waitForFunction(`/^(Código copiado|Copie)/.test(document.querySelector('#copy').textContent)`);
  await page.evaluate('getSelection().removeAllRanges()');
  await page.click('[data-send="pix/cancel"]');
  await page.waitForSelector('#card:not([hidden])');
  await fill(page);
  await page.click('#pay');
  await paid(page);
  assert.deepEqual(wrong, []);
});

test('a subscriber gives another card at his page, and cancels after he was asked once more', {
  skip,
}, async () => {
  const { recurrence } = await service.demo();
  const ask = async (path: string, options = {}) => {
    const asked = await logIn(service.gatewayUrl, recurrence);
    return (await call(service.gatewayUrl, `/v1/recurrences/${path}`, { token: asked, ...options })).body;
  };
  const plan = {
    name: 'Clube do Livro',
    description: 'Um livro',
    amount: 49.9,
    planType: 'Monthly',
    paymentMethod: 'CreditCard',
  };
  const planId = await ask('plans', { body: plan });
  const numberToken = await tokenize(service.gatewayUrl, token);
  const card = {
    numberToken,
    brand: 'mastercard',
    cardholderName: 'ANA',
    expirationMonth: '12',
    expirationYear: '39',
  };
  const { body: stored } = await call(service.gatewayUrl, '/v1/vaults/cards', { token, body: card });
  const id = await ask('subscriptions', { body: { planId, vaultId: stored.vaultId, orderNumber: 'P-1' } });
  const { url } = await ask(`subscriptions/${id}/page`, { method: 'PUT', body: { allowCancel: true } });
  const { page, sent, wrong } = await openAt(new URL(url).pathname);
  await lookAt(page, 'subscriber');
  await fill(page, '5200059000000003');
  await page.click('#pay');
  await page.waitForFunction(`document.querySelector('.notice').textContent.startsWith('Cartão atualizado')`);
  assert.match(await wordsOn(page), /final 0003/);
  assert.ok(
    sent.every((request) => !`${request.url()} ${request.postData() ?? ''}`.includes('5200059000000003')),
  );
  page.once('dialog', (dialog) => dialog.dismiss());
  await page.click('[data-send="cancel"]');
  assert.equal((await ask(`subscriptions/${id}`)).status, 'Active');
  page.once('dialog', (dialog) => dialog.accept());
  await page.click('[data-send="cancel"]');
  await page.waitForFunction(`document.querySelector('.notice').textContent.includes('cancelada')`);
  await lookAt(page, 'subscriber-canceled');
  assert.deepEqual(wrong, []);
});
