import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { type Listener, startListener } from '../kit/listener.ts';
import { call, logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { type MerchantThings, makeThings, subscribe } from './merchant-things.ts';
import { giveBack, lookAt, press, send, TestBrowser, withoutChromium, wordsOn } from './test-browser.ts';

const skip = withoutChromium;
/** Cents. */
const SECOND_PERSON_OVER = '50000';

let service: TestService;
let shop: Listener;
let browser: TestBrowser;
let things: MerchantThings;
let token: string;
let merchantId: string;
let home: string;
before(async () => {
  if (skip !== false) return;
  service = await openTestService({ PARCELA_CONSOLE_SECOND_PERSON_OVER: SECOND_PERSON_OVER });
  const { gateway, integration, accountNumber, ...demo } = await service.demo();
  ({ merchantId } = demo);
  home = `/merchants/${merchantId}`;
  token = await logIn(service.gatewayUrl, gateway);
  things = await makeThings(service);
  shop = await startListener(200);
  const path = `/api/webhooks/subscriptions?accountNumber=${accountNumber}`;
  const registered = await call(service.integrationUrl, path, {
    token: await logIn(service.integrationUrl, integration, '/api/authentication/login'),
    body: { url: `${shop.url}/parcela` },
  });
  assert.equal(registered.status, 200, registered.text);
  browser = await TestBrowser.open(service);
});
after(async () => {
  if (skip !== false) return;
  await browser?.close();
  await service?.close();
  await shop?.close();
});

async function sold(amount: number): Promise<string> {
  const { reply } = await pay(service.gatewayUrl, token, amount);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.paymentAuthorization.paymentId as string;
}

/** The page once its words fit: what happens behind an answer appears on it a moment later. */
async function seen(page: Page, words: RegExp): Promise<void> {
  await until(`${words} is seen`, async () => {
    if (words.test(await wordsOn(page))) return true;
    await page.reload();
    return null;
  });
}

test('a part of a payment is given back, and more than was paid is not', { skip }, async () => {
  const id = await sold(30_000);
  const page = await browser.visit(merchantId, 'finance');
  await browser.goTo(page, `${home}/payments/${id}`);
  await send(page, '/give-back', { amount: '99999,00', reason: 'um engano' });
  assert.match(await wordsOn(page), /mais do que isso não volta/);
  await lookAt(page, 'action-refused');
  await send(page, '/give-back', { amount: '12,34', reason: 'cliente devolveu um item' });
  assert.match(await wordsOn(page), /Fica com você R\$ 287,66/);
  await lookAt(page, 'action-reviewed');
  await browser.goTo(page, `${home}/payments/${id}`);
  await giveBack(page, { amount: '12,34', reason: 'cliente devolveu um item' });
  assert.match(await wordsOn(page), /Solicitação aceita: veja o status do pagamento/);
  await seen(page, /R\$ 12,34 foram estornados ao cartão/);
  await lookAt(page, 'action-given-back');
  await page.browserContext().close();
});

test('what moves much waits for a second person, who approves it on a page', { skip }, async () => {
  const id = await sold(80_000);
  const asking = await browser.visit(merchantId, 'finance');
  await browser.goTo(asking, `${home}/payments/${id}`);
  await giveBack(asking, { reason: 'pedido em duplicidade' });
  assert.match(await wordsOn(asking), /aguarda a aprovação de outra/);
  await lookAt(asking, 'action-waits');
  const approving = await browser.visit(merchantId, 'finance');
  await browser.goTo(approving, `${home}/waiting`);
  await send(approving, '/approve', { reason: 'conferido com o cliente' });
  assert.match(await wordsOn(approving), /Aprovada e executada/);
  await lookAt(approving, 'action-approved');
  await asking.browserContext().close();
  await approving.browserContext().close();
});

test('a billing is charged by hand: declined in the words of the issuer, then paid', { skip }, async () => {
  const { billingId } = await subscribe(service, 10.05);
  const page = await browser.visit(merchantId, 'finance');
  await browser.goTo(page, `${home}/billings/${billingId}`);
  await send(page, '/charge', { reason: 'cliente avisou que há saldo' });
  assert.match(await wordsOn(page, '[role=alert]'), /emissor/);
  await lookAt(page, 'action-declined');
  // What the acquirer answers next is said on a page of homologation.
  await browser.goTo(page, `${home}/homologation/acquirer`);
  await send(page, '/charges', { answer: 'approved' });
  await lookAt(page, 'action-scripted');
  await browser.goTo(page, `${home}/billings/${billingId}`);
  await send(page, '/charge', { reason: 'cliente trocou o limite' });
  await seen(page, /R\$ 10,05 Paga/);
  await lookAt(page, 'action-charged');
  await page.browserContext().close();
});

test('a notification is sent again, a test is shown with its answer, a secret is shown once', {
  skip,
}, async () => {
  const id = await sold(4_990);
  const page = await browser.visit(merchantId);
  await browser.goTo(page, `${home}/payments/${id}`);
  await seen(page, /Notificação enviada Entregue/);
  const taken = shop.received.length;
  await Promise.all([page.waitForNavigation(), page.click('.timeline a')]);
  await send(page, '/resend', { reason: 'o estabelecimento perdeu a primeira' });
  assert.match(await wordsOn(page), /será enviada de novo/);
  await until('it came again', async () => shop.received.length > taken);
  await seen(page, /Entregue/);
  await lookAt(page, 'action-sent-again');
  await browser.goTo(page, `${home}/notifications`);
  await send(page, '/test', { reason: 'conferir o endereço' });
  assert.match(await wordsOn(page), /O endereço aceitou/);
  await lookAt(page, 'action-tested');
  await browser.goTo(page, `${home}/notifications`);
  await send(page, '/secret', { reason: 'troca anual' });
  const secret = await page.$eval('code.secret', (one) => one.textContent ?? '');
  assert.match(secret, /^whsec_/);
  await lookAt(page, 'action-secret');
  await browser.goTo(page, `${home}/notifications`);
  assert.ok(!(await page.content()).includes(secret));
  await page.browserContext().close();
});

test('a credential is shown once, logs in, and is disabled', { skip }, async () => {
  const page = await browser.visit(merchantId);
  await browser.goTo(page, `${home}/credentials`);
  await send(page, '/credentials/new', { userName: 'loja-nova', reason: 'nova loja' });
  const password = await page.$eval('code.secret', (one) => one.textContent ?? '');
  await lookAt(page, 'action-credential');
  await logIn(service.gatewayUrl, { userName: 'loja-nova', password });
  await browser.goTo(page, `${home}/credentials`);
  assert.ok(!(await page.content()).includes(password));
  const action = await page.$$eval('tr', (rows) =>
    rows
      .find((row) => row.textContent?.includes('loja-nova'))
      ?.querySelector('form')
      ?.getAttribute('action'),
  );
  await send(page, action ?? '', { reason: 'loja fechada' });
  await seen(page, /loja-nova .*Desativada/);
  await lookAt(page, 'action-disabled');
  const refused = await call(service.gatewayUrl, '/api/auth/token', {
    body: { userName: 'loja-nova', password },
  });
  assert.equal(refused.status, 401);
  await page.browserContext().close();
});

test('an exception is resolved, with who found out and what', { skip }, async () => {
  const id = randomUUID();
  await service.auditor.query(
    `insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, amount, expected, found, day)
     values ($1, $2, 'teste', 'feeDiffers', 'open', 100, '249', '349', '2026-12-14')`,
    [merchantId, id],
  );
  const page = await browser.newPage();
  const name = await browser.enter(page, null, 'finance');
  await browser.goTo(page, `/exceptions/${id}`);
  await send(page, '/resolve', { reason: 'tarifa nova desde dezembro' });
  assert.ok((await wordsOn(page)).includes(`user:${name}: tarifa nova desde dezembro`));
  await lookAt(page, 'action-resolved');
  await page.browserContext().close();
});

test('what can be made happen in homologation happens on the page of its thing', { skip }, async () => {
  const id = await sold(9_000);
  const page = await browser.visit(merchantId, 'support');
  await browser.goTo(page, `${home}/payments/${id}`);
  await send(page, '/happen', { type: 'settle' });
  await seen(page, /R\$ 90,00 Paga/);
  await send(page, '/happen', { type: 'chargeback', amount: '30,00' });
  await seen(page, /Chargeback da parcela 1/);
  await lookAt(page, 'action-chargeback');
  await browser.goTo(page, `${home}/boletos/${things.boletoId}`);
  await send(page, '/happen', { type: 'paid' });
  await seen(page, /R\$ 149,90 Pago/);
  await lookAt(page, 'action-boleto-paid');
  await browser.goTo(page, `${home}/homologation`);
  await send(page, '/clock');
  await seen(page, /Relógio em/);
  await lookAt(page, 'action-clock');
  await page.browserContext().close();
});

/** What stands below a step by itself once it was taken, without a look at the page anew. */
const STEPS = [
  ['pay', /R\$ 129,90 Autorizada .*Autorizacao Entregue/],
  ['store', /O cartão guardado mais novo: •••• 0001/],
  ['plan', /O plano mais novo: Clube do Livro/],
  ['subscribe', /Cobrança .*R\$ 49,90/],
  ['month', /O que o último avanço executou .*Pagamento Entregue/],
] as const;

test('first steps lead to notifications that come, each seen on the page as it happens', {
  skip,
}, async () => {
  const page = await browser.visit(merchantId, 'support');
  await browser.goTo(page, `${home}/first-steps`);
  await page.$eval('form[action$="/notify"] [name=url]', (field) => {
    (field as unknown as { value: string }).value = '';
  });
  await send(page, '/notify', { url: `${shop.url}/passos` });
  for (const [step, words] of STEPS) {
    await press(page, `form[action$="/first-steps/${step}"] button`);
    await until(`${step} is seen`, async () => {
      // The page is read again while somebody looks at it: at once when somebody comes back to it.
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      return words.test(await wordsOn(page, `#step-${step}`));
    });
  }
  assert.ok(shop.received.some(({ path }) => path === '/passos'));
  await lookAt(page, 'action-first-steps');
  await page.browserContext().close();
});
