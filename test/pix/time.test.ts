import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import {
  charge,
  exceptionsOf,
  inDays,
  ledger,
  movementsOf,
  openPixShop,
  type PixShop,
  pay,
  read,
  untilStatus,
} from './pix-service.ts';

let shop: PixShop;

before(async () => {
  shop = await openPixShop();
});
after(() => shop?.service.close());

const page = (address: string) => fetch(address.replace(/^https?:\/\/[^/]+/, shop.url));

test('a payer sees the QR code until it is paid, and then that it is paid', async () => {
  const { paymentId, txid, url, qrCodeUrl, pixEmv } = (await charge(shop)).body;
  const shown = await page(url);
  const text = await shown.text();
  assert.ok(text.includes(pixEmv) && text.includes('http-equiv="refresh"'));
  assert.match(shown.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  const png = await page(qrCodeUrl);
  assert.deepEqual([png.status, png.headers.get('content-type')], [200, 'image/png']);
  assert.equal((await page(qrCodeUrl.replace('.png', '.svg'))).headers.get('content-type'), 'image/svg+xml');
  await pay(shop, txid);
  await untilStatus(shop, paymentId, 'Paga');
  const paid = await (await page(url)).text();
  assert.ok(/Paga em/.test(paid) && !paid.includes(pixEmv) && !paid.includes('http-equiv="refresh"'));
  assert.equal((await page(qrCodeUrl)).status, 404);
  assert.equal((await page(`${url.slice(0, -2)}00`)).status, 404);
});

test('who has paid, as the bank says, is not told to ask for a new Pix when its time is over', async () => {
  const { paymentId, url } = (await charge(shop)).body;
  const { auditor } = shop.service;
  const hasNoCode = "pix_emv = null, expires_at = now() - interval '1 hour'";
  for (const state of [
    'acts_at = acts_at',
    "state = 'removing', acts_at = null, due_at = now() + interval '1 hour'",
  ]) {
    await auditor.query(`update pix_charges set ${hasNoCode}, ${state} where pix_id = $1`, [paymentId]);
    const shown = await (await page(url)).text();
    assert.ok(/O banco está confirmando/.test(shown) && shown.includes('http-equiv="refresh"'), state);
  }
});

test('with a due day it costs fine and interest after it, and needs its payer', async () => {
  const due = {
    expiresInSeconds: undefined,
    dueDate: inDays(5),
    fine: { percent: 2 },
    interest: { percentPerMonth: 1 },
  };
  const lacking = await charge(shop, { ...due, payer: undefined });
  assert.deepEqual(
    [lacking.status, lacking.body.map(({ tag }: { tag: string }) => tag).sort()],
    [400, ['payer.documentNumber', 'payer.name']],
  );
  for (const dueDate of [inDays(-1), '9999-12-31'])
    assert.equal((await charge(shop, { ...due, dueDate })).body[0].tag, 'dueDate', dueDate);
  const made = await charge(shop, due);
  assert.equal(made.status, 200, made.text);
  const [atBank] = (await ledger(shop, 'charges')).filter((one) => one.txid === made.body.txid);
  assert.equal(atBank?.kind, 'cobv');
  await pay(shop, made.body.txid);
  const { body } = await untilStatus(shop, made.body.paymentId, 'Paga');
  assert.deepEqual([body.dueDate, body.paidAmount, body.payments[0].kind], [inDays(5), 14_990, 'expected']);
});

test('at its end a Pix is Expirada, unless it was paid in its last second; what comes later is an exception', async () => {
  const unpaid = (await charge(shop)).body;
  const paid = (await charge(shop)).body;
  await pay(shop, paid.txid);
  const jump = await call(shop.url, '/homologation/clock', { token: shop.token, body: { advanceDays: 1 } });
  assert.equal(jump.status, 200, jump.text);
  assert.equal((await untilStatus(shop, unpaid.paymentId, 'Expirada')).body.isPartlyReturned, false);
  await untilStatus(shop, paid.paymentId, 'Paga');
  assert.deepEqual(await movementsOf(shop, unpaid.paymentId), ['Pix >Aguardando', 'Pix Aguardando>Expirada']);
  await pay(shop, unpaid.txid, { force: true });
  const late = await until('it came late', async () => {
    const { body } = await read(shop, unpaid.paymentId);
    return body.payments.length === 1 ? body : null;
  });
  assert.deepEqual([late.statusDescription, late.payments[0].kind], ['Expirada', 'afterEnd']);
  assert.equal((await exceptionsOf(shop)).length, 1);
});
