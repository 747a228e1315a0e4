import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addDays, instant, saoPauloDay } from '../../src/values/instant.ts';
import { call, logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService } from '../kit/service.ts';
import { type MerchantThings, makeThings } from './merchant-things.ts';
import { hiddenFields, type Shown, signedIn, type Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let things: MerchantThings;
let token: string;
let support: Visitor;
let home: string;
let tools: string;
before(async () => {
  service = await openTestService();
  const demo = await service.demo();
  token = await logIn(service.gatewayUrl, demo.gateway);
  things = await makeThings(service);
  support = await signedIn(service, 'support', demo.merchantId);
  home = `/console/merchants/${demo.merchantId}`;
  tools = `${home}/homologation`;
});
after(() => service?.close());

async function words(path: string, visitor = support): Promise<string> {
  const { status, text } = await visitor.turnTo(path);
  assert.equal(status, 200, `${path}: ${text}`);
  return wordsOf(text);
}

/** Presses the first button of a page that leads there, and gives where it leads. */
async function press(page: string, action: string, fields: Record<string, string> = {}): Promise<string> {
  const sent = await support.send(page, action, fields);
  assert.equal(sent.status, 303, wordsOf(sent.text));
  return sent.headers.get('location') ?? '';
}

const clockNow = async () =>
  Date.parse((await call(service.gatewayUrl, '/homologation/clock', { token })).body.now);

test('the clock says where it stands and what comes next, and is moved by a button', async () => {
  await pay(service.gatewayUrl, token, 5_000);
  const page = await words(tools);
  for (const expected of ['Relógio em', 'A adquirente paga', 'Uma cobrança é feita', 'Um boleto vence'])
    assert.ok(page.includes(expected), `${expected}: ${page}`);
  const before = await clockNow();
  const led = await press(tools, `${tools}/clock`, { advanceDays: '7' });
  assert.match(await words(led), /O relógio avançou/);
  assert.ok((await clockNow()) - before >= 7 * 86_400_000);
});

test('where the clock of a merchant stands is the today of its pages', async () => {
  const { reply } = await pay(service.gatewayUrl, token, 6_000, { referenceTransaction: 'ADIANTE-1' });
  assert.equal(reply.status, 200, reply.text);
  assert.match(await words(`${home}/payments`), /ADIANTE-1/);
  assert.match(await words(`${home}/notifications/deliveries`), /Teste/);
  const today = saoPauloDay(instant(Date.now()));
  const day = addDays(today, 7);
  const charts = await words(`${home}/charts?from=${day}&to=${day}`);
  assert.match(charts, /Vendido R\$ 60,00/);
  const real = today.split('-').reverse().join('/');
  assert.ok(charts.includes(`Entregas ${real} a ${real} horário real`), charts);
  assert.ok(!charts.includes('Nada foi enviado nestes dias'), charts);
});

test('a clock goes no way back, and a page says so in the words of the API', async () => {
  const sent = await support.send(tools, `${tools}/clock`, { to: '2020-01-01' });
  assert.deepEqual([sent.status, /role="alert"/.test(sent.text)], [400, true]);
});

test('a trial card is paid with by a button, and a number of a card is never sent', async () => {
  const page = await support.turnTo(`${tools}/cards`);
  assert.ok(page.text.includes('<code class="copy">4000050000000114</code>'));
  assert.ok(!/<input[^>]*value="\d{13,}"/.test(page.text));
  const declined = await press(`${tools}/cards`, `${tools}/cards/pay`, { card: 'visa-declines-1' });
  assert.match(await words(declined), /R\$ 129,90 Negada .*Visa •••• 0114/);
  const approved = await press(`${tools}/cards`, `${tools}/cards/pay`, { card: 'visa-declines-1' });
  assert.match(await words(approved), /R\$ 129,90 Autorizada/);
  const unknown = await support.send(`${tools}/cards`, `${tools}/cards/pay`, { card: '4000050000000114' });
  assert.equal(unknown.status, 400);
});

test('what the acquirer answers next is said on a page, waits there, and is ended there', async () => {
  const page = `${tools}/acquirer`;
  assert.match(await words(page), /Nada programado\./);
  await press(page, `${page}/charges`, { answer: 'funds', times: '2' });
  await press(page, `${page}/charges`, { answer: 'silent', times: '1' });
  await press(page, `${page}/cancels`, { fails: 'yes', afterDays: '3' });
  const waiting = await words(page);
  assert.match(
    waiting,
    /1 Cobrança Nega: sem saldo \(51\) 2 Cobrança Nega: sem saldo \(51\) 3 Cobrança Não responde/,
  );
  assert.match(waiting, /Aceita, e recusa depois de 3 dias/);
  assert.equal((await pay(service.gatewayUrl, token, 5_000)).reply.status, 402);
  assert.doesNotMatch(await words(page), /3 Cobrança/);
  await press(page, `${page}/end`);
  assert.match(await words(page), /Nada programado\./);
  const wrong = await support.send(page, `${page}/charges`, { answer: 'constructor', times: '1' });
  assert.equal(wrong.status, 400);
});

test('an installment is paid, and a part of it taken back, on the page of its payment', async () => {
  const { reply } = await pay(service.gatewayUrl, token, 9_000);
  const page = `${home}/payments/${reply.body.paymentAuthorization.paymentId}`;
  const { text } = await support.turnTo(page);
  assert.ok(text.includes(`/homologation/transactions/${reply.body.paymentAuthorization.paymentId}/events`));
  const paid = await press(page, `${page}/happen`, { type: 'settle', installmentNumber: '1' });
  assert.match(await words(paid), /R\$ 90,00 Paga/);
  await press(page, `${page}/happen`, { type: 'chargeback', installmentNumber: '1', amount: '30,00' });
  assert.match(await words(page), /Estornado R\$ 30,00/);
  const again = await support.send(page, `${page}/happen`, { type: 'settle', installmentNumber: '1' });
  assert.equal(again.status, 409);
});

test('a boleto is paid on its page', async () => {
  const page = `${home}/boletos/${things.boletoId}`;
  const paid = await press(page, `${page}/happen`, { type: 'paid' });
  assert.match(await words(paid), /Pago/);
});

test('the day of the next charge comes on the page of a billing, with the answer that was chosen', async () => {
  const page = `${home}/billings/${things.billingId}`;
  const { text } = await support.turnTo(page);
  const fields = hiddenFields(text, `${page}/happen`);
  assert.match(fields.to ?? '', /^\d{4}-\d\d-\d\d$/);
  const before = (await words(page)).match(/Cobrada/g)?.length ?? 0;
  const led = await press(page, `${page}/happen`, { answer: 'lost' });
  const after = (await words(led)).match(/Cobrada/g)?.length ?? 0;
  assert.equal(after, before + 1);
});

test('files of acquirer and bank are saved from the page, and a day that is not over is refused there', async () => {
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const file = await support.turnTo(`${tools}/acquirer/file?format=adiq&day=${day}`);
  assert.match(file.headers.get('content-disposition') ?? '', /^attachment; filename="acquirer-\d{8}\.txt"$/);
  const bank = await support.turnTo(`${tools}/acquirer/return-file?day=${day}`);
  assert.match(bank.headers.get('content-disposition') ?? '', /^attachment; filename="CB\d{8}\.RET"$/);
  const early = await support.turnTo(`${tools}/acquirer/file?format=adiq&day=2099-01-01`);
  assert.match(early.text, /role="alert"/);
});

test('who may look only is offered nothing to try, and may not', async () => {
  const viewer = await signedIn(service, 'viewer', (await service.demo()).merchantId);
  for (const path of [tools, `${tools}/cards`, `${tools}/acquirer`, `${home}/boletos/${things.boletoId}`]) {
    const shown: Shown = await viewer.turnTo(path);
    assert.ok(!/<form [^>]*action="[^"]*\/(?:clock|pay|charges|cancels|end|happen)"/.test(shown.text), path);
  }
});
