import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import { instant, saoPauloDay } from '../../src/values/instant.ts';
import { call, encryptCard, logIn, type Reply, TEST_CARD } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { newOrder, openResolvingService } from './resolving-service.ts';

const service = await openResolvingService(1_000);
const { bridge, token, auditor, simulatorUrl } = service;
beforeEach(() => {
  bridge.spoil(null);
  bridge.release();
});
after(() => service.close());

const { gatewayUrl } = service;
const api = (path: string, options = {}) =>
  call(gatewayUrl, `/v1/paymentlink/${path}`, { token, ...options });

type Made = { readonly id: string; readonly page: string; readonly order: string };

async function newLink(change: Readonly<Record<string, unknown>> = {}): Promise<Made> {
  const order = newOrder();
  const body = {
    description: 'Um <livro>',
    value: 100,
    qttyInstallments: 3,
    referenceTransaction: order,
    ...change,
  };
  const reply = await api('new', { body });
  assert.equal(reply.status, 200, reply.text);
  assert.ok(reply.body.url.startsWith(`${gatewayUrl}/pay/`), reply.body.url);
  return { id: reply.body.id, page: new URL(reply.body.url).pathname, order };
}

const show = ({ page }: Made) => call(gatewayUrl, page);
const statusOf = async ({ id }: Made) => (await api(`information?id=${id}`)).body;

/** Encrypts a card as the page does, with what the page was given. */
async function sealed(link: Made, cardNumber = TEST_CARD, securityCode = '123'): Promise<string> {
  const { text } = await show(link);
  const given = JSON.parse(
    /<script type="application\/json" id="given">(.*?)<\/script>/.exec(text)?.[1] ?? '',
  );
  const card = { cardNumber, cardholderName: 'ANA SOUZA', expirationMonth: '12', expirationYear: '39' };
  return encryptCard(given.key, {
    ...card,
    ...(securityCode === '' ? {} : { securityCode }),
    merchantId: given.merchantId,
    createdAt: given.now,
  });
}

async function pay(link: Made, encryptedCard: string, installments = 1, url = gatewayUrl): Promise<Reply> {
  return call(url, `${link.page}/card`, { body: { encryptedCard, installments } });
}

/** What the acquirer's own books say of all that was charged for the link. */
async function booked({ order }: Made): Promise<string[]> {
  const rows = await auditor.query(
    'select transaction_id as id from transactions where reference_transaction = $1',
    [order],
  );
  const ledgers = rows.map(async ({ id }) => {
    const query = new URLSearchParams({ merchantId: service.merchantId, reference: id as string });
    const { items } = (await (await fetch(`${simulatorUrl}/ledger?${query}`)).json()) as {
      items: { status: string }[];
    };
    return items.map(({ status }) => status);
  });
  return (await Promise.all(ledgers)).flat();
}

test('a link is paid once, in the installments that the buyer chose, however often he clicks', async () => {
  const link = await newLink({ urlReturn: 'https://loja.example.com/obrigado?a=1' });
  assert.match((await show(link)).text, /Um &lt;livro&gt;[\s\S]*3x de R\$ 33,33 \(a primeira de R\$ 33,34\)/);
  assert.equal((await statusOf(link)).status, 'Aberto');
  const cards = await Promise.all(Array.from({ length: 6 }, () => sealed(link)));
  const answers = await Promise.all(cards.map((card) => pay(link, card, 3)));
  const statuses = answers.map(({ body }) => body.status).sort();
  assert.deepEqual(statuses, [...Array(5).fill('notOpen'), 'paid']);
  assert.deepEqual(await booked(link), ['approved']);
  const { status, paymentId } = await statusOf(link);
  assert.equal(status, 'Pago');
  const payment = await call(gatewayUrl, `/v1/payments/${paymentId}`, { token });
  assert.equal(payment.body.value, 10_000);
  assert.equal(payment.body.installments.length, 3);
  const page = await show(link);
  assert.match(page.text, /Pago\. Obrigado\./);
  assert.doesNotMatch(page.text, /<form/);
  assert.equal((await pay(link, await sealed(link))).body.status, 'notOpen');
});

test('the way back to the shop says what was paid, signed like a notification', async () => {
  const urlReturn = 'https://loja.example.com/obrigado?a=1';
  const link = await newLink({ urlReturn });
  const secret = await secretOf(await accountOf());
  assert.doesNotMatch((await show(link)).text, /class="button"/, 'nothing is over yet');
  assert.equal((await pay(link, await sealed(link))).body.status, 'paid');
  const address =
    /class="button" href="([^"]+)"/.exec((await show(link)).text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  assert.ok(address.startsWith(`${urlReturn}&`), address);
  const fields = Object.fromEntries(new URL(address).searchParams);
  const { paymentId } = await statusOf(link);
  assert.deepEqual(
    [fields.linkId, fields.status, fields.paymentId, fields.referenceTransaction, fields.a],
    [link.id, 'Pago', paymentId, link.order, '1'],
  );
  const text = `${link.id}.${fields.timestamp}.Pago.${paymentId}.${link.order}`;
  const signature = createHmac('sha256', secret).update(text).digest('base64');
  assert.equal(fields.signature, `v1,${signature}`);
});

test('a card without its security code is not asked', async () => {
  const link = await newLink();
  const { body } = await pay(link, await sealed(link, TEST_CARD, ''));
  assert.deepEqual([body.status, body.message], ['declined', 'Confira o código de segurança do cartão.']);
  assert.deepEqual(await booked(link), []);
  assert.equal((await pay(link, await sealed(link))).body.status, 'paid');
});

test('a link that was made is answered again with its key, also when its last day is over', async () => {
  const expirationDate = saoPauloDay(instant(Date.now()));
  const body = { description: 'Hoje', value: 10, expirationDate };
  const headers = { 'idempotency-key': newOrder() };
  const first = await api('new', { body, headers });
  assert.equal(first.status, 200, first.text);
  const moved = await call(gatewayUrl, '/homologation/clock', { token, body: { advanceDays: 2 } });
  assert.equal(moved.status, 200, moved.text);
  const again = await api('new', { body, headers });
  assert.deepEqual([again.status, again.body.id], [200, first.body.id], again.text);
  assert.equal((await api('new', { body })).status, 400);
});

async function accountOf(): Promise<string> {
  const [account] = await auditor.query('select account_number as number from accounts limit 1');
  return account?.number as string;
}

async function secretOf(accountNumber: string): Promise<Buffer> {
  const { integrationUrl, integration } = service;
  const login = await logIn(integrationUrl, integration, '/api/authentication/login');
  const path = `/api/webhooks/secret?accountNumber=${accountNumber}`;
  const reply = await call(integrationUrl, path, { token: login, method: 'POST' });
  return Buffer.from(reply.body.secret.slice('whsec_'.length), 'base64');
}

test('a declined card leaves the link open, with a sentence for the buyer', async () => {
  const link = await newLink({ value: 10.51 });
  const declined = await pay(link, await sealed(link));
  assert.equal(declined.body.status, 'declined');
  assert.ok(declined.body.message.length > 10, declined.text);
  assert.equal((await statusOf(link)).status, 'Aberto');
  assert.equal((await pay(link, 'AAAA')).status, 400, 'too short for a card that was encrypted');
  const unreadable = await pay(link, 'AAAA'.repeat(128));
  assert.equal(unreadable.body.status, 'declined');
  assert.match(unreadable.body.message, /Atualize a página/);
  const [row] = await auditor.query('select tries from payment_links where link_id = $1', [link.id]);
  assert.equal(row?.tries, 1, 'what nobody can read uses no try up');
  assert.equal((await pay(link, await sealed(link), 2)).body.status, 'declined');
  assert.ok(!(await booked(link)).includes('approved'));
});

test('while the outcome is not known nobody pays again; once it is, the page takes another card', async () => {
  const link = await newLink();
  bridge.spoil(({ kind }) =>
    kind === 'authorization' ? 'garbage' : kind === 'find' || kind === 'undo' ? 'hold' : null,
  );
  assert.equal((await pay(link, await sealed(link))).body.status, 'confirming');
  assert.equal((await statusOf(link)).status, 'Processando');
  const page = await show(link);
  assert.match(page.text, /sendo confirmado[\s\S]*/);
  assert.match(page.text, /"refreshSeconds":5/);
  assert.equal((await pay(link, await sealed(link))).body.status, 'notOpen');
  const disabled = await api(`disable?id=${link.id}&reason=Teste`, { method: 'POST' });
  assert.equal(disabled.status, 409);
  bridge.spoil(null);
  bridge.release();
  await until('the link is open again', async () => (await statusOf(link)).status === 'Aberto');
  assert.equal((await pay(link, await sealed(link))).body.status, 'paid');
  assert.equal((await booked(link)).filter((status) => status === 'approved').length, 1);
});

test('a link is created once by its key, refuses what is not sound, and is disabled with a reason', async () => {
  const body = { description: 'Um livro', value: 10 };
  const headers = { 'idempotency-key': randomUUID() };
  const first = await api('new', { body, headers });
  const again = await api('new', { body, headers });
  assert.deepEqual(again.body, first.body);
  const wrong = await api('new', {
    body: {
      description: ' ',
      value: 0,
      qttyInstallments: 13,
      expirationDate: '2020-01-01',
      urlReturn: 'ftp://x',
    },
  });
  assert.equal(wrong.status, 400);
  assert.deepEqual(wrong.body.map(({ tag }: { tag: string }) => tag).sort(), [
    'description',
    'expirationDate',
    'qttyInstallments',
    'urlReturn',
    'value',
  ]);
  const { id } = first.body;
  const disabled = await api(`disable?id=${id}&reason=Engano`, { method: 'POST' });
  assert.deepEqual([disabled.body.status, disabled.body.reason], ['Desativado', 'Engano']);
  assert.equal((await api(`disable?id=${id}&reason=Outro`, { method: 'POST' })).body.reason, 'Engano');
  const link = { id, page: new URL(first.body.url).pathname, order: '' };
  assert.match((await show(link)).text, /não está mais ativo/);
  assert.equal((await api('list?status=Desativado')).body.items[0].id, id);
  assert.equal((await api(`information?id=${randomUUID()}`)).status, 404);
  assert.equal((await call(gatewayUrl, `/pay/${'0'.repeat(32)}`)).status, 404);
});

test('a process that is killed while the acquirer answers leaves no second charge', async () => {
  const link = await newLink();
  const card = await sealed(link);
  bridge.spoil(({ kind }) => (kind === 'authorization' ? 'holdAnswer' : null));
  const killed = await service.ownProcess();
  const lost = pay(link, card, 1, killed.gatewayUrl).catch(() => null);
  await until('the acquirer has the charge', async () => bridge.held() === 1);
  await killed.kill();
  assert.equal(await lost, null);
  bridge.spoil(null);
  bridge.release();
  await until('the link is open again', async () => (await statusOf(link)).status === 'Aberto');
  assert.equal((await pay(link, await sealed(link))).body.status, 'paid');
  assert.equal((await booked(link)).filter((status) => status === 'approved').length, 1);
});

test('card fields stand on origins as browsers name them, and on nothing that is more in their policy', async () => {
  const put = (origins: readonly string[]) =>
    call(gatewayUrl, '/v1/cards/fields', { token, method: 'PUT', body: { origins } });
  const wrong = [
    ...['https://*', 'https://*.com', 'https://a;b', 'https://a;report-uri', 'https://a,b', "https://'self'"],
    ...[
      'https://a..b',
      'https://a.',
      'https://a:0',
      'https://a:443',
      'https://a/',
      'https://a/b',
      'https://a b',
    ],
    ...['https://A.com', 'https://café.com', 'https://[::1]', 'https://a@b.com', 'ftp://a.com', 'null', '*'],
  ];
  for (const one of wrong) {
    const { status, body } = await put(['https://loja.com.br', one]);
    assert.deepEqual([status, body[0]?.tag.slice(0, 7)], [400, 'origins'], one);
  }
  const right = ['https://loja.com.br', 'https://xn--caf-dma.com:8443', 'http://127.0.0.1:8080'];
  const { status, body, text } = await put(right);
  assert.equal(status, 200, text);
  const policy = (await fetch(`${gatewayUrl}/fields/${body.key}`)).headers.get('content-security-policy');
  const script = await fetch(`${gatewayUrl}/fields.js`);
  assert.ok((await script.arrayBuffer()).byteLength < 10_240);
  assert.ok(policy?.includes(`; frame-ancestors ${right.join(' ')}; base-uri 'none'`), policy ?? '');
});
