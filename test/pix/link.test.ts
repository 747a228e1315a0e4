import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { type Link, linksOf } from '../payments/linked.ts';
import { ledger, openPixShop, order, type PixShop, pay, read, script } from './pix-service.ts';

let shop: PixShop;
let links: ReturnType<typeof linksOf>;

before(async () => {
  shop = await openPixShop();
  links = linksOf(shop);
});
after(() => shop?.service.close());

const byPix = (link: Link) => links.post(link, 'pix');
const otherwise = (link: Link) => links.post(link, 'cancel');
const newLink = () => links.newLink();
const statusOf = async (link: Link) => (await links.read(link)).status;

/** What the page shows to copy; null: no code. */
async function codeOf(link: Link): Promise<string | null> {
  return /<span class="copy">([^<]+)<\/span>/.exec(await links.show(link))?.[1] ?? null;
}

async function txidOf(code: string | null): Promise<string> {
  const charges = await ledger(shop, 'charges');
  const found = charges.find(({ pixCopiaECola }) => pixCopiaECola === code);
  assert.ok(found, `no charge has the code ${code}: ${JSON.stringify(charges[0])}`);
  return found.txid as string;
}

test('a link is paid by the Pix that its page shows, and by nothing beside it', async () => {
  const link = await newLink();
  assert.match(await links.show(link), /Pague com Pix, cartão de crédito ou boleto[\s\S]*Pagar com Pix/);
  const answers = await Promise.all(Array.from({ length: 4 }, () => byPix(link)));
  assert.deepEqual(answers.map(({ body }) => body.status).sort(), [...Array(3).fill('notOpen'), 'waiting']);
  assert.equal(await statusOf(link), 'Processando');
  const page = await links.show(link);
  assert.match(page, /Aguardando o pagamento[\s\S]*<svg/);
  assert.match(page, /"refreshSeconds":5/);
  assert.doesNotMatch(page, /<form/);
  assert.equal((await links.byCard(link)).body.status, 'notOpen');
  const code = await codeOf(link);
  await pay(shop, await txidOf(code));
  await until('the page shows that it is paid', async () => /Pago\. Obrigado/.test(await links.show(link)));
  const { status, paymentId } = (await links.api(`information?id=${link.id}`)).body;
  assert.equal(status, 'Pago');
  const { body } = await read(shop, paymentId);
  assert.deepEqual(
    [body.method, body.statusDescription, body.paidAmount, body.referenceTransaction, body.linkId],
    ['pix', 'Paga', 14_990, 'PEDIDO-1001', link.id],
  );
  const late = (await otherwise(link)).body.status;
  assert.ok(['paid', 'notOpen'].includes(late), 'the work may not have seen it yet');
  const refunds = await shop.service.auditor.query('select 1 from pix_refunds');
  assert.deepEqual(refunds, [], 'what was paid is not given back');
  const [{ endToEndId }] = body.payments;
  await order(shop, 'taken-back', { endToEndId, natureza: 'MED_FRAUDE', amount: '40.00' });
  const takenBack = await until('the link says what its bank took back', async () => {
    await shop.service.auditor.query('update pix_return_cursors set due_at = now()');
    const found = await links.read(link);
    return found.returnedValue > 0 && found;
  });
  assert.deepEqual(
    [takenBack.status, takenBack.receivedValue, takenBack.returnedValue, takenBack.bills[0].isToResolve],
    ['Pago', 149.9, 40, true],
  );
});

test('who pays otherwise has the Pix taken away first, and one that was paid meanwhile pays the link', async () => {
  const link = await newLink();
  assert.equal((await byPix(link)).body.status, 'waiting');
  const txid = await txidOf(await codeOf(link));
  assert.equal((await otherwise(link)).body.status, 'removed');
  const gone = (await ledger(shop, 'charges')).find((one) => one.txid === txid);
  assert.equal(gone?.status, 'REMOVIDA_PELO_USUARIO_RECEBEDOR');
  assert.equal((await links.byCard(link)).body.status, 'paid');
  const other = await newLink();
  assert.equal((await byPix(other)).body.status, 'waiting');
  await pay(shop, await txidOf(await codeOf(other)));
  assert.notEqual((await otherwise(other)).body.status, 'removed');
  await links.untilLink(other, 'Pago');
});

test('a bank that does not find the Pix of a link opens no link: its code may still be paid', async () => {
  const link = await newLink();
  assert.equal((await byPix(link)).body.status, 'waiting');
  const missing = Array.from({ length: 6 }, () => ({ fault: 'notFound' }));
  for (const on of ['PATCH /cob', 'GET /cob']) await script(shop, on, ...missing);
  assert.equal((await otherwise(link)).body.status, 'confirming');
  assert.equal((await links.byCard(link)).body.status, 'notOpen');
  assert.equal(await statusOf(link), 'Processando');
  for (const on of ['PATCH /cob', 'GET /cob']) await script(shop, on);
  await links.untilLink(link, 'Aberto');
});

test('what its bank does not make leaves the link open, and what it does not answer leaves it closed', async () => {
  const link = await newLink();
  await script(shop, 'PUT /cob', { problem: 'CobOperacaoInvalida' });
  const refused = await byPix(link);
  assert.equal(refused.body.status, 'declined');
  assert.match(refused.body.message, /Não foi possível criar o Pix/);
  assert.equal(await statusOf(link), 'Aberto');
  await script(shop, 'PUT /cob', { fault: 'booksButUnavailable' });
  const unknown = await byPix(link);
  assert.ok(['confirming', 'waiting'].includes(unknown.body.status), unknown.text);
  assert.equal((await links.byCard(link)).body.status, 'notOpen');
  await until('its code is shown', async () => (await codeOf(link)) !== null);
  await pay(shop, await txidOf(await codeOf(link)));
  await links.untilLink(link, 'Pago');
});

test('a Pix that nobody pays opens the link again, and the merchant disables one that waits', async () => {
  const link = await newLink();
  assert.equal((await byPix(link)).body.status, 'waiting');
  const waiting = await newLink();
  assert.equal((await byPix(waiting)).body.status, 'waiting');
  const code = await codeOf(waiting);
  const disabled = await links.api(`disable?id=${waiting.id}&reason=Engano`, { method: 'POST' });
  assert.deepEqual([disabled.status, disabled.body.status], [200, 'Desativado'], disabled.text);
  const charges = await ledger(shop, 'charges');
  const atBank = charges.find(({ pixCopiaECola }) => pixCopiaECola === code);
  assert.equal(atBank?.status, 'REMOVIDA_PELO_USUARIO_RECEBEDOR');
  const jump = await call(shop.url, '/homologation/clock', { token: shop.token, body: { advanceDays: 1 } });
  assert.equal(jump.status, 200, jump.text);
  await links.untilLink(link, 'Aberto');
  assert.equal((await links.byCard(link)).body.status, 'paid');
});
