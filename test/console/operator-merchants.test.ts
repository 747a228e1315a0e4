import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { plantDelivery } from '../webhooks/history-service.ts';
import { hiddenFields, signedIn, type Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let operator: Visitor;
let viewer: Visitor;
before(async () => {
  service = await openTestService();
  operator = await signedIn(service, 'operator', null);
  viewer = await signedIn(service, 'viewer', null);
});
after(() => service.close());

async function shown(path: string, visitor: Visitor = viewer): Promise<string> {
  const { status, text } = await visitor.turnTo(path);
  assert.equal(status, 200, text);
  return text;
}

const idsOf = (page: string) =>
  [...page.matchAll(/href="\/console\/merchants\/([\w.-]+)"/g)].map(([, id]) => id);

const NEW = {
  cnpj: '11.444.777/0001-61',
  legalName: 'Padaria da Esquina Ltda',
  id: 'PADARIA',
  accounts: '4000001 4000002',
  contactName: 'Bia',
  contactEmail: 'bia@padaria.example',
  contactPhone: '+55 11 4000 0000',
  reason: 'contrato 12',
};

test('a merchant is registered once, by those who may, as the command does', async () => {
  const made = await operator.send('/console/merchants', '/console/new-merchant/create', NEW);
  assert.equal(made.status, 303, made.text);
  assert.match(wordsOf(await shown(made.headers.get('location') ?? '', operator)), /está cadastrado/);
  const again = await operator.send('/console/merchants', '/console/new-merchant/create', NEW);
  assert.deepEqual(
    [again.status, /Outro estabelecimento tem este ID/.test(wordsOf(again.text))],
    [409, true],
  );
  const wrong = { ...NEW, id: 'OUTRA', cnpj: '11.444.777/0001-62' };
  const refused = await operator.send('/console/merchants', '/console/new-merchant/create', wrong);
  assert.deepEqual([refused.status, /CNPJ inválido/.test(wordsOf(refused.text))], [400, true]);
  const [entry] = await service.auditor.query(
    "select actor, resource from audit_entries where action = 'merchant.create' and actor like 'user:%'",
  );
  assert.match(String(entry?.actor), /^user:operator-/);
  assert.equal(entry?.resource, 'merchants/PADARIA');
  assert.ok(!(await shown('/console/merchants')).includes('/console/new-merchant/create'));
  assert.equal((await viewer.ask('/console/new-merchant/create', { form: {} })).status, 403);
});

test('a merchant is found by its id, CNPJ, account and a part of its name, and by how it stands', async () => {
  for (const text of ['PADARIA', '11.444.777/0001-61', '11444777000161', '4000002', 'da esquina']) {
    const found = idsOf(await shown(`/console/merchants?text=${encodeURIComponent(text)}`));
    assert.deepEqual(found, ['PADARIA'], text);
  }
  const none = await shown(`/console/merchants?text=${encodeURIComponent('%_<b>')}`);
  assert.match(wordsOf(none), /Nenhum estabelecimento encontrado\./);
  assert.ok(!none.includes('<b>'));
  assert.deepEqual(idsOf(await shown('/console/merchants?standing=disabled')), []);
  await service.auditor.query("update merchants set disabled_at = now() where merchant_id = 'PADARIA'");
  assert.deepEqual(idsOf(await shown('/console/merchants?standing=disabled')), ['PADARIA']);
  assert.deepEqual(idsOf(await shown('/console/merchants?standing=billingsHeld')), []);
});

test('a long list is read page by page, each merchant once, and a filter goes along', async () => {
  await service.auditor.query(
    `insert into merchants (merchant_id, cnpj, legal_name, contact_name, contact_email, contact_phone, production_addresses)
     select 'Z' || lpad(n::text, 4, '0'), '11222333000181', 'Muitas ' || n, 'Ana', 'ana@loja.example', '+551140000000', '{}'
     from generate_series(1, 120) n`,
  );
  const seen: (string | undefined)[] = [];
  let path = '/console/merchants?text=muitas';
  for (let pages = 1; path !== ''; pages += 1) {
    assert.ok(pages <= 3, 'fifty on a page');
    const page = await shown(path);
    seen.push(...idsOf(page));
    path = (/href="(\/console\/merchants\?[^"]*after=[^"]*)"/.exec(page)?.[1] ?? '').replaceAll('&amp;', '&');
  }
  assert.equal(seen.length, 120);
  assert.equal(new Set(seen).size, 120);
});

test("a merchant's page has its accounts in order, and takes several more at once", async () => {
  const page = '/console/merchants/PADARIA';
  assert.match(
    wordsOf(await shown(page, operator)),
    /4000001 Credenciais que não informam a conta 0 4000002 – 0/,
  );
  const fields = { account: '4000003, 4000004', reason: 'filiais' };
  assert.equal((await operator.send(page, `${page}/accounts`, fields)).status, 303);
  assert.match(wordsOf(await shown(page, operator)), /4000003 – 0 4000004 – 0/);
});

test('of several accounts one line on the first page says what was not delivered, and leads to each', async () => {
  const endpoint = 'origin:https://loja.example:443';
  await service.auditor.query(
    "insert into webhook_endpoints (merchant_id, endpoint, created_by) values ('PADARIA', $1, 'o teste')",
    [endpoint],
  );
  const planted = { auditor: service.auditor, merchantId: 'PADARIA' };
  for (const account of ['4000001', '4000001', '4000003'])
    await plantDelivery(planted, account, { state: 'givenUp', endpoint });
  await plantDelivery(planted, '4000004', { state: 'givenUp', nsu: 'SEM-ENDERECO' });
  const page = await shown('/console/merchants/PADARIA/today');
  assert.match(wordsOf(page), /3 Notificações não entregues: 4000001 \(2\) , 4000003 \(1\) Reenvie quando/);
  assert.match(page, /accountNumber=4000003&amp;from=[\d-]{10}&amp;to=[\d-]{10}&amp;status=GivenUp">4000003/);
});

test('routing says who serves which brand, and where that is said', async () => {
  const words = wordsOf(await shown('/console/routing?merchant=PADARIA'));
  assert.match(words, /Padaria da Esquina Ltda Bloqueado/);
  assert.match(words, /Visa 127\.0\.0\.1:\d+ 1 a \d+/);
  assert.match(words, /Adquirente 127\.0\.0\.1:\d+ PARCELA_ACQUIRER_URL Banco dos boletos/);
  assert.match(wordsOf(await shown('/console/routing')), /vai para default/);
  const unknown = await shown(`/console/routing?merchant=${encodeURIComponent('<script>')}`);
  assert.match(wordsOf(unknown), /Este estabelecimento não existe\./);
  assert.ok(!unknown.includes('value="<script>'));
});

test('the acquirers of a merchant are changed on the page, by those who may, and a wrong rule is named', async () => {
  const { merchantId, gateway } = await service.demo();
  await pay(service.gatewayUrl, await logIn(service.gatewayUrl, gateway), 1_000);
  await service.auditor.query(
    `insert into providers (kind, name, adapter, url, created_by)
     values ('acquirer', 'rede', 'rede', 'https://sandbox-erede.example', 'test'), ('bank', 'by-file', 'remittance', '', 'test')`,
  );
  const page = `/console/routing?merchant=${merchantId}`;
  const send = (rules: string, merchant = merchantId) =>
    operator.send(page, '/console/routing/acquirers', { merchant, rules, reason: 'contrato novo' });
  for (const [rules, said] of [
    ['brand=visa', /termina com o nome de um provedor, não com brand=visa/],
    ['share=20 share=30 rede', /share=30 vem pela segunda vez/],
    ['stone', /Não existe adquirente com o nome stone/],
  ] as const) {
    const wrong = await send(rules);
    assert.ok(wrong.status >= 400 && said.test(wordsOf(wrong.text)), wrong.text);
  }
  assert.equal((await send('rede', 'NINGUEM')).status, 404);
  const action = '/console/routing/acquirers';
  const opened = async () => ({
    ...hiddenFields((await operator.turnTo(page)).text, action),
    rules: 'brand=visa rede;default',
    reason: 'contrato novo',
  });
  const [stale, ...forms] = [await opened(), await opened(), await opened(), await opened()];
  const sendOne = async (form: Record<string, string> = {}) => {
    const { status, text } = await operator.slowly(action, { form });
    return { status, text };
  };
  const together = (await Promise.all(forms.map(sendOne))).map(({ status }) => status);
  assert.equal(together.filter((status) => status === 303).length, 1, together.join());
  assert.ok(
    together.every((status) => [303, 409, 429].includes(status)),
    together.join(),
  );
  const late = await sendOne({ ...stale, rules: 'amount=1-9 rede' });
  assert.equal(late.status, 409);
  assert.match(wordsOf(late.text), /Algo mudou desde que você conferiu/);
  assert.match(
    wordsOf(late.text),
    /mudaram desde que você conferiu\. Em vigor agora, e o que seria substituído: brand=visa rede; default \. Adquirente rede : sandbox-erede\.example, Ativo\./,
  );
  assert.match(late.text, /value="amount=1-9 rede"/, 'what was typed stands there');
  const seen = { ...hiddenFields(late.text, action), rules: 'brand=visa rede;default', reason: 'conferido' };
  const wrong = await sendOne({ ...seen, rules: 'brand=visa' });
  assert.doesNotMatch(wordsOf(wrong.text), /mudaram desde/, 'it is said once');
  assert.equal((await sendOne({ ...seen, ...hiddenFields(wrong.text, action) })).status, 303);
  const form: Record<string, string> = await opened();
  delete form.merchant;
  assert.equal((await operator.slowly(action, { form })).status, 404, 'it is not said whose');
  const [entry] = await service.auditor.query(
    "select detail from audit_entries where action = 'provider.route' and resource = $1 order by entry_number desc",
    [`merchants/${merchantId}/routes/acquirer`],
  );
  assert.deepEqual(JSON.parse(String(entry?.detail)), {
    rules: 2,
    rule1: 'brand=visa rede',
    rule2: 'default',
  });
  const words = await until('the charge is counted', async () => {
    const text = wordsOf(await shown(page));
    return /Bandeira default .*% de \d/.test(text) ? text : null;
  });
  assert.match(words, /Adquirente brand=visa rede .*Adquirente default/);
  assert.match(words, /Banco dos boletos by-file nenhum/);
  assert.equal((await send('')).status, 303);
  assert.equal((await service.auditor.query('select from provider_rules')).length, 0);
  assert.ok(!(await shown(page)).includes('/console/routing/acquirers'), 'a viewer has no form');
});

test('who may not see the credentials finds none on the page of the merchant, and no link to them', async () => {
  const { merchantId, gateway } = await service.demo();
  const page = `/console/merchants/${merchantId}`;
  for (const role of ['viewer', 'finance', 'support', 'operator', 'admin'] as const) {
    const visitor = await signedIn(service, role, null);
    const text = await shown(page, visitor);
    const { status } = await visitor.turnTo(`${page}/credentials`);
    const maySee = role !== 'viewer' && role !== 'finance';
    assert.deepEqual(
      [status, text.includes(gateway.userName), text.includes(`href="${page}/credentials"`)],
      [maySee ? 200 : 403, maySee, maySee],
      role,
    );
  }
});

test('who may not read the audit log is led to no page of it', async () => {
  const { gateway } = await service.demo();
  await pay(service.gatewayUrl, await logIn(service.gatewayUrl, gateway), 5_000);
  const [row] = await service.auditor.query('select transaction_id as id from transactions limit 1');
  const links = async (visitor: Visitor) =>
    (await shown(`/console/unresolved/${row?.id}`, visitor)).includes('href="/console/audit');
  assert.deepEqual([await links(viewer), await links(operator)], [false, true]);
});
