import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { STATUS_BILL } from '../../src/transactions/methods/boleto/bill-status.ts';
import { call } from '../kit/merchant.ts';
import {
  type BoletoShop,
  boletoRequest,
  cancel,
  force,
  issue,
  openBoletoShop,
  untilStatus,
} from './boleto-service.ts';
import { scannedPage, scannedPdf } from './scanner.ts';

let shop: BoletoShop;
before(async () => {
  shop = await openBoletoShop();
});
after(() => shop.service.close());

async function issued(value: number) {
  const payer = { ...(boletoRequest().payer as object), name: 'João Araújo <filho>' };
  const reply = await issue(shop, { value, payer, instructions: ['Dúvidas: (21) 5555-0100'] });
  assert.equal(reply.status, 200, reply.text);
  return reply.body as Record<'id' | 'url' | 'barCode' | 'digitableLine' | 'ourNumber', string>;
}

/** As a payer opens it: without a token, under the address that the merchant was given. */
function open(address: string, method = 'GET') {
  const { origin, pathname } = new URL(address);
  return call(origin, pathname, { method });
}

test('a payer opens the page and the PDF of a boleto, and both say its bar code', async () => {
  const boleto = await issued(1234.56);
  assert.ok(boleto.url.startsWith(`${new URL(shop.url).origin}/boletos/`), boleto.url);
  const page = await open(boleto.url);
  assert.equal(page.status, 200);
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(scannedPage(page.text), boleto.barCode);
  assert.equal(page.text.replace(/[. ]/g, '').includes(boleto.digitableLine), true);
  for (const words of [
    'R$ 1.234,56',
    'João Araújo &lt;filho&gt;',
    'PEDIDO-1001',
    'Dúvidas: (21) 5555-0100',
  ]) {
    assert.ok(page.text.includes(words), words);
  }
  const link = /<a href="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const pdf = await open(new URL(link, boleto.url).href);
  assert.equal(pdf.status, 200);
  assert.equal(pdf.headers.get('content-type'), 'application/pdf');
  assert.equal(pdf.headers.get('content-disposition'), `inline; filename="boleto-${boleto.ourNumber}.pdf"`);
  assert.equal(scannedPdf(pdf.text), boleto.barCode);
});

test('a stranger who asks for many pages at once waits by himself, and a payer elsewhere is shown his', async () => {
  const { url } = await issued(11);
  const { origin } = new URL(url);
  const madeUp = (index: number) => `${origin}/boletos/${String(index).padStart(32, '0')}`;
  const flood = Array.from({ length: 150 }, (_, index) => statusFrom('127.0.0.9', madeUp(index)));
  const shown = await Promise.all(Array.from({ length: 5 }, () => statusFrom('127.0.0.8', url)));
  assert.deepEqual(shown, [200, 200, 200, 200, 200]);
  const statuses = await Promise.all(flood);
  assert.ok(
    statuses.every((status) => status === 404 || status === 429),
    statuses.join(),
  );
  const refused = statuses.filter((status) => status === 429).length;
  assert.ok(refused > 0, 'none was told to come later');
});

function statusFrom(localAddress: string, url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { localAddress, agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    asking.once('error', reject);
    asking.end();
  });
}

test('nothing keeps a page, finds it, or runs in it', async () => {
  const { url } = await issued(10);
  for (const address of [url, `${url}/pdf`]) {
    for (const method of ['GET', 'HEAD']) {
      const { headers } = await open(address, method);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-robots-tag'), 'noindex, nofollow');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
    }
  }
  const policy = (await open(url)).headers.get('content-security-policy') ?? '';
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; frame-ancestors 'none';/);
});

test('a boleto that was paid or canceled says so, and shows nothing to pay', async () => {
  const paid = await issued(50);
  await force(shop, paid.id, { type: 'paid', amount: 5_100 });
  await untilStatus(shop, paid.id, STATUS_BILL.paid);
  const canceled = await issued(50);
  const reply = await cancel(shop, canceled.id);
  assert.equal(reply.status, 200, reply.text);
  for (const [boleto, words] of [
    [paid, /foi pago em \d\d\/\d\d\/\d{4}: R\$ 51,00/],
    [canceled, /foi cancelado/],
  ] as const) {
    const page = await open(boleto.url);
    assert.equal(page.status, 200);
    assert.match(page.text, words);
    assert.equal(scannedPage(page.text), null);
    assert.ok(!page.text.replace(/[. ]/g, '').includes(boleto.digitableLine));
    const pdf = await open(`${boleto.url}/pdf`);
    assert.match(pdf.text, words);
    assert.equal(scannedPdf(pdf.text), null);
  }
});

test('a key that nobody was given is a page that says so', async () => {
  const { url, id } = await issued(10);
  const keys = [
    '0'.repeat(32),
    `${url.slice(-32, -1)}g`,
    url.slice(-32).toUpperCase(),
    id,
    'x'.repeat(8_000),
  ];
  for (const key of [...keys, '%00', '%27%20or%201=1']) {
    for (const path of [`/boletos/${key}`, `/boletos/${key}/pdf`]) {
      const reply = await call(shop.url, path);
      assert.equal(reply.status, 404, path.slice(0, 80));
      assert.match(reply.text, /Boleto não encontrado/);
      assert.equal(reply.headers.get('cache-control'), 'no-store');
    }
  }
});
