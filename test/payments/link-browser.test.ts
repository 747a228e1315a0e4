import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Frame, HTTPRequest, Page } from 'puppeteer-core';
import { DESK, lookAt, press, TestBrowser, wear, withoutChromium, wordsOn } from '../console/test-browser.ts';
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
async function fill(page: Page, number = TEST_CARD, within: Page | Frame = page): Promise<void> {
  await within.focus('#number');
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
  await page.waitForFunction(`/^(Copiado|Copie)/.test(document.querySelector('#copy').textContent)`);
  await page.evaluate('getSelection().removeAllRanges()');
  await page.click('[data-send="cancel"]');
  await page.waitForSelector('#card:not([hidden])');
  await fill(page);
  await page.click('#pay');
  await paid(page);
  assert.deepEqual(wrong, []);
});

test('a buyer has a boleto made by the keyboard alone, after the faults beside his fields, in two tabs one', {
  skip,
}, async () => {
  const { page, path, wrong } = await open(400);
  await page.focus('summary');
  await page.keyboard.press('Enter');
  await lookAt(page, 'link-boleto-form');
  const fill = async (fields: readonly string[]) => {
    await page.focus('#payer-name');
    for (const text of fields) {
      await page.keyboard.type(text);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
  };
  await fill(['Ana Souza', '529.982.247-20', '01001-000', 'SP', 'Rua das Flores', '100', '', 'Centro', '']);
  await page.waitForFunction(`document.activeElement.id === 'payer-documentNumber'`);
  assert.match(await wordsOn(page, '[id="payer-documentNumber-fault"]'), /CPF/);
  assert.match(await wordsOn(page, '[id="payer-address.city-fault"]'), /obrigatório/);
  await lookAt(page, 'link-boleto-faults');
  const second = await openAt(path);
  await page.bringToFront();
  await page.keyboard.press('End');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('5');
  await page.type('[id="payer-address.city"]', 'São Paulo');
  await page.keyboard.press('Enter');
  await page.waitForSelector('a[href$="/pdf"]');
  await lookAt(page, 'link-boleto');
  assert.match(await wordsOn(page), /Aguardando o pagamento do boleto.*Linha digitável, vencimento em/s);
  await page.click('#copy');
  await page.waitForFunction(`/^(Copiado|Copie)/.test(document.querySelector('#copy').textContent)`);
  const paper = await page.$eval('a[href$="/pdf"]', (one) => (one as unknown as { href: string }).href);
  assert.match((await fetch(paper)).headers.get('content-type') ?? '', /pdf/);
  await second.page.click('[data-send="pix"]');
  await second.page.waitForSelector('#paper');
  await page.evaluate('getSelection().removeAllRanges()');
  page.once('dialog', (dialog) => dialog.accept());
  await page.click('[data-send="cancel"]');
  await page.waitForSelector('#card:not([hidden])');
  // The refused fields are answered 400, of which browsers complain.
  assert.deepEqual(
    wrong.filter((line) => !/400/.test(line)),
    [],
  );
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

/** Both windows of a page of the shop. */
async function lookTwice(page: Page, name: string): Promise<void> {
  await lookAt(page, name);
  await wear(page, { ...DESK, window: 'desk' });
  await lookAt(page, `${name}-desk`);
  await wear(page, { ...DESK, window: 'phone' });
}

/** Gives where the book is paid. */
async function order(page: Page): Promise<string> {
  await page.goto(`${browser.origin}/demo`);
  await press(page, 'form button');
  return page.$eval('a.button', (one) => (one as unknown as { href: string }).href);
}

test('at the demo shop a book is bought by card and by Pix, and the shop is notified', { skip }, async () => {
  const { page, wrong } = await openAt('/demo');
  await lookTwice(page, 'shop-shelf');
  await page.goto(await order(page));
  await fill(page);
  await page.click('#pay');
  await paid(page);
  await press(page, 'a.button');
  assert.match(await wordsOn(page), /Pago\..* A loja conferiu a assinatura/s);
  await lookTwice(page, 'shop-paid');
  await page.goto(page.url().replace('status=Pago', 'status=Expirado'));
  assert.match(await wordsOn(page), /Pago\..*sem assinatura que valha/s);

  const payment = await order(page);
  const ordered = page.url();
  await lookTwice(page, 'shop-order');
  await page.goto(payment);
  await page.click('[data-send="pix"]');
  await page.waitForSelector('main svg');
  await page.goto(ordered);
  await press(page, 'form button');
  await paid(page);

  await page.goto(`${browser.origin}/demo/notifications`);
  const rows = `[...document.querySelectorAll('tbody tr')].map((row) => row.innerText).join()`;
  await page.waitForFunction(`/Pix.*Paga/s.test(${rows}) && /Autorizacao/.test(${rows})`);
  await lookTwice(page, 'shop-notifications');
  const shown = await page.$$eval('tbody a', (all) =>
    all.map((one) => (one as unknown as { href: string }).href),
  );
  const console = await browser.visit((await service.demo()).merchantId);
  assert.equal((await console.goto(shown[0] ?? ''))?.status(), 200);
  assert.match(await wordsOn(console), /129,90/);
  assert.deepEqual(wrong, []);
});

test('at the demo shop a card is typed into fields of ours, stored and subscribed', {
  skip,
}, async () => {
  const { page, sent, wrong } = await openAt('/demo/club');
  await page.waitForFunction(`document.querySelector('iframe')?.clientHeight > 200`);
  const frame = await (await page.$('iframe'))?.contentFrame();
  assert.ok(frame);
  await fill(page, '5200050000000309', frame);
  await page.click('form button');
  await page.waitForFunction(`document.querySelector('#fault').textContent !== ''`);
  await lookTwice(page, 'shop-club');
  await frame.$eval('#number', (field) => {
    (field as unknown as { value: string }).value = '';
  });
  // The order came with another card before, of which nothing became.
  const earlier = await page.$eval('#club', (form) => form.getAttribute('data-order'));
  const body = {
    numberToken: await tokenize(service.gatewayUrl, token),
    cardholderName: 'ANA',
    expirationMonth: '12',
    expirationYear: '39',
  };
  const headers = { 'Idempotency-Key': `card-${earlier}` };
  await call(service.gatewayUrl, '/v1/vaults/cards', { token, body, headers });
  await frame.type('#number', TEST_CARD);
  await page.click('form button');
  await page.waitForFunction(`document.querySelector('#fault').textContent.startsWith('O cartão mudou')`);
  await page.click('form button');
  await page.waitForSelector('#done a');
  await lookTwice(page, 'shop-subscribed');
  const posted = sent.filter((request) => request.method() === 'POST');
  assert.deepEqual(Object.keys(JSON.parse(posted.at(-1)?.postData() ?? '{}')), [
    ...['order', 'encryptedCard', 'brand'],
  ]);
  assert.ok(
    sent.every(
      (request) => !/5155901222280001|5200050000000309/.test(`${request.url()} ${request.postData() ?? ''}`),
    ),
  );
  await page.goto(await page.$eval('#done a', (one) => (one as unknown as { href: string }).href));
  assert.match(await wordsOn(page), /Clube do Livro da Loja.*49,90/s);
  // A decline is answered 402, and another card 409, of which browsers complain.
  assert.deepEqual(
    wrong.filter((line) => !/40[29]/.test(line)),
    [],
  );
});

test('a stranger orders so much at the demo shop and no more, and tells it no lies', { skip }, async () => {
  const post = (path: string, type: string, body: string) =>
    fetch(`${service.gatewayUrl}/demo${path}`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
      redirect: 'manual',
    });
  const forged = await post('/notifications', 'application/json', '{"movementId":1,"type":"Pix"}');
  assert.equal(forged.status, 400);
  const many = Array.from({ length: 60 }, () =>
    post('/orders', 'application/x-www-form-urlencoded', 'order=1'),
  );
  const slowed = (await Promise.all(many)).filter(({ status }) => status === 429);
  assert.ok(slowed.length > 0 && slowed.length < many.length);
  assert.ok(Number(slowed[0]?.headers.get('retry-after')) > 0);
});
