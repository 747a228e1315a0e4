import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runCommandHere } from '../kit/command.ts';
import { keyFileIn } from '../kit/keys.ts';
import {
  databaseSettings,
  openTestService,
  startTestSimulator,
  type TestService,
  type TestSimulator,
  until,
} from '../kit/service.ts';
import { makeAuthority, makeCertificate } from '../webhooks/certificates.ts';
import { cancel, charge, movementsOf, type PixShop, pixShopAt, read, untilStatus } from './pix-service.ts';

/** Nothing is asked for by itself: what is seen, a notice brought. */
const SWEEP_SECONDS = '86400';
const HEADER = 'x-client-certificate';

const authority = makeAuthority();
const identity = () => makeCertificate({ hosts: ['127.0.0.1'], issuer: authority });
const [ofBank, ofShop] = [identity(), identity()];

let folder: string;
let bank: TestSimulator;
let bankUrl: string;
let service: TestService;
let shop: PixShop;
let settings: Record<string, string>;

type Reply = { readonly status: number; readonly body: string };

/** POST over TLS or plainly; throws where the connection is refused. */
async function post(
  url: string,
  body: string | Buffer,
  {
    headers = {},
    ...given
  }: {
    readonly headers?: Record<string, string>;
    readonly key?: string;
    readonly cert?: string;
    readonly ca?: string;
  } = {},
): Promise<Reply> {
  const options = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    agent: false,
    ...given,
  };
  const asked = url.startsWith('https:') ? requestHttps(url, options) : requestHttp(url, options);
  const answered = once(asked, 'response');
  // A body that is cut off is an error behind its answer.
  asked.on('error', () => {});
  asked.end(body);
  const [response] = await answered;
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, body: Buffer.concat(chunks).toString() };
}

const asBank = { key: ofBank.keyText, cert: ofBank.certificate, ca: authority.certificate };
const asShop = { key: ofShop.keyText, cert: ofShop.certificate, ca: authority.certificate };

async function order(path: string, body: object): Promise<Record<string, unknown>> {
  const reply = await post(
    `${bankUrl}/simulator/${path}`,
    JSON.stringify({ clientId: 'parcela', ...body }),
    asShop,
  );
  assert.ok(reply.status < 300, reply.body);
  return JSON.parse(reply.body);
}

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content, { mode: 0o600 });
  return path;
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-pix-webhook-'));
  const [authorityFile, bankKey, bankFile, shopKey, shopFile, token] = await Promise.all([
    file('authority.pem', authority.certificate),
    file('bank-key.pem', ofBank.keyText),
    file('bank.pem', ofBank.certificate),
    file('shop-key.pem', ofShop.keyText),
    file('shop.pem', ofShop.certificate),
    file('token', 'parcela:secret'),
  ]);
  const tls = ['--tls-key', bankKey, '--tls-certificate', bankFile, '--tls-authority', authorityFile];
  bank = await startTestSimulator(join(folder, 'ledger'), tls, 'pix');
  bankUrl = bank.url.replace('http:', 'https:');
  settings = {
    PARCELA_PIX_URL: `${bankUrl}/api/v2`,
    PARCELA_PIX_TOKEN_FILE: token,
    PARCELA_PIX_SETTINGS: 'key=pix@loja.example; account=12345',
    PARCELA_PIX_CA_FILE: authorityFile,
    PARCELA_PIX_CERTIFICATE_FILE: shopFile,
    PARCELA_PIX_CERTIFICATE_KEY_FILE: shopKey,
    PARCELA_PIX_CHANGES_SECONDS: SWEEP_SECONDS,
    PARCELA_PIX_WEBHOOK_PORT: '0',
    PARCELA_PIX_WEBHOOK_CA_FILE: authorityFile,
    PARCELA_PIX_WEBHOOK_CERTIFICATE_FILE: shopFile,
    PARCELA_PIX_WEBHOOK_CERTIFICATE_KEY_FILE: shopKey,
  };
  service = await openTestService(settings);
  shop = await pixShopAt(service, bankUrl);
});
after(async () => {
  await service?.close();
  await bank?.stop();
  await rm(folder, { recursive: true, force: true });
});

const address = () => service.pixWebhookUrl as string;

async function paid(): Promise<{ readonly paymentId: string }> {
  const { paymentId, txid } = (await charge(shop)).body;
  await order('payments', { txid });
  return { paymentId };
}

test('registered by a command, the bank tells of a payment, and it is seen without a sweep', async () => {
  const registered = await runCommandHere(['provider', 'webhook', '--name', 'default', '--url', address()], {
    ...databaseSettings(service.database),
    ...settings,
    PARCELA_KEY_FILE: keyFileIn(service.folder),
  });
  assert.equal(registered.code, 0, registered.said + registered.printed);
  for (const resource of ['/webhook/{chave}', '/webhookrec', '/webhookcobr'])
    assert.ok(
      registered.printed.includes(`${resource}: the bank tells at ${address()}/default`),
      registered.printed,
    );
  // The first sweep of a start is over, so that the next one is a day away.
  await until('the first sweep is over', async () => {
    const [row] = await service.auditor.query(
      "select 1 as x from pix_cursors where due_at > now() + interval '1 hour'",
    );
    return row ?? null;
  });
  const { paymentId } = await paid();
  await untilStatus(shop, paymentId, 'Paga');
});

test('a lost notice leaves it to the sweep, and one that comes twice changes nothing twice', async () => {
  await order('script', { on: 'webhook', steps: [{ fault: 'lost' }, { fault: 'repeated' }] });
  const [lost, repeated] = [await paid(), await paid()];
  // The second one's notice has the bank asked, which tells of both.
  for (const { paymentId } of [lost, repeated]) {
    const { body } = await untilStatus(shop, paymentId, 'Paga');
    assert.equal(body.payments.length, 1);
  }
});

test('what the bank gives back by itself is told, moves the status and is for a person, once', async () => {
  const takenBack = async (amount: string | null) => {
    const { paymentId } = await paid();
    const { body } = await untilStatus(shop, paymentId, 'Paga');
    const [{ endToEndId }] = body.payments;
    await order('taken-back', { endToEndId, natureza: 'MED_FRAUDE', ...(amount !== null && { amount }) });
    return { paymentId, endToEndId };
  };
  const part = await takenBack('40.00');
  const seen = await until('a part is gone', async () => {
    const { body } = await read(shop, part.paymentId);
    return body.canceledAmount > 0 ? body : null;
  });
  assert.deepEqual(
    [seen.statusDescription, seen.isPartlyReturned, seen.canceledAmount, seen.cancelingAmount],
    ['Paga', true, 4_000, 0],
  );
  assert.deepEqual((await movementsOf(shop, part.paymentId)).slice(2), ['Pix Paga>Devolvida pelo banco']);
  const beyond = await cancel(shop, part.paymentId, { amount: 12_000 });
  assert.equal(beyond.status, 409, beyond.text);
  const whole = await takenBack(null);
  await untilStatus(shop, whole.paymentId, 'Cancelada');
  assert.deepEqual((await movementsOf(shop, whole.paymentId)).slice(2), ['Pix Paga>Devolvida']);
  // A second round reports both again.
  await service.auditor.query('update pix_return_cursors set due_at = now()');
  await until('it was read again', async () => {
    const [row] = await service.auditor.query(
      "select 1 as x from pix_return_cursors where due_at > now() + interval '1 hour'",
    );
    return row ?? null;
  });
  const exceptions = await service.auditor.query(
    "select amount::int as amount, class from reconciliation_exceptions where exception_key like 'pixReturn:%' order by amount",
  );
  assert.deepEqual(exceptions, [
    { amount: 4_000, class: 'takenBack' },
    { amount: 14_990, class: 'takenBack' },
  ]);
});

test('strangers are let in by no certificate, and not by one of another authority', async () => {
  const other = makeAuthority();
  const stranger = makeCertificate({ hosts: ['127.0.0.1'], issuer: other });
  const refused = /certificate|socket hang up|ECONNRESET|EPIPE|alert/i;
  await assert.rejects(post(`${address()}/default/pix`, '{}', { ca: authority.certificate }), refused);
  const shown = { key: stranger.keyText, cert: stranger.certificate, ca: authority.certificate };
  await assert.rejects(post(`${address()}/default/pix`, '{}', shown), refused);
});

test('of a bank nothing is believed, and garbage, huge bodies and unknown addresses are refused', async () => {
  const { paymentId, txid } = (await charge(shop)).body;
  const pix = [{ endToEndId: 'E'.padEnd(32, '1'), txid, valor: '149.90', horario: new Date().toISOString() }];
  const said = await post(`${address()}/default/pix`, JSON.stringify({ pix }), asBank);
  assert.equal(said.status, 200, said.body);
  const told: readonly (readonly [string, string | Buffer, number])[] = [
    ['/default/pix', '{"pix":[{"endToEndId"', 400],
    ['/default/rec', '[]', 200],
    ['/nobody/pix', '{}', 404],
    ['/default/boleto', '{}', 404],
  ];
  for (const [path, body, status] of told)
    assert.equal((await post(address() + path, body, asBank)).status, status, path);
  const huge = post(`${address()}/default/pix`, Buffer.alloc(8 * 1024 * 1024, 0x20), asBank);
  // Answered before it is sent to its end, which some see as a broken connection.
  const end = await huge.then(
    ({ status }) => status,
    () => 413,
  );
  assert.equal(end, 413);
  assert.equal((await post(`${address()}/default/pix`, '{}', asBank)).status, 200, 'it still listens');
  const next = await paid();
  await untilStatus(shop, next.paymentId, 'Paga');
  const { body } = await untilStatus(shop, paymentId, 'Aguardando');
  assert.deepEqual(body.payments, []);
});

test('behind a proxy its header has the certificate, and only the proxy may say so', async () => {
  const {
    PARCELA_PIX_WEBHOOK_CERTIFICATE_FILE: _1,
    PARCELA_PIX_WEBHOOK_CERTIFICATE_KEY_FILE: _2,
    ...rest
  } = settings;
  for (const proxies of ['127.0.0.1', '10.9.9.9']) {
    const behind = await openTestService({
      ...rest,
      PARCELA_PIX_WEBHOOK_CERTIFICATE_HEADER: HEADER,
      PARCELA_TRUSTED_PROXIES: proxies,
    });
    try {
      const url = `${behind.pixWebhookUrl}/default/pix`;
      const pem = { headers: { [HEADER]: encodeURIComponent(ofBank.certificate) } };
      const stranger = makeCertificate({ issuer: makeAuthority() });
      const strange = { headers: { [HEADER]: encodeURIComponent(stranger.certificate) } };
      const statuses = [];
      for (const given of [pem, strange, { headers: { [HEADER]: 'SUCCESS' } }, {}])
        statuses.push((await post(url, '{}', given)).status);
      assert.deepEqual(statuses, proxies === '127.0.0.1' ? [200, 403, 403, 403] : [403, 403, 403, 403]);
    } finally {
      await behind.close();
    }
  }
});
