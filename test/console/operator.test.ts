import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createForeignMerchant, FOREIGN_MERCHANT } from '../kit/foreign-merchant.ts';
import { logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { hiddenFields, signedIn, Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let merchantId: string;
let admin: Visitor;
before(async () => {
  service = await openTestService();
  ({ merchantId } = await service.demo());
  admin = await signedIn(service, 'admin', null);
});
after(() => service.close());

async function shown(visitor: Visitor, path: string): Promise<string> {
  const { status, text } = await visitor.turnTo(path);
  assert.equal(status, 200, `${path}: ${text}`);
  return text;
}

async function done(page: string, action: string, fields: Readonly<Record<string, string>>): Promise<string> {
  const sent = await admin.send(page, action, { reason: 'um teste', ...fields });
  assert.equal(sent.status, 303, sent.text);
  return wordsOf(await shown(admin, sent.headers.get('location') ?? ''));
}

async function paid(): Promise<string> {
  const { gateway } = await service.demo();
  const { reply } = await pay(service.gatewayUrl, await logIn(service.gatewayUrl, gateway), 4_200);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.paymentAuthorization.paymentId as string;
}

/** As a charge stands whose answer never came, which nothing asks for within the test. */
async function unanswered(): Promise<string> {
  const id = await paid();
  await service.auditor.query(
    `update transactions set state = 'unresolved', decided_at = null, authorization_code = null, nsu = null,
       due_at = now() + interval '1 hour', unknown_reason = 'o teste calou', unresolved_since = now() - interval '2 hours'
     where transaction_id = $1`,
    [id],
  );
  return id;
}

test('lists of files, differences and keys say what they are about when they are empty', async () => {
  assert.match(wordsOf(await shown(admin, '/console/files')), /Nenhum arquivo foi importado\./);
  const differences = async (query = '') => wordsOf(await shown(admin, `/console/differences${query}`));
  assert.match(await differences('?merchant=NINGUEM'), /Ainda não foi verificado\./);
  await service.auditor.query(
    `insert into truth_reports (day, charges, differences, report, data_key_id, seal)
     select '2039-11-20', 0, 0, '{}', data_key_id, decode(repeat('00', 32), 'hex') from data_keys limit 1`,
  );
  assert.match(await differences(), /Última verificação: .*Livros, feed, arquivos e razão conferem\./);
  await service.auditor.query(
    "insert into truth_runs (merchant_id, day, cause, from_on, due_at, ended_at) values ($1, '2026-01-01', 'asked', '2026-01-01', null, now())",
    [merchantId],
  );
  await service.auditor.query(
    'insert into receivable_cursors (merchant_id) values ($1) on conflict do nothing',
    [merchantId],
  );
  assert.match(await differences(`?merchant=${merchantId}`), /Livros, feed, arquivos e razão conferem\./);
  assert.match(wordsOf(await shown(admin, '/console/keys')), /card Em uso/);
});

test('what has no known outcome is listed with its age, and decided once with a reason', async () => {
  assert.match(wordsOf(await shown(admin, '/console/unresolved')), /Nada pendente de confirmação\./);
  const id = await unanswered();
  const list = await shown(admin, '/console/unresolved?olderThan=60');
  assert.ok(list.includes(`href="/console/unresolved/${id}"`));
  assert.match(wordsOf(list), /R\$ 42,00 .* o teste calou/);
  assert.ok(list.includes('<q>o teste calou</q>'));
  assert.ok(!(await shown(admin, '/console/unresolved?olderThan=600')).includes(id));
  const page = `/console/unresolved/${id}`;
  const viewer = await signedIn(service, 'viewer', null);
  assert.ok(!(await shown(viewer, page)).includes('/decide"'));
  const form = { ...hiddenFields(await shown(admin, page), `${page}/decide`), reason: 'Maria, caso 4711' };
  const decided = await admin.ask(`${page}/decide`, { form: { ...form, decision: 'voided' } });
  assert.equal(decided.status, 303, decided.text);
  assert.match(wordsOf(await shown(admin, decided.headers.get('location') ?? '')), /Está decidido/);
  const anew = { ...form, once: randomUUID(), decision: 'declined' };
  const again = await admin.ask(`${page}/decide`, { form: anew });
  assert.deepEqual([again.status, /Já é definitivo\./.test(wordsOf(again.text))], [409, true]);
  assert.match(wordsOf(await shown(admin, page)), /R\$ 42,00 Desfeita/);
  const [row] = await service.auditor.query('select state from transactions where transaction_id = $1', [id]);
  assert.equal(row?.state, 'voided');
  const [entry] = await service.auditor.query(
    "select actor, detail from audit_entries where action = 'resolve.decide' and resource like $1",
    [`%${id}`],
  );
  assert.match(String(entry?.actor), /^user:admin-/);
  assert.equal(JSON.parse(String(entry?.detail)).reason, 'Maria, caso 4711');
});

test('a capture of another amount is decided with the amount that the acquirer shows', async () => {
  const { gateway } = await service.demo();
  const held = {
    transactionType: 'credit',
    amount: 4_200,
    productType: 'avista',
    installments: 1,
    captureType: 'pa',
  };
  const { reply } = await pay(service.gatewayUrl, await logIn(service.gatewayUrl, gateway), 4_200, {
    payment: held,
  });
  const paymentId = reply.body.paymentAuthorization.paymentId as string;
  const id = randomUUID();
  const begin = `with begun as (
      update transactions set state = 'capturing' where transaction_id = $2 returning merchant_id, transaction_id
    ), held as (update preauthorizations set expires_at = null where transaction_id = $2)
    insert into captures (merchant_id, capture_id, transaction_id, state, amount, created_by, requested_at, due_at, unknown_reason)
    select merchant_id, $1, transaction_id, 'capturing', 4200, 'TEST', now(), now() + interval '1 hour', 'TEST' from begun`;
  await service.auditor.query(begin, [id, paymentId]);
  const page = `/console/unresolved/${id}`;
  const form = { ...hiddenFields(await shown(admin, page), `${page}/decide`), reason: 'Maria, caso 4712' };
  const decide = (amount: string) =>
    admin.ask(`${page}/decide`, { form: { ...form, once: randomUUID(), decision: 'captured', amount } });
  assert.equal((await decide('doze')).status, 400);
  assert.equal((await decide('42,01')).status, 409, 'more than was authorized');
  assert.equal((await decide('40,00')).status, 303);
  const [row] = await service.auditor.query(
    'select state, amount::int as amount from transactions where transaction_id = $1',
    [paymentId],
  );
  assert.deepEqual(row, { state: 'approved', amount: 4_000 });
});

test('the acquirer is asked about a charge by a button, not by a look at its page, and not too often', async () => {
  const id = await unanswered();
  const page = `/console/unresolved/${id}`;
  const asked = async () => {
    const response = await fetch(service.metricsUrl);
    const lines = (await response.text()).split('\n');
    const counted = lines.filter((line) =>
      /^parcela_acquirer_call_duration_seconds_count\{.*"find"/.test(line),
    );
    return counted.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  const before = await asked();
  for (let looks = 0; looks < 3; looks += 1)
    assert.ok(!wordsOf(await shown(admin, page)).includes('A adquirente diz agora'));
  assert.equal(await asked(), before);
  const press = () => admin.send(page, `${page}/ask`, {});
  const first = await press();
  assert.match(wordsOf(first.text), /A adquirente diz agora Aprovada: a cobrança está ativa/);
  assert.equal(await asked(), before + 1);
  const viewer = await signedIn(service, 'viewer', null);
  assert.ok(!(await shown(viewer, page)).includes('/ask"'));
  const form = { ...hiddenFields(await shown(admin, page), `${page}/ask`), once: randomUUID() };
  const strange = await admin.ask(`${page}/ask`, { form, headers: { 'sec-fetch-site': 'cross-site' } });
  assert.equal(strange.status, 403);
  const refused = await until('it is asked too often', async () => {
    const { status, text } = await press();
    return status === 429 && /Muitas consultas à adquirente/.test(wordsOf(text));
  });
  assert.ok(refused);
});

test('an exception of reconciliation is found, read, and resolved once with a reason', async () => {
  assert.match(wordsOf(await shown(admin, '/console/exceptions')), /Nenhuma exceção encontrada\./);
  const id = randomUUID();
  await service.auditor.query(
    `insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, amount, expected, found, day)
     values ($1, $2, 'teste', 'feeDiffers', 'open', 100, '249', '349', '2026-12-14')`,
    [merchantId, id],
  );
  const list = wordsOf(await shown(admin, '/console/exceptions?class=feeDiffers&day=2026-12-14'));
  assert.match(list, /Taxa diferente .* R\$ 1,00 a menos 14\/12\/2026 .* R\$ 2,49 R\$ 3,49/);
  assert.ok(!(await shown(admin, '/console/exceptions?class=notInFile')).includes(id));
  const page = `/console/exceptions/${id}`;
  assert.match(
    await done(page, `${page}/resolve`, { reason: 'tarifa nova' }),
    /Resolvida por .*: tarifa nova/,
  );
  assert.ok(!(await shown(admin, page)).includes('/resolve"'));
  assert.ok((await shown(admin, '/console/exceptions?state=resolved')).includes(id));
});

test('a merchant is locked out and let in, has its billings held and released, and is changed', async () => {
  const page = `/console/merchants/${merchantId}`;
  const { gateway } = await service.demo();
  assert.ok(wordsOf(await shown(admin, page)).includes(gateway.userName));
  assert.ok(!(await shown(admin, page)).includes(gateway.password));
  assert.match(await done(page, `${page}/disable`, {}), /Bloqueado/);
  assert.match(await done(page, `${page}/enable`, {}), /Ativo/);
  assert.match(await done(page, `${page}/hold`, {}), /Cobranças retidas/);
  const again = await admin.send(page, `${page}/release`, {});
  assert.equal(again.status, 400, 'without a reason nothing is done');
  await done(page, `${page}/release`, {});
  assert.match(await done(page, `${page}/accounts`, { account: '7654321' }), /7654321/);
  const twice = await admin.send(page, `${page}/accounts`, { account: '7654321', reason: 'x' });
  assert.deepEqual([twice.status, /já tem esta conta/.test(wordsOf(twice.text))], [409, true]);
  const fields = { contactName: 'Ana', contactEmail: 'ana@loja.example', contactPhone: '11 99999-0000' };
  const change = { ...fields, legalName: 'Loja Nova Ltda', addresses: '203.0.113.0/24 198.51.100.7' };
  assert.match(
    await done(page, `${page}/change`, change),
    /Loja Nova Ltda .*203\.0\.113\.0\/24, 198\.51\.100\.7/,
  );
  const wrong = await admin.send(page, `${page}/change`, { ...change, contactEmail: 'ana', reason: 'x' });
  assert.equal(wrong.status, 400);
  const entries = await service.auditor.query(
    "select distinct action from audit_entries where actor like 'user:admin-%' and action ~ '^(merchant|billing|account)'",
  );
  assert.equal(entries.length, 6);
});

test('a version of the fees stands beside the others, and rules that cannot be read are refused', async () => {
  const wrong = await admin.send('/console/fees', '/console/fees/set', { rules: 'visa=3', reason: 'x' });
  assert.equal(wrong.status, 400);
  const over = { rules: 'visa:1=3@30', from: '2026-01-01', reason: 'x' };
  const late = await admin.send('/console/fees', '/console/fees/set', over);
  assert.deepEqual([late.status, /O dia 2026-01-01 já passou/.test(wordsOf(late.text))], [409, true]);
  const merchant = merchantId;
  const words = await done('/console/fees', '/console/fees/set', { rules: 'visa:1=2.49@30', merchant });
  assert.match(words, /visa:1=2\.49@30 user:admin-/);
});

test('an administrator invites, recovers and locks out others, whose link is shown once', async () => {
  const name = 'maria@loja.example';
  const fields = { name, role: 'viewer', merchant: merchantId, reason: 'equipe' };
  const invited = await admin.send('/console/users', '/console/users/invite', fields);
  const linkOf = (text: string) => /\/console\/links\/[\w-]+/.exec(text)?.[0] ?? '';
  const maria = await new Visitor(admin.origin).enter(linkOf(invited.text));
  assert.equal((await maria.ask(`/console/merchants/${merchantId}/payments`)).status, 200);
  const page = `/console/users/${encodeURIComponent(name)}`;
  const recovered = await admin.send(page, `${page}/recover`, { reason: 'chave perdida' });
  assert.equal((await maria.ask(`/console/merchants/${merchantId}/payments`)).status, 303);
  await maria.enter(linkOf(recovered.text));
  assert.match(await done(page, `${page}/disable`, {}), /O usuário está bloqueado\./);
  assert.equal((await maria.ask(`/console/merchants/${merchantId}/payments`)).status, 303);
  // There is no identity provider here.
  const otherwise = { ...fields, name: 'outra@loja.example', by: 'oidc' };
  const refused = await admin.send('/console/users', '/console/users/invite', otherwise);
  assert.equal(refused.status, 409);
  assert.match(refused.text, /Esta forma de acesso não está disponível aqui/);
});

test('without a limit what waits for a second person stands in no navigation, unless something does', async () => {
  await createForeignMerchant(service.auditor, (await service.demo()).gateway.userName);
  const pages = ['', `/merchants/${merchantId}`, `/merchants/${FOREIGN_MERCHANT}`].map(
    (one) => `/console${one}/waiting`,
  );
  const offered = async () => {
    const [ofMerchant, ofOther] = await Promise.all(
      [merchantId, FOREIGN_MERCHANT].map((one) => shown(admin, `/console/merchants/${one}/payments`)),
    );
    return pages.filter((page, index) => (index === 2 ? ofOther : ofMerchant)?.includes(`<a href="${page}"`));
  };
  assert.deepEqual(await offered(), []);
  for (const page of pages) assert.match(wordsOf(await shown(admin, page)), /Nenhum limite foi definido/);
  await service.auditor.query(
    `insert into console_requests (request_id, merchant_id, requested_by, operation, path, fields, reason, amount,
       standing, requested_at, expires_at, seal)
     select gen_random_uuid(), $1, user_id, 'cancelPayment', concat('/console/merchants/', $1::text, '/payments/x/cancel'), '{}', 'antes',
       1, 'x', now(), now() + interval '1 day', decode(repeat('00', 32), 'hex')
     from console_users limit 1`,
    [merchantId],
  );
  // Whether anything waits is asked for once within some seconds.
  const found = await until('it is offered', async () => {
    const now = await offered();
    return now.length > 0 && now;
  });
  assert.deepEqual(found, pages.slice(0, 2), 'of the other merchant nothing waits');
  await service.auditor.query('delete from console_requests');
});

test('a filter of the audit log that is not understood says so, and shows no entry', async () => {
  const cases = [
    ['action=login.acept', /A ação login\.acept não existe\./],
    ['from=2026-02-30', /2026-02-30/],
    ['to=ontem', /ontem/],
    ['from=2026-03-02&to=2026-03-01', /O último dia vem antes do primeiro\./],
    ['before=0', /Esta página da lista não existe\./],
    [`actor=${'a'.repeat(101)}`, /Nenhum autor tem um nome tão longo\./],
  ] as const;
  for (const [query, said] of cases) {
    const text = await shown(admin, `/console/audit?${query}`);
    assert.match(wordsOf(text), said);
    assert.ok(!text.includes('<table '), query);
  }
  assert.ok((await shown(admin, '/console/audit?action=user.invite&from=2020-01-01')).includes('<table '));
});
