import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { lastLineOf, runCommandHere } from '../kit/command.ts';
import { runSql } from '../kit/database.ts';
import { startListener } from '../kit/listener.ts';
import { call, logIn, pay } from '../kit/merchant.ts';
import { databaseSettings, openTestService, type TestService, until } from '../kit/service.ts';
import { charge, pixShopOf } from '../pix/pix-service.ts';

let service: TestService;
let merchantId: string;
before(async () => {
  service = await openTestService();
  ({ merchantId } = await service.demo());
});
after(() => service.close());

const parcela = (...words: string[]) => parcelaIn(service.folder, ...words);

async function parcelaIn(folder: string, ...words: string[]) {
  const settings = { ...databaseSettings(service.database), PARCELA_DATA_DIR: folder };
  const { code, printed, said } = await runCommandHere([...words, '--json'], settings);
  // biome-ignore lint/suspicious/noExplicitAny: each command has a shape of its own.
  const json = JSON.parse(code === 0 ? printed : lastLineOf(said)) as any;
  return { code, json, said };
}

const entries = (action: string) =>
  service.auditor.query(
    'select resource, outcome, detail from audit_entries where action = $1 order by entry_number',
    [action],
  );

test('a merchant is edited field by field, audited without the person behind the contact', async () => {
  const change = ['merchant', 'change', '--merchant', merchantId];
  const edited = await parcela(
    ...change,
    '--legal-name',
    'Loja Nova Ltda.',
    '--contact-email',
    'bia@example.com',
  );
  assert.equal(edited.code, 0, edited.said);
  const { legalName, contact } = edited.json as unknown as {
    legalName: string;
    contact: Record<string, string>;
  };
  assert.deepEqual([legalName, contact.email], ['Loja Nova Ltda.', 'bia@example.com']);
  assert.notEqual(contact.name, undefined);
  const listed = await parcela('merchant', 'list');
  assert.match(JSON.stringify(listed.json), /Loja Nova Ltda\..*bia@example\.com|bia@example\.com.*Loja Nova/);
  const [entry] = await entries('merchant.change');
  assert.match(JSON.stringify(entry), /legalName\.new.*Loja Nova/);
  assert.doesNotMatch(JSON.stringify(entry), /bia@/);

  const addresses = await parcela(...change, '--address', '203.0.113.0/24', '--address', '2001:db8::1');
  assert.deepEqual(addresses.json.productionAddresses, ['203.0.113.0/24', '2001:db8::1']);
  for (const [option, value] of [
    ['--address', '203.0.113.7/24'],
    ['--contact-email', 'nobody'],
    ['--legal-name', ' '],
    ['--soft-descriptor', 'x'.repeat(14)],
  ] as const) {
    const { code, json } = await parcela(...change, option, value);
    assert.deepEqual([code, json.error.option], [1, option]);
  }
  const same = await parcela(...change, '--legal-name', 'Loja Nova Ltda.');
  assert.match(same.said, /Nothing would change/);
  assert.match(
    (await parcela('merchant', 'change', '--merchant', 'NOBODY', '--legal-name', 'x')).said,
    /no such merchant/,
  );
});

test('accounts are added behind those that are there, and take credentials at once', async () => {
  const added = await parcela(
    'account',
    'add',
    '--merchant',
    merchantId,
    '--account',
    '7000001',
    '--account',
    '7000002',
  );
  assert.deepEqual(added.json.accountNumbers.slice(-2), ['7000001', '7000002']);
  const again = await parcela('account', 'add', '--merchant', merchantId, '--account', '7000002');
  assert.match(again.said, /has this account already/);
  assert.match(
    (await parcela('account', 'add', '--merchant', 'NOBODY', '--account', '1')).said,
    /no such merchant/,
  );
  const made = await parcela(
    'credential',
    'create',
    '--merchant',
    merchantId,
    '--account',
    '7000002',
    '--scope',
    'gateway',
  );
  assert.equal(made.json.accountNumber, '7000002', made.said);
  assert.equal((await entries('account.add')).length, 1);
});

test('a payment is shown with its cancel, its requests and its webhooks, and the look is audited', async () => {
  const { gateway, integration } = await service.demo();
  const token = await logIn(service.gatewayUrl, gateway);
  const listener = await startListener();
  try {
    const other = await logIn(service.integrationUrl, integration, '/api/authentication/login');
    const { accountNumber } = await service.demo();
    const registered = await call(
      service.integrationUrl,
      `/api/webhooks/subscriptions?accountNumber=${accountNumber}`,
      {
        token: other,
        body: { url: listener.url },
      },
    );
    assert.equal(registered.status, 200, JSON.stringify(registered.body));
    const { request, reply } = await pay(service.gatewayUrl, token, 12_345);
    assert.equal(reply.status, 200);
    const { paymentId } = reply.body.paymentAuthorization as { paymentId: string };
    await call(service.gatewayUrl, `/v1/payments/${paymentId}/cancel`, {
      token,
      body: { amount: 345 },
      headers: { 'idempotency-key': 'cancel-1' },
    });

    for (const by of [
      ['--payment', paymentId],
      ['--reference', request.referenceTransaction],
    ] as const) {
      const shown = await parcela('payment', 'show', '--merchant', merchantId, ...by);
      assert.equal(shown.code, 0, shown.said);
      const [item] = shown.json.items as unknown as {
        transactionId: string;
        cancels: { amount: number; state: string }[];
        requests: { key: string; resourceId: string }[];
      }[];
      assert.equal(item?.transactionId, paymentId);
      assert.deepEqual(
        item?.cancels.map(({ amount }) => amount),
        [345],
      );
      assert.deepEqual(
        item?.requests.map(({ key, resourceId }) => [key, resourceId === paymentId]),
        [
          ['none', true],
          ['kept', false],
        ],
      );
    }
    assert.match(
      (await parcela('payment', 'show', '--merchant', 'NOBODY', '--payment', paymentId)).said,
      /no such payment/,
    );
    assert.match(
      (await parcela('payment', 'show', '--merchant', merchantId)).said,
      /either --payment or --reference/,
    );
    assert.deepEqual(
      (await entries('payment.read')).map(({ outcome }) => outcome),
      ['success', 'success', 'failure'],
    );

    const listed = await parcela('webhook', 'list', '--merchant', merchantId);
    assert.match(JSON.stringify(listed.json), new RegExp(`"url":"${listener.url}`));
    assert.match((await parcela('webhook', 'list', '--merchant', 'NOBODY')).said, /no such merchant/);
    const deliveries = [
      'webhook',
      'deliveries',
      '--merchant',
      merchantId,
      '--account',
      accountNumber,
      '--state',
      'delivered',
    ];
    const delivered = await until('it is delivered', async () => {
      const { json } = await parcela(...deliveries);
      return (json.items as unknown as { deliveryId: string }[])[0];
    });
    const before = listener.received.length;
    const resent = await parcela(
      'webhook',
      'resend',
      '--merchant',
      merchantId,
      '--delivery',
      delivered.deliveryId,
    );
    assert.equal(resent.code, 0, resent.said);
    await until('it came once more', async () => listener.received.length > before);
    assert.match(
      (await parcela('webhook', 'resend', '--merchant', 'NOBODY', '--delivery', delivered.deliveryId)).said,
      /no delivery of this merchant/,
    );
    assert.deepEqual(
      (await entries('webhook.resend')).map(({ outcome }) => outcome),
      ['success', 'failure'],
    );
    listener.answerWith({ status: 503, body: 'out of order' });
    await pay(service.gatewayUrl, token, 12_346);
    const settings = { ...databaseSettings(service.database), PARCELA_DATA_DIR: service.folder };
    await until('it is said why it fails, and what to do', async () => {
      const { printed } = await runCommandHere(['webhook', 'list', '--merchant', merchantId], settings);
      const why =
        /failed last at [\d-]+T.*: its server fails \(serverError\) \(status 503: out of order\)\.\n/;
      return why.test(printed) && /Ask the merchant to look at its server\./.test(printed);
    });
    const [failing] = (await parcela('webhook', 'list', '--merchant', merchantId)).json.items;
    assert.deepEqual([failing.lastFailure.failure, failing.lastFailure.status], ['serverError', 503]);
    const looks = await entries('webhook.read');
    assert.deepEqual(
      looks.slice(0, 3).map(({ outcome, resource }) => [outcome, resource]),
      [
        ['success', `merchants/${merchantId}/webhooks`],
        ['failure', 'merchants/NOBODY/webhooks'],
        ['success', `merchants/${merchantId}/accounts/${accountNumber}/deliveries`],
      ],
    );
  } finally {
    await listener.close();
  }
});

test('commands that ask acquirer and banks of Pix find the simulators of a service that runs, and start them on their ledgers beside none', async () => {
  const shop = await pixShopOf(service);
  assert.equal((await charge(shop)).status, 200);
  // As a database that was restored to before it.
  await runSql(
    service.database.address,
    'delete from movements where pix_id is not null; delete from pix_charges',
  );
  const since = new Date(Date.now() - 60_000).toISOString();
  const compared = async (folder: string) => {
    const words = ['restore', 'reconcile', '--dry-run', '--held-by-hand', '--since', since];
    const settings = { ...databaseSettings(service.database), PARCELA_DATA_DIR: folder };
    return runCommandHere(words, settings);
  };
  const beside = await compared(service.folder);
  assert.match(beside.printed, /^Newest charge .*^1 are at their banks and not in the books/ms, beside.said);
  // As a killed service leaves it: ledgers, and addresses that nobody answers at.
  const left = await mkdtemp(join(tmpdir(), 'parcela-left-'));
  await cp(service.folder, left, { recursive: true });
  const simulators = ['simulator', 'pix'].map((name) => join(left, name));
  for (const folder of simulators) {
    await rm(join(folder, 'lock'), { force: true, recursive: true });
    await writeFile(join(folder, 'address'), 'http://127.0.0.1:9');
  }
  const alone = await compared(left);
  assert.equal(alone.printed, beside.printed, alone.said);
  for (const folder of simulators) await rm(folder, { recursive: true });
  assert.match((await compared(left)).said, /no ledger of a simulator/);
  await rm(left, { recursive: true });
});

test('a link is made, read and ended by the rules of the API, and fields are let onto pages', async () => {
  const of = ['--merchant', merchantId];
  const wrong = await parcela('link', 'create', ...of, '--description', 'Um livro', '--value', '1,5');
  assert.match(wrong.said, /--value: /);
  const made = await parcela(
    ...['link', 'create', ...of, '--description', 'Um livro', '--value', '129.90', '--installments', '3'],
  );
  assert.equal(made.code, 0, made.said);
  const { id, url, status, value } = made.json;
  assert.deepEqual([status, value], ['Aberto', 129.9]);
  assert.match(await (await fetch(service.gatewayUrl + url)).text(), /Um livro/);
  assert.ok((await parcela('link', 'list', ...of)).json.items.some((one: { id: string }) => one.id === id));
  const ended = await parcela('link', 'disable', ...of, '--link', id, '--reason', 'Venda cancelada');
  assert.equal(ended.json.status, 'Desativado', ended.said);
  assert.equal((await parcela('link', 'show', ...of, '--link', id)).json.reason, 'Venda cancelada');
  const twice = await parcela('link', 'disable', ...of, '--link', id, '--reason', 'Outra vez');
  assert.equal(twice.json.reason, 'Venda cancelada', twice.said);
  assert.equal((await entries('link.disable')).length, 1);
  assert.equal((await entries('link.create')).length, 1);

  assert.match((await parcela('fields', 'set', ...of, '--origin', 'https://a.com/b')).said, /--origin: /);
  const set = await parcela('fields', 'set', ...of, '--origin', 'https://loja.com.br');
  assert.equal(set.code, 0, set.said);
  assert.deepEqual((await parcela('fields', 'show', ...of)).json, set.json);
});
