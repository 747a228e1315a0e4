import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { boletoRequest } from '../boletos/boleto-service.ts';
import { createForeignMerchant, FOREIGN_MERCHANT } from '../kit/foreign-merchant.ts';
import { call, logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { linksOf } from '../payments/linked.ts';
import { plantDelivery } from '../webhooks/history-service.ts';
import { type MerchantThings, makeThings, subscribe } from './merchant-things.ts';
import { hiddenFields, type Shown, searchFor, signedIn, type Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let merchantId: string;
let home: string;
let admin: Visitor;
let finance: Visitor;
let viewer: Visitor;
let things: MerchantThings;
before(async () => {
  service = await openTestService();
  ({ merchantId } = await service.demo());
  home = `/console/merchants/${merchantId}`;
  admin = await signedIn(service, 'admin', merchantId);
  finance = await signedIn(service, 'finance', merchantId);
  viewer = await signedIn(service, 'viewer', merchantId);
});
after(() => service.close());

async function shown(visitor: Visitor, path: string): Promise<string> {
  const { status, text } = await visitor.turnTo(path);
  assert.equal(status, 200, `${path}: ${text}`);
  return text;
}

const wordsAt = async (path: string, visitor = viewer) => wordsOf(await shown(visitor, path));

/** Presses the button of a form on a page, with a reason. */
async function press(
  visitor: Visitor,
  page: string,
  action: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Shown> {
  const hidden = hiddenFields(await shown(visitor, page), action);
  return visitor.ask(action, { form: { ...hidden, reason: 'a test', ...fields } });
}

async function pressAndFollow(visitor: Visitor, page: string, action: string): Promise<string> {
  const pressed = await press(visitor, page, action);
  assert.equal(pressed.status, 303, pressed.text);
  return wordsOf(await shown(visitor, pressed.headers.get('location') ?? ''));
}

test('before there is anything each list says what to do', async () => {
  for (const [path, expected] of [
    ['subscriptions', /Nenhuma assinatura encontrada\. Use menos filtros/],
    ['plans', /Nenhum plano encontrado\./],
    ['boletos', /Nenhum boleto vence nestes dias\./],
    ['reconciliation', /Nada previsto nem recebido nestes dias\./],
    ['reconciliation/exceptions', /Nenhuma exceção nestes dias\./],
    ['notifications', /Nenhum endereço está registrado para esta conta\./],
    ['notifications/deliveries', /Nada foi enviado nestes dias\./],
    ['charts', /Nenhum pagamento com cartão nestes dias\./],
    ['charts', /Nenhuma retentativa nestes dias\./],
    ['charts?from=2026-02-30', /Escolha no máximo 31 dias/],
    ['billings', /Nenhuma cobrança vence nestes dias\./],
    ['calendar', /Nenhuma cobrança vence neste mês\./],
    ['filters', /Você não salvou nenhum filtro deste estabelecimento\./],
    ['links', /Não há link de pagamento aqui\./],
    ['search', /Nada foi buscado ainda\. Busque por nome/],
    ['reconciliation/days/2026-01-15', /Nada estava previsto para este dia, e nada veio\./],
  ] as const)
    assert.match(await wordsAt(`${home}/${path}`), expected, path);
  things = await makeThings(service);
});

test('a subscription is found by e-mail, and says why each billing is where it is', async () => {
  const path = `${home}/subscriptions/${things.subscriptionId}`;
  const led = await searchFor(viewer, home, 'ana@cliente.example');
  // Alone it is led to; beside the other things of this customer, once they are known by it, it is listed.
  assert.ok(led.headers.get('location') === path || led.text.includes(path), led.text);
  const page = await shown(viewer, path);
  assert.ok(page.includes('&lt;b&gt;Ana&lt;/b&gt;') && !page.includes('<b>Ana'));
  const words = wordsOf(page);
  assert.match(words, /O emissor respondeu 51, .+ nova tentativa em \d{2}\/\d{2}\/\d{4}/);
  assert.match(words, /R\$ 10,51/);
  assert.match(words, /Próximos vencimentos Parcela Vencimento Valor 2 /);
  assert.ok(page.includes(`href="${home}/billings/${things.billingId}"`));
});

test('a payment link is created on a page, leads to where its buyer pays, and is disabled', async () => {
  const list = `${home}/links`;
  const terms = { description: 'Um <livro>', value: '1.129,90', qttyInstallments: '3' };
  assert.doesNotMatch(await shown(viewer, list), /links\/new/, 'who only looks has no form');
  const refused = await press(finance, list, `${list}/new`, { ...terms, value: 'dez' });
  assert.match(wordsOf(refused.text), /Escreva o valor em reais/);
  const expirationDate = '2020-01-01';
  const late = await press(finance, list, `${list}/new`, { ...terms, expirationDate });
  assert.equal(late.status, 400, late.text);
  const made = await press(finance, list, `${list}/new`, terms);
  assert.equal(made.status, 303, made.text);
  const path = made.headers.get('location') ?? '';
  const page = await shown(finance, path);
  assert.match(wordsOf(page), /R\$ 1\.129,90 Pode ser pago/);
  assert.match(page, /Criado em<\/dt><dd><time datetime="[^"]+-03:00">/);
  const address = /<code class="copy">(http[^<]+\/pay\/[0-9a-f]{32})<\/code>/.exec(page)?.[1] ?? '';
  assert.match((await call(service.gatewayUrl, new URL(address).pathname)).text, /R\$ 1\.129,90/);
  const here = path.split('?')[0] as string;
  const ended = await press(finance, here, `${here}/disable`);
  assert.equal(ended.status, 303, ended.text);
  assert.match(await wordsAt(here), /Desativado .*Motivo a test/);
  assert.match(await wordsAt(`${list}?status=Desativado`), /Um .*Desativado/);
});

test('money for a disabled link stands on its page, and the exception leads there', async () => {
  const url = service.gatewayUrl;
  const token = await logIn(url, (await service.demo()).gateway);
  const links = linksOf({ url, token });
  const link = await links.newLink();
  const made = await links.post(link, 'boleto', boletoRequest().payer as object);
  assert.equal(made.body.status, 'waiting', made.text);
  const path = `${home}/links/${link.id}`;
  await press(finance, path, `${path}/disable`);
  assert.match(await wordsAt(path), /Desativado .*Pix e boletos deste link .*Boleto Encerrad\S+ R\$ 0,00/);
  const [{ id }] = (await links.read(link)).bills;
  await call(url, `/homologation/boletos/${id}/events`, { token, body: { type: 'paid' } });
  const words = await until('the money is there', async () => {
    const found = await wordsAt(path);
    return found.includes('Boleto A resolver R$ 149,90') && found;
  });
  assert.match(words, /Recebido por Pix e boleto R\$ 149,90 .*Chegou dinheiro que não paga este link/);
  assert.ok((await shown(viewer, `${home}/boletos/${id}`)).includes(`href="${path}"`));
  assert.ok((await shown(viewer, `${home}/reconciliation/exceptions`)).includes(`href="${path}"`));
  const twice = await links.newLink();
  assert.equal((await links.post(twice, 'boleto', boletoRequest().payer as object)).body.status, 'waiting');
  const [paid] = (await links.read(twice)).bills;
  for (const sum of ['149,90', '299,80']) {
    await call(url, `/homologation/boletos/${paid.id}/events`, { token, body: { type: 'paid' } });
    await until('it was paid', async () =>
      (await wordsAt(`${home}/links/${twice.id}`)).includes(`Recebido por Pix e boleto R$ ${sum}`),
    );
  }
  assert.match(
    await wordsAt(`${home}/links/${twice.id}`),
    /Pago .*Chegou mais dinheiro do que paga este link/,
  );
});

test('the box leads to a billing, a subscription and a boleto by their ids', async () => {
  const { billingId, subscriptionId, boletoId } = things;
  for (const [text, place] of [
    [billingId, `billings/${billingId}`],
    [subscriptionId, `subscriptions/${subscriptionId}`],
    [boletoId, `boletos/${boletoId}`],
  ] as const) {
    const led = await searchFor(viewer, home, text);
    assert.deepEqual([led.status, led.headers.get('location')], [303, `${home}/${place}`]);
  }
});

test('an open billing is canceled, and its subscription with a reason, and activated again', async () => {
  const billing = `${home}/billings/${things.billingId}`;
  assert.match(await wordsAt(billing), /A cobrar .*Próxima cobrança/);
  assert.match(
    await pressAndFollow(finance, billing, `${billing}/cancel`),
    /A cobrança está cancelada\. .*Cancelada por si só, a seu pedido\./,
  );
  const path = `${home}/subscriptions/${things.subscriptionId}`;
  assert.match(
    await pressAndFollow(finance, path, `${path}/cancel`),
    /A assinatura está cancelada\. .*Cancelada a seu pedido\./,
  );
  assert.match(await pressAndFollow(finance, path, `${path}/activate`), /A assinatura está ativa\./);
});

test('a denied billing is charged by hand, and a refusal is shown in the words of the catalogue', async () => {
  const { billingId } = await subscribe(service, 10.05);
  const path = `${home}/billings/${billingId}`;
  assert.match(await wordsAt(path), /Negada .*O emissor respondeu 05, /);
  assert.ok(!(await shown(viewer, path)).includes('/charge"'), 'a viewer is offered it');
  const { status, text } = await press(finance, path, `${path}/charge`);
  assert.equal(status, 402, text);
  assert.match(text, /role="alert"><ul><li>[^<]+/);
  const entries = await service.auditor.query(
    'select action, actor from audit_entries where resource = $1 order by entry_number',
    [`merchants/${merchantId}/billings/${billingId}/charge`],
  );
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['console.act', 'console.refuse'],
  );
});

test('a plan shows its terms and the days of an enrolment', async () => {
  const path = `${home}/plans/${things.planId}`;
  assert.ok((await shown(viewer, `${home}/plans?name=clube`)).includes(`href="${path}"`));
  const words = await wordsAt(`${path}?startOn=2030-01-01`);
  assert.match(words, /Quando cobra .*1 01\/01\/2030 R\$ 10,51 03\/01\/2030/);
});

test('a boleto is in the list of its due days, is printed, and is canceled', async () => {
  const path = `${home}/boletos/${things.boletoId}`;
  assert.ok((await shown(viewer, `${home}/boletos`)).includes(`href="${path}"`));
  assert.match(await wordsAt(path), /R\$ 149,90 Emitido/);
  const printed = await viewer.ask(`${path}/pdf`);
  assert.equal(printed.headers.get('content-type'), 'application/pdf');
  assert.match(printed.headers.get('content-disposition') ?? '', /^attachment; filename="boleto-\d+\.pdf"$/);
  assert.match(printed.text, /^%PDF-/);
  assert.match(await pressAndFollow(finance, path, `${path}/cancel`), /O boleto está cancelado, ou/);
});

test('money that nobody expected for a boleto stands on its page, and is resolved there with a reason', async () => {
  const path = `${home}/boletos/${things.boletoId}`;
  const { integrationUrl: url } = service;
  const token = await logIn(url, (await service.demo()).integration, '/api/authentication/login');
  const events = `/homologation/boletos/${things.boletoId}/events`;
  assert.equal((await call(url, events, { token, body: { type: 'paid' } })).status, 200);
  assert.match(await wordsAt(`${home}/boletos`), /Cancelado Pagamento inesperado/);
  assert.match(await wordsAt(path), /Pagamentos recebidos .* R\$ 149,90 Pago após o encerramento A resolver/);
  const reply = await call(url, `/api/billissuer/${things.boletoId}`, { token });
  const [{ exceptionId }] = reply.body.payments;
  const resolved = await pressAndFollow(finance, path, `${path}/payments/${exceptionId}/resolve`);
  assert.match(resolved, /Resolvido\..*Pago após o encerramento Resolvida manualmente/s);
});

test('a delivery shows its tries and what was sent; a test is sent and its outcome shown', async () => {
  const path = `${home}/notifications/deliveries/${things.deliveryId}`;
  assert.ok((await shown(viewer, `${home}/notifications/deliveries`)).includes(`href="${path}"`));
  assert.match(await wordsAt(path), /Teste Entregue .*Tentativas .*O que é enviado \{/);
  const tested = await press(admin, `${home}/notifications`, `${home}/notifications/test`);
  assert.equal(tested.status, 200, tested.text);
  assert.match(
    wordsOf(tested.text),
    /O endereço não aceitou\..*Motivo da falha Sem conexão/,
    'the shop is closed',
  );
});

test('what was given up of some days is counted, and sent again at once and once', async () => {
  const { accountNumber } = await service.demo();
  // More than one call looks at come first, and are never sent again: they were tried too often.
  await service.auditor.query(
    `insert into deliveries select (jsonb_populate_record(d, jsonb_build_object('delivery_number', 1000000000 + n,
       'nsu', 'DEMAIS', 'state', 'givenUp', 'tries', 30000, 'due_at', null, 'created_at', d.created_at - interval '1 minute',
       'ended_at', d.created_at, 'account_number', $1::text))).*
     from deliveries d, generate_series(1, 10000) n
     where d.delivery_number = (select min(delivery_number) from deliveries)`,
    [accountNumber],
  );
  for (const state of ['givenUp', 'delivered', 'givenUp'])
    await plantDelivery({ auditor: service.auditor, merchantId }, accountNumber, { state, nsu: 'ABANDONO' });
  const list = `${home}/notifications/deliveries?status=GivenUp`;
  const action = `${home}/notifications/deliveries/resend`;
  assert.ok(!(await shown(viewer, list)).includes(action));
  const page = await shown(admin, list);
  assert.match(wordsOf(page), /Até 2 notificações não entregues/, 'what is never sent again is not counted');
  assert.match(await wordsAt(`${home}/today`), /2 Notificações não entregues /);
  const form = { ...hiddenFields(page, action), reason: 'o servidor voltou' };
  await plantDelivery({ auditor: service.auditor, merchantId }, accountNumber, {
    state: 'givenUp',
    nsu: 'ABANDONO-DEPOIS',
  });
  const refused = await admin.slowly(action, { form: { ...form, reason: '' } });
  assert.match(
    wordsOf(refused.text),
    /Até 3 notificações não entregues, .*Enviar até 3 de novo/,
    'it says what it does',
  );
  const first = await admin.slowly(action, { form });
  assert.match(wordsOf(first.text), /0 estão na fila e serão enviadas de novo\. .*Há mais: /);
  const rest = { ...hiddenFields(first.text, action), reason: 'o servidor voltou' };
  const sent = await admin.slowly(action, { form: rest });
  assert.deepEqual(
    [sent.status, /2 estão na fila e serão enviadas de novo/.test(wordsOf(sent.text))],
    [200, true],
    sent.text,
  );
  const again = await admin.slowly(action, { form });
  assert.match(wordsOf(again.text), /já tinha sido|já foi/i);
  const resent = await service.auditor.query("select from deliveries where nsu = 'ABANDONO' and fence >= 1");
  assert.equal(resent.length, 2, 'what was delivered is not sent again');
  const unseen = await service.auditor.query("select state from deliveries where nsu = 'ABANDONO-DEPOIS'");
  assert.deepEqual(unseen, [{ state: 'givenUp' }], 'it was given up after the others were counted');
  // A test that failed, and what waited for weeks at an address that was disabled.
  const createdAt = new Date(Date.now() - 40 * 86_400_000);
  const change = { state: 'givenUp', ended_at: new Date(), created_at: createdAt };
  for (const kind of ['test', 'movement'])
    await plantDelivery({ auditor: service.auditor, merchantId }, accountNumber, {
      ...change,
      kind,
      nsu: null,
    });
  const today = await shown(admin, `${home}/today`);
  const [, count, href = ''] = /(\d+)<\/span> <a href="([^"]+)">Notificações não/.exec(today) ?? [];
  assert.equal(count, '1');
  assert.match(wordsOf(await shown(admin, href.replaceAll('&amp;', '&'))), /Enviar até 1 de novo/);
  const acts = await service.auditor.query(
    `select detail::json ->> 'from' <= detail::json ->> 'to' as is_period, detail::json ->> 'account' as account
     from audit_entries where action = 'console.act' and resource = $1`,
    [action.replace('/console/', '')],
  );
  assert.deepEqual(acts, Array(2).fill({ is_period: true, account: accountNumber }));
  const history = await shown(admin, `${home}/history`);
  assert.ok(history.includes(`<a href="${home}/notifications/deliveries">Enviar todas de novo</a>`), history);
});

test('a new secret is shown once, to an administrator alone', async () => {
  const page = `${home}/notifications`;
  assert.ok(!(await shown(finance, page)).includes('/secret"'));
  const made = await press(admin, page, `${page}/secret`);
  const secret = /whsec_[\w+/=]+/.exec(made.text)?.[0];
  assert.ok(made.status === 200 && secret !== undefined, made.text);
  assert.equal(made.headers.get('cache-control'), 'no-store');
  assert.ok(!(await shown(admin, page)).includes(secret));
});

test('a credential is made with a password that is shown once, logs in, and is disabled', async () => {
  const page = `${home}/credentials`;
  const fields = { use: 'gateway', userName: 'loja-console' };
  const made = await press(admin, page, `${page}/new`, fields);
  const password = /<code class="secret">([^<]+)</.exec(made.text)?.[1];
  assert.ok(made.status === 200 && password !== undefined, made.text);
  await logIn(service.gatewayUrl, { userName: 'loja-console', password });
  const taken = await press(admin, page, `${page}/new`, fields);
  assert.equal(taken.status, 400);
  assert.match(wordsOf(taken.text), /Este nome de usuário já existe\./);
  const list = await shown(admin, page);
  assert.ok(!list.includes(password));
  const action = /action="([^"]+\/disable)"/.exec(list.slice(list.indexOf('loja-console')))?.[1] ?? '';
  assert.match(await pressAndFollow(admin, page, action), /A credencial está desativada\./);
  const login = { userName: 'loja-console', password };
  await until('it logs in no more', async () => {
    const { status } = await call(service.gatewayUrl, '/api/auth/token', { body: login });
    return status === 401;
  });
  const entries = await service.auditor.query(
    "select action, actor from audit_entries where action like 'credential.%' and actor like 'user:admin-%' order by entry_number",
  );
  assert.deepEqual(
    entries.map((entry) => entry.action),
    ['credential.create', 'credential.disable'],
  );
});

test('a credential of another merchant is not there to be disabled', async () => {
  const { gateway } = await service.demo();
  await createForeignMerchant(service.auditor, gateway.userName);
  const [row] = await service.auditor.query('select credential_id from credentials where user_name = $1', [
    gateway.userName,
  ]);
  const operator = await signedIn(service, 'admin', null);
  const page = `/console/merchants/${FOREIGN_MERCHANT}/credentials`;
  const hidden = hiddenFields(await shown(operator, page), `${page}/new`);
  const form = { ...hidden, reason: 'a test' };
  assert.equal((await operator.ask(`${page}/${row?.credential_id}/disable`, { form })).status, 404);
  await logIn(service.gatewayUrl, gateway);
});

test('lists whose API gives CSV are saved as CSV, with the filters of the page', async () => {
  const { gateway } = await service.demo();
  const token = await logIn(service.gatewayUrl, gateway);
  await service.auditor.query(
    'insert into receivable_cursors (merchant_id) select merchant_id from merchants on conflict do nothing',
  );
  // Nobody follows up what is sold, so nobody knows what it brings.
  const follower = new pg.Client(service.database.address);
  await follower.connect();
  await follower.query('begin; select from receivable_cursors for update');
  await pay(service.gatewayUrl, token, 1_000, { referenceTransaction: 'PEDIDO-CSV' });
  const page = await shown(viewer, `${home}/payments?referenceTransaction=PEDIDO-CSV`);
  const href = /href="([^"]+payments\.csv[^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const early = await viewer.ask(href);
  await follower.end();
  assert.match(early.text, /role="alert".*vendas ainda estão sendo preparadas/s);
  const saved = await until('what was sold is followed up', async () => {
    const asked = await viewer.ask(href);
    return asked.headers.get('content-type')?.startsWith('text/csv') === true && asked;
  });
  assert.match(saved.headers.get('content-type') ?? '', /^text\/csv/);
  assert.match(saved.headers.get('content-disposition') ?? '', /parcela-payments-\d+-[\d-]+\.csv/);
  assert.equal(saved.text.trim().split(/\r?\n/).length, 2, saved.text);
  // The latest sales are being prepared for a moment.
  const sold = await until('what was sold is prepared', async () => {
    const { headers, text } = await viewer.ask(`${home}/reconciliation.csv?by=sale`);
    return headers.get('content-type')?.startsWith('text/csv') === true && text;
  });
  assert.match(sold, /^\ufeffVendido em;Referência;/);
  assert.match(sold, /;"10,00";/);

  // What it brings: less a fee, and in part given back.
  await service.auditor.query(
    `update receivables set canceled = 100, expected_fee = 25, expected_net = 875
     where reference_transaction = 'PEDIDO-CSV'`,
  );
  const cellsOf = (text: string, titles: readonly string[]) => {
    const [heads = '', ...rows] = text.slice(1).split('\r\n');
    const row = rows.find((one) => one.includes('PEDIDO-CSV'))?.split(';') ?? [];
    return titles.map((title) => row[heads.split(';').indexOf(title)]);
  };
  const { text: payments } = await viewer.ask(href);
  assert.deepEqual(
    cellsOf(payments, ['Valor', 'Taxas', 'Líquido', 'Recebido', 'Meio de pagamento', 'Bandeira']),
    ['"10,00"', '"0,25"', '"8,75"', '"0,00"', 'Cartão', 'Mastercard'],
  );
  const { text: installments } = await viewer.ask(`${home}/reconciliation.csv?by=sale`);
  assert.deepEqual(cellsOf(installments, ['Valor da parcela', 'Estornado', 'Líquido', 'Recebido']), [
    '"10,00"',
    '"1,00"',
    '"8,75"',
    '"0,00"',
  ]);
});

test('charts show what was approved and declined, with a table behind each', async () => {
  const { gateway } = await service.demo();
  await pay(service.gatewayUrl, await logIn(service.gatewayUrl, gateway), 1_051);
  const titles = ['Aprovações por bandeira', 'Aprovações por hora', 'Negadas por código', 'Entregas'];
  const page = await until('the payment is counted', async () => {
    const charts = await shown(viewer, `${home}/charts`);
    return titles.every((title) => charts.includes(`aria-label="${title}"`)) && charts;
  });
  const words = wordsOf(page);
  for (const title of titles) assert.ok(words.includes(title), title);
  assert.match(words, /Negadas por código .*51 Mastercard: Saldo .*R\$ 0,00/);
  assert.match(words, /Mastercard 7 em 1 dia R\$ 2,00/);
});
