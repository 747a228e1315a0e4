import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createForeignMerchant, FOREIGN_MERCHANT } from '../kit/foreign-merchant.ts';
import { call, cpfOf, logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { linksOf } from '../payments/linked.ts';
import { pay as payPix, pixShopOf, read as readPix, untilStatus } from '../pix/pix-service.ts';
import { type MerchantThings, makeThings } from './merchant-things.ts';
import { giveBack, hiddenFields, type Shown, searchFor, signedIn, type Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let merchantId: string;
let home: string;
let viewer: Visitor;
let token: string;
let things: MerchantThings;
before(async () => {
  service = await openTestService();
  const demo = await service.demo();
  ({ merchantId } = demo);
  home = `/console/merchants/${merchantId}`;
  viewer = await signedIn(service, 'viewer', merchantId);
  token = await logIn(service.gatewayUrl, demo.gateway);
  things = await makeThings(service);
});
after(() => service.close());

async function shown(visitor: Visitor, path: string): Promise<string> {
  const { status, text } = await visitor.turnTo(path);
  assert.equal(status, 200, `${path}: ${text}`);
  return text;
}

async function paid(amount: number, change: Record<string, unknown>): Promise<string> {
  const { reply } = await pay(service.gatewayUrl, token, amount, change);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.paymentAuthorization.paymentId as string;
}

test('a document finds payments, subscriptions and boletos of its customer, and stands in no address', async () => {
  const { documentNumber, subscriptionId, boletoId } = things;
  const id = await paid(4_200, {
    customer: { documentType: 'cpf', documentNumber: '529.982.247-25', firstName: 'Ana', lastName: 'Souza' },
  });
  for (const text of [documentNumber, '529.982.247-25']) {
    const found = await searchFor(viewer, home, text);
    assert.equal(found.status, 200, found.text);
    for (const place of [`payments/${id}`, `subscriptions/${subscriptionId}`, `boletos/${boletoId}`])
      assert.ok(found.text.includes(`href="${home}/${place}"`), `${place}: ${wordsOf(found.text)}`);
    assert.doesNotMatch(found.text, /href="[^"]*529\.?982/);
  }
  const box = /<form class="search"[^>]*>/.exec(await shown(viewer, `${home}/payments`))?.[0] ?? '';
  assert.match(box, /method="post"/);
  assert.match(wordsOf((await searchFor(viewer, home, '111.444.777-35')).text), /Nada foi encontrado\./);
  const list = await shown(viewer, `${home}/subscriptions?documentNumber=11144477735`);
  assert.ok(list.includes(subscriptionId), 'a document in an address filters nothing');
});

test('a payment names its customer, whose page has all that he bought; his data is masked, and shown by an audited act', async () => {
  const { documentNumber, subscriptionId, boletoId, billingId } = things;
  const email = 'ana.souza@cliente.example';
  const mobilePhoneNumber = '11 98765-4321';
  const customer = { documentNumber, firstName: 'Ana', lastName: 'Souza', email, mobilePhoneNumber };
  const id = await paid(4_300, { customer });
  const page = `${home}/payments/${id}`;
  const buyer = `${home}/buyers/${id}`;
  const texts: string[] = [];
  for (const path of [page, `${home}/payments`, buyer, `${page}/receipt`]) {
    const text = await shown(viewer, path);
    assert.match(wordsOf(text), /Ana Souza/, path);
    texts.push(text);
  }
  const [whole = '', list = '', all = ''] = texts;
  assert.ok([whole, list].every((text) => text.includes(`href="${buyer}"`)));
  assert.match(wordsOf(whole), /\*{3}\.982\.247-\*\* E-mail a\*{3}@cliente\.example/);
  for (const place of [`payments/${id}`, `subscriptions/${subscriptionId}`, `boletos/${boletoId}`])
    assert.ok(all.includes(`href="${home}/${place}"`), `${place}: ${wordsOf(all)}`);
  assert.match(wordsOf(all), /Cartões guardados .*Mastercard •••• 0001 12\/39/);
  const charged = /href="([^"]*\/buyers\/[^"]*)">&lt;b&gt;Ana/.exec(
    await shown(viewer, `${home}/payments?status=Negada`),
  );
  assert.ok(charged !== null, `the charge of ${billingId} names the subscriber`);
  for (const bought of [subscriptionId, boletoId]) {
    const other = await shown(viewer, `${home}/buyers/${bought}`);
    assert.ok(other.includes(`href="${page}"`), bought);
    texts.push(other);
  }
  for (const text of texts) assert.doesNotMatch(text, /529\.?982|ana\.souza@|98765/);
  assert.ok(!all.includes(`${buyer}/reveal`), 'a viewer is shown nothing whole');
  const support = await signedIn(service, 'support', merchantId);
  const rowOf = async (visitor: Visitor) =>
    (await shown(visitor, `${home}/payments.csv`)).split('\r\n').find((row) => row.includes(id)) ?? '';
  assert.ok((await rowOf(viewer)).includes(';Ana Souza;***.982.247-**;a***@cliente.example;Cartão;'));
  assert.ok((await rowOf(support)).includes(`;Ana Souza;529.982.247-25;${email};Cartão;`));
  const revealed = await support.send(buyer, `${buyer}/reveal`, { reason: 'Pedido 12 pelo telefone' });
  assert.match(
    wordsOf(revealed.text),
    /529\.982\.247-25 E-mail ana\.souza@cliente\.example Telefone 11 98765-4321/,
  );
  const [entry] = await service.auditor.query(
    `select detail from audit_entries where resource = $1 and action = 'console.act'`,
    [`${buyer}/reveal`.replace('/console/', '')],
  );
  const { operation, reason } = JSON.parse(entry?.detail as string);
  assert.deepEqual([operation, reason], ['revealBuyer', 'Pedido 12 pelo telefone']);
});

test('the box finds by name and e-mail, amount, day, last four and order number, whatever was bought', async () => {
  const named = { documentNumber: cpfOf(300_001), firstName: 'Fábio', lastName: 'Ítalo Nóbrega' };
  const id = await paid(25_987, { customer: { ...named, email: 'Fabio.Nobrega@cliente.example' } });
  const nameless = await paid(25_986, { customer: { email: 'so.email@cliente.example' } });
  const { subscriptionId, boletoId } = things;
  const today = new Date().toLocaleDateString('pt-BR', { timeZone: 'America/Sao_Paulo' });
  const places = {
    'fabio nobr': `payments/${id}`,
    ITALO: `payments/${id}`,
    'fabio.nobrega@cliente.example': `payments/${id}`,
    'so.email@cliente.example': `payments/${nameless}`,
    '259,87': `payments/${id}`,
    [`R$ 259,87 final 0001 ${today}`]: `payments/${id}`,
    'P-1001': `subscriptions/${subscriptionId}`,
    'ana@cliente.example': `subscriptions/${subscriptionId}`,
    'Ana Souza': `boletos/${boletoId}`,
    [today.slice(0, 5)]: `boletos/${boletoId}`,
  };
  for (const [text, place] of Object.entries(places))
    await until(`${text} finds ${place}`, async () => {
      const found = await searchFor(viewer, home, text);
      const at = `${home}/${place}`;
      return found.headers.get('location') === at || found.text.includes(`href="${at}"`);
    });
  for (const text of ['fabio souza', '259,88', '0002 259,87', 'fabio.nobrega@outro.example'])
    assert.match(wordsOf((await searchFor(viewer, home, text)).text), /Nada foi encontrado\./, text);
});

test('a name or a document that is none stops nobody else from being found, and makes nobody known by it', async () => {
  const { auditor } = service;
  await auditor.query(`alter table buyer_words add constraint no_poison check (word <> 'venenosa')`);
  const odd = await paid(3_101, {
    customer: { documentNumber: '-', firstName: '\u0301', email: '\u0301' },
  });
  await paid(3_102, { customer: { documentNumber: '-', firstName: 'Venenosa' } });
  const document = await paid(3_103, { customer: { documentNumber: 'RG 123', firstName: 'Quitéria' } });
  const last = await paid(3_104, { customer: { documentNumber: cpfOf(300_002), firstName: 'Eulália' } });
  await until('those after it are found', async () => {
    const found = await Promise.all(['quiteria', 'eulalia'].map((text) => searchFor(viewer, home, text)));
    return [document, last].every(
      (id, at) => found[at]?.headers.get('location') === `${home}/payments/${id}`,
    );
  });
  await auditor.query('alter table buyer_words drop constraint no_poison');
  for (const id of [odd, document]) {
    const page = await shown(viewer, `${home}/buyers/${id}`);
    assert.match(wordsOf(page), /Sem CPF ou CNPJ não dá para encontrar/);
    const things = page.match(
      new RegExp(`href="${home}/(payments|subscriptions|boletos)/[0-9a-f-]{36}"`, 'g'),
    );
    assert.deepEqual(things, [`href="${home}/payments/${id}"`]);
  }
  const support = await signedIn(service, 'support', merchantId);
  const buyer = `${home}/buyers/${document}`;
  const revealed = await support.send(buyer, `${buyer}/reveal`, { reason: 'Pedido 13' });
  assert.match(wordsOf(revealed.text), /Quitéria Documento RG 123/);
});

test('what is committed late under an earlier moment is found, and a name of many says that it is cut', async () => {
  const { auditor } = service;
  const named = (firstName: string, lastName: string, document: number) => ({
    customer: { documentNumber: cpfOf(document), firstName, lastName },
  });
  const id = await paid(3_105, named('Zuleica', 'Rara', 300_003));
  const isFound = async (text: string, paymentId: string) =>
    (await searchFor(viewer, home, text)).headers.get('location') === `${home}/payments/${paymentId}`;
  await until('the later one is found', () => isFound('zuleica', id));
  const [late] = await auditor.query(
    `insert into transactions select (jsonb_populate_record(t, jsonb_build_object(
       'transaction_id', gen_random_uuid(), 'created_at', t.created_at - interval '1 second', 'customer', $2::jsonb))).*
     from transactions t where t.transaction_id = $1 returning transaction_id`,
    [id, JSON.stringify(named('Tardia', 'Souza', 300_004).customer)],
  );
  await until('the late one is found', () => isFound('tardia', late?.transaction_id as string));
  await auditor.query(
    `insert into buyer_words
     select $1, 'zuleica', 'zz' || n, current_date from generate_series(1, 2001) n`,
    [merchantId],
  );
  assert.ok(await isFound('zuleica rara', id), 'by the word that fewer have');
  await auditor.query(
    `insert into buyer_words
     select $1, 'rara', '0000' || n, current_date from generate_series(1, 2001) n`,
    [merchantId],
  );
  const both = await searchFor(viewer, home, 'zuleica rara');
  assert.ok(both.text.includes(id), 'by the word of which what was looked at has him');
  const cut = wordsOf((await searchFor(viewer, home, 'zuleica')).text);
  assert.match(cut, /Há mais clientes com este nome do que a busca alcança/);
  assert.doesNotMatch(cut, /Nada foi encontrado/);
  await auditor.query(`delete from buyer_words where word in ('zuleica', 'rara')`);
});

test('notes about a customer are kept for all that he bought, by those who may, until they are removed', async () => {
  const support = await signedIn(service, 'support', merchantId);
  const buyer = `${home}/buyers/${things.boletoId}`;
  const sent = await support.send(buyer, `${buyer}/notes`, { note: 'Prefere <b>Pix' });
  assert.equal(sent.status, 303, sent.text);
  const refused = await support.send(buyer, `${buyer}/notes`, { note: 'cartão 5155901222280001' });
  assert.match(wordsOf(refused.text), /Uma anotação não contém número de cartão/);
  const other = `${home}/buyers/${things.subscriptionId}`;
  assert.match(await shown(viewer, other), /Prefere &lt;b&gt;Pix/);
  assert.ok(!(await shown(viewer, other)).includes('/notes"'));
  const form = { ...hiddenFields(await shown(support, buyer), `${buyer}/notes`), note: 'De quem só lê' };
  assert.equal((await viewer.slowly(`${buyer}/notes`, { form })).status, 403);
  const remove = /action="([^"]*\/notes\/[^"]*\/remove)"/.exec(await shown(support, other))?.[1] ?? '';
  const removed = await support.send(other, remove, { reason: 'não vale mais' });
  assert.equal(removed.status, 303, removed.text);
  assert.ok(!(await shown(viewer, buyer)).includes('Prefere'));
});

test('a boleto is found by our number, by its line as it is printed, and by its bar code', async () => {
  const { integrationUrl, demo } = service;
  const { integration, accountNumber } = await demo();
  const login = await logIn(integrationUrl, integration, '/api/authentication/login');
  const path = `/api/billissuer/${things.boletoId}?accountNumber=${accountNumber}`;
  const { body } = await call(integrationUrl, path, { token: login });
  const line = body.digitableLine as string;
  const printed = `${line.slice(0, 5)}.${line.slice(5, 10)} ${line.slice(10)}`;
  for (const text of [body.ourNumber, line, printed]) {
    const led = await searchFor(viewer, home, text as string);
    assert.deepEqual(
      [led.status, led.headers.get('location')],
      [303, `${home}/boletos/${things.boletoId}`],
      text,
    );
  }
});

/** The simulated bank has an amount with this end paid by itself. */
const PAID_BY_ITSELF = 12_021;

test('a Pix is in the list of payments, found by what its bank calls it, and given back from its page', async () => {
  const body = {
    amount: PAID_BY_ITSELF,
    expiresInSeconds: 3_600,
    referenceTransaction: 'PIX-NO-PAINEL',
    payer: { name: 'Rui Prado', documentNumber: '39053344705' },
  };
  const made = await call(service.gatewayUrl, '/v1/payments/pix', { token, body });
  assert.equal(made.status, 200, made.text);
  const { paymentId, txid } = made.body;
  const read = async () => (await call(service.gatewayUrl, `/v1/payments/${paymentId}`, { token })).body;
  await until('the Pix is paid', async () => (await read()).statusDescription === 'Paga');
  const { endToEndId } = (await read()).payments[0];
  const page = `${home}/payments/${paymentId}`;
  const list = await shown(viewer, `${home}/payments?method=pix`);
  assert.ok(list.includes(`href="${page}"`), list);
  assert.match(wordsOf(list), /Rui Prado .* Pix Paga /);
  assert.ok(!(await shown(viewer, `${home}/payments?method=card`)).includes(paymentId));
  for (const text of [
    paymentId,
    txid,
    endToEndId,
    endToEndId.slice(-20),
    'PIX-NO-PAINEL',
    '390.533.447-05',
  ]) {
    const led = await searchFor(viewer, home, text);
    assert.deepEqual([led.status, led.headers.get('location')], [303, page], text);
  }
  const whole = await shown(viewer, page);
  assert.ok(
    [txid, endToEndId, 'Rui Prado'].every((text) => whole.includes(text)),
    wordsOf(whole),
  );
  assert.ok(!whole.includes(`${page}/give-back`), 'a viewer gives nothing back');
  const finance = await signedIn(service, 'finance', merchantId);
  const given = await giveBack(finance, page, { amount: '20,21', reason: 'Item em falta' });
  assert.equal(given.status, 303, given.text);
  await until('it is given back', async () => (await read()).canceledAmount === 2_021);
  assert.match(wordsOf(await shown(viewer, page)), /Devoluções.*20,21/s);
  assert.match(wordsOf(await shown(viewer, `${page}/receipt`)), /Rui Prado/);
});

test('a Pix that paid beside its link, which had ended, is given back from its page too', async () => {
  const links = linksOf({ url: service.gatewayUrl, token });
  const link = await links.newLink();
  assert.equal((await links.post(link, 'pix')).body.status, 'waiting');
  const [{ id }] = (await links.read(link)).bills;
  await service.auditor.query(
    `update payment_links set state = 'disabled', disable_reason = 'o teste', look_at = null where link_id = $1`,
    [link.id],
  );
  const shop = await pixShopOf(service);
  const endToEndId = await payPix(shop, (await readPix(shop, id)).body.txid);
  await untilStatus(shop, id, 'Paga');
  assert.equal((await readPix(shop, id)).body.payments[0].kind, 'afterEnd');
  const finance = await signedIn(service, 'finance', merchantId);
  const page = `${home}/payments/${id}`;
  const given = await giveBack(finance, page, { amount: '20,21', reason: 'O link tinha acabado' });
  assert.equal(given.status, 303, given.text);
  await until('it is given back', async () => (await readPix(shop, id)).body.canceledAmount === 2_021);
  assert.match(wordsOf(await shown(viewer, page)), /R\$ 20,21 foram devolvidos/);
  assert.ok((await shown(viewer, `${page}/receipt`)).includes(endToEndId));
});

test('what another merchant has is not found', async () => {
  await createForeignMerchant(service.auditor, (await service.demo()).gateway.userName);
  const operator = await signedIn(service, 'admin', null);
  const foreign = `/console/merchants/${FOREIGN_MERCHANT}`;
  const { boletoId, documentNumber, subscriptionId } = things;
  for (const text of [boletoId, documentNumber, subscriptionId, 'ana@cliente.example'])
    assert.match(wordsOf((await searchFor(operator, foreign, text)).text), /Nada foi encontrado\./, text);
  for (const id of [boletoId, subscriptionId])
    assert.equal((await operator.slowly(`${foreign}/buyers/${id}`)).status, 404);
  await service.auditor.query(
    `insert into buyer_notes (merchant_id, note_id, document, note, created_by) values ($1, $2, $3, 'x', 'y')`,
    [FOREIGN_MERCHANT, boletoId, documentNumber],
  );
  const finance = await signedIn(service, 'finance', merchantId);
  const buyer = `${home}/buyers/${boletoId}`;
  const form = { ...hiddenFields(await shown(finance, buyer), `${buyer}/reveal`), reason: 'de outra loja' };
  assert.equal((await finance.slowly(`${buyer}/notes/${boletoId}/remove`, { form })).status, 404);
  assert.equal((await service.auditor.query('select from buyer_notes')).length, 1);
});

const FILTERED = [
  ['payments', 'payments', 'status=Negada'],
  ['subscriptions', 'subscriptions', 'status=Active'],
  ['billings', 'billings', 'status=Denied'],
  ['boletos', 'boletos', 'statusBill=1'],
  ['exceptions', 'reconciliation/exceptions', 'state=open'],
  ['deliveries', 'notifications/deliveries', 'status=GivenUp'],
] as const;

async function save(visitor: Visitor, list: string, query: string, name: string): Promise<Shown> {
  return until('it is not sent too fast', async () => {
    const sent = await visitor.send(`${home}/${list}?${query}`, `${home}/filters`, { name });
    return sent.status === 429 ? null : sent;
  });
}

test('filters of each list are saved under a name, shown above it, and removed', async () => {
  for (const [list, path, query] of FILTERED) {
    const saved = await save(viewer, path, `${query}&page=1`, `Meu <b>${list}`);
    assert.deepEqual([saved.status, saved.headers.get('location')], [303, `${home}/${path}?${query}`], list);
    const bar = await shown(viewer, `${home}/${path}`);
    assert.ok(bar.includes(`<a href="${home}/${path}?${query}">Meu &lt;b&gt;${list}</a>`), bar);
    assert.ok(!(await shown(viewer, `${home}/plans`)).includes('Meu &lt;b&gt;'));
  }
  const page = `${home}/filters`;
  const all = await shown(viewer, page);
  assert.equal(all.match(/Meu &lt;b&gt;\w+<\/a>/g)?.length, FILTERED.length);
  assert.ok(!all.includes('<b>'));
  const removed = await viewer.ask(page, { form: hiddenFields(all, page) });
  assert.equal(removed.status, 303);
  assert.equal((await shown(viewer, page)).match(/Meu &lt;b&gt;\w+<\/a>/g)?.length, FILTERED.length - 1);
  const entries = await service.auditor.query(`select from audit_entries where resource like '%/filters'`);
  assert.equal(entries.length, 0, "a user's own filters are in no audit log");
});

test("saved filters are their user's alone, of one merchant, and no form of a stranger keeps one", async () => {
  const other = await signedIn(service, 'finance', merchantId);
  assert.match(wordsOf(await shown(other, `${home}/filters`)), /Você não salvou nenhum filtro/);
  const form = { list: 'payments', query: 'status=Negada', name: 'Estranho' };
  assert.equal((await other.ask(`${home}/filters`, { form })).status, 403);
  assert.match(wordsOf(await shown(other, `${home}/filters`)), /Você não salvou nenhum filtro/);
});

test('a name is taken once: saved again it is another filter; and there are thirty at most', async () => {
  const user = await signedIn(service, 'support', merchantId);
  for (const query of ['status=Negada', 'status=Paga']) await save(user, 'payments', query, 'Meus');
  const list = await shown(user, `${home}/payments`);
  assert.equal(list.match(/>Meus<\/a>/g)?.length, 1);
  assert.ok(list.includes('payments?status=Paga">Meus'));
  for (let number = 2; number <= 30; number += 1)
    assert.equal((await save(user, 'payments', 'status=Paga', `Filtro ${number}`)).status, 303);
  const full = await save(user, 'payments', 'status=Paga', 'Mais um');
  assert.match(wordsOf(full.text), /Você tem 30 filtros salvos, o máximo: remova um antes\./);
  const renewed = await save(user, 'payments', 'status=Negada', 'Meus');
  assert.equal(renewed.status, 303, 'one that is there is renewed');
});

test('what cannot be saved is refused in a sentence', async () => {
  const user = await signedIn(service, 'operator', merchantId);
  const send = async (fields: Record<string, string>) => {
    const page = await shown(user, `${home}/payments?status=Negada`);
    const form = { ...hiddenFields(page, `${home}/filters`), ...fields };
    return wordsOf((await user.ask(`${home}/filters`, { form })).text);
  };
  assert.match(await send({ name: ' ' }), /Dê um nome, de até 40 caracteres\./);
  assert.match(await send({ name: 'x'.repeat(41) }), /Dê um nome/);
  assert.match(await send({ name: 'a', query: '' }), /Não há o que salvar/);
  assert.match(await send({ name: 'a', list: 'merchants' }), /Não há o que salvar/);
  assert.match(await send({ name: '5155901222280001' }), /Isto parece um número de cartão/);
});
