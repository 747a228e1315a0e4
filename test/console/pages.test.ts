import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { inDays } from '../boletos/boleto-service.ts';
import { call, logIn, pay, TEST_CARD, tokenize } from '../kit/merchant.ts';
import { openTestService, type TestService } from '../kit/service.ts';
import { giveBack, hiddenFields, searchFor, signedIn, type Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let merchantId: string;
let token: string;
let finance: Visitor;
let home: string;
before(async () => {
  service = await openTestService();
  const demo = await service.demo();
  ({ merchantId } = demo);
  token = await logIn(service.gatewayUrl, demo.gateway);
  finance = await signedIn(service, 'finance', merchantId);
  home = `/console/merchants/${merchantId}`;
});
after(() => service.close());

async function paid(amount: number, change: Record<string, unknown> = {}): Promise<string> {
  const { reply } = await pay(service.gatewayUrl, token, amount, change);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.paymentAuthorization.paymentId as string;
}

async function shown(visitor: Visitor, path: string): Promise<string> {
  const { status, text } = await visitor.slowly(path);
  assert.equal(status, 200, `${path}: ${text}`);
  return text;
}

test('browsers get the icon also where no page names it', async () => {
  const icon = await fetch(`${finance.origin}/favicon.ico`);
  assert.equal(icon.status, 200);
  assert.match(icon.url, /\/console\/assets\/icon-\w+\.svg$/);
  assert.ok((await shown(finance, `${home}/payments`)).includes(`href="${new URL(icon.url).pathname}"`));
});

test('before the first payment the list says what to do', async () => {
  const words = wordsOf(await shown(finance, `${home}/payments`));
  assert.match(words, /Nenhum pagamento nestes dias\./);
});

test('a payment is in the list of its day, and its page says what became of it', async () => {
  const id = await paid(129_90, {
    payment: { transactionType: 'credit', amount: 12_990, productType: 'lojista', installments: 3 },
    referenceTransaction: 'PEDIDO-7001',
  });
  const list = await shown(finance, `${home}/payments`);
  assert.ok(list.includes(`href="${home}/payments/${id}"`));
  const words = wordsOf(await shown(finance, `${home}/payments/${id}`));
  for (const expected of [
    'R$ 129,90',
    'Autorizada',
    'PEDIDO-7001',
    'O emissor aprovou, código',
    'Parcela 3 autorizada',
    'Mastercard •••• 0001',
  ])
    assert.ok(words.includes(expected), `${expected}: ${words}`);
  const english = await finance.ask(`${home}/payments/${id}`, { headers: { 'accept-language': 'en' } });
  assert.match(english.text, /<html lang="en">/);
  assert.ok(wordsOf(english.text).includes('Installment 3 authorized'));
  // Of many one row, which opens.
  const payment = { transactionType: 'credit', amount: 12_000, productType: 'lojista', installments: 12 };
  const twelve = await shown(finance, `${home}/payments/${await paid(12_000, { payment })}`);
  assert.match(
    twelve,
    /<summary>Parcelas autorizadas: 12<\/summary><ol class="timeline">.*Parcela 12 autorizada/s,
  );
});

test('filters stand in the address, and what they must not be is said in the words of the API', async () => {
  await paid(1_000, { referenceTransaction: 'PEDIDO-7002' });
  const found = await shown(finance, `${home}/payments?referenceTransaction=PEDIDO-7002&status=Autorizada`);
  assert.equal(found.match(/<th scope="row"/g)?.length, 1);
  assert.ok(found.includes('value="PEDIDO-7002"'));
  const wrong = await shown(finance, `${home}/payments?dateRangeStartDate=2026-02-30`);
  assert.match(wrong, /role="alert"/);
  const pages = await shown(finance, `${home}/payments?page=999`);
  assert.match(wordsOf(pages), /Nenhum pagamento nestes dias/);
});

test('one box finds a payment by its id, reference, NSU, authorization code and last four', async () => {
  const id = await paid(2_000, { referenceTransaction: 'PEDIDO-7003' });
  const { body } = await call(service.gatewayUrl, `/v1/payments/${id}`, { token });
  for (const text of [id, 'PEDIDO-7003', body.nsu, body.authorizationCode]) {
    const led = await searchFor(finance, home, text);
    assert.deepEqual([led.status, led.headers.get('location')], [303, `${home}/payments/${id}`], text);
  }
  assert.ok((await searchFor(finance, home, '0001')).text.includes(id));
  assert.match(wordsOf((await searchFor(finance, home, 'nothing-of-it')).text), /Nada foi encontrado\./);
});

/** Without looking first at what it does. */
async function atOnce(page: string, fields: Readonly<Record<string, string>>) {
  const hidden = hiddenFields(await shown(finance, page), `${page}/give-back`);
  return finance.slowly(`${page}/cancel`, { form: { ...hidden, ...fields } });
}

test('money goes back with a reason, once however often the form is sent, and both are audited before', async () => {
  const id = await paid(5_000);
  const page = `${home}/payments/${id}`;
  const fields = hiddenFields(await shown(finance, page), `${page}/give-back`);
  const form = { ...fields, amount: '20,00', reason: 'cliente desistiu' };
  const answers = [];
  for (let sent = 0; sent < 2; sent += 1) answers.push(await finance.ask(`${page}/cancel`, { form }));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [303, 200],
  );
  assert.match(wordsOf(answers[1]?.text ?? ''), /Já foi feito/);
  const { body } = await call(service.gatewayUrl, `/v1/payments/${id}`, { token });
  assert.equal(body.canceledAmount, 2_000);
  assert.equal(body.cancels.length, 1);
  const done = await shown(finance, answers[0]?.headers.get('location') ?? '');
  assert.match(wordsOf(done), /Solicitação aceita: veja o status do pagamento/);
  assert.match(wordsOf(done), /R\$ [\d,]+ Autorizada Estornada em parte/);
  assert.match(wordsOf(await shown(finance, `${home}/payments`)), /•••• \d{4} Autorizada Estornada em parte/);
  assert.match(wordsOf(done), /Estorno de R\$ 20,00 solicitado/);
  const entries = await service.auditor.query(
    "select actor, outcome, detail from audit_entries where action = 'console.act' and resource = $1",
    [`merchants/${merchantId}/payments/${id}/cancel`],
  );
  assert.equal(entries.length, 1);
  assert.match(String(entries[0]?.actor), /^user:finance-/);
  assert.deepEqual(JSON.parse(String(entries[0]?.detail)), {
    operation: 'cancelPayment',
    reason: 'cliente desistiu',
    amount: 2_000,
    form: fields.once,
  });
  const kept = /finance-\w+ Estornar ou liberar R\$ 20,00 cliente desistiu Solicitado/;
  assert.match(wordsOf(done), kept);
  const operator = await signedIn(service, 'admin', null);
  const more = await giveBack(operator, page, { amount: '1,00', reason: 'a pedido da loja' });
  assert.equal(more.status, 303);
  const suspected = { account: '8800009', reason: 'com suspeita' };
  assert.equal((await operator.send(home, `${home}/accounts`, suspected)).status, 303);
  const late = { ...fields, once: randomUUID(), amount: '99,00', reason: 'engano' };
  assert.equal((await finance.slowly(`${page}/cancel`, { form: late })).status, 409);
  const admin = await signedIn(service, 'admin', merchantId);
  const history = wordsOf(await shown(admin, `${home}/history`));
  assert.match(history, kept);
  assert.match(history, /O operador Estornar ou liberar R\$ 1,00 – Solicitado/);
  assert.doesNotMatch(history, /a pedido da loja|com suspeita/);
  assert.match(wordsOf(await shown(operator, `${home}/history`)), /com suspeita Solicitado/);
  assert.match(history, /finance-\w+ Estornar ou liberar R\$ 99,00 engano Recusado: nada foi feito/);
  assert.match(wordsOf(await shown(operator, `${home}/history`)), /admin-\w+ Estornar ou liberar R\$ 1,00/);
  assert.equal((await finance.slowly(`${home}/history`)).status, 403);
});

test('what goes back is shown before it does, beside what may be the same sale twice, and only as it was seen', async () => {
  const [id, twin] = [
    await paid(4_200, { referenceTransaction: 'DOBRO-1' }),
    await paid(4_200, { referenceTransaction: 'DOBRO-1' }),
  ];
  const other = await paid(4_300, { referenceTransaction: 'DOBRO-1' });
  const page = `${home}/payments/${id}`;
  const fields = { amount: '12,00', reason: 'item em falta' };
  const review = await finance.send(page, `${page}/give-back`, fields);
  const words = wordsOf(review.text);
  assert.match(words, /Valor a devolver R\$ 12,00 .*Fica com você R\$ 30,00/);
  assert.match(words, /cobrada em duplicidade/);
  assert.ok(review.text.includes(`/payments/${twin}"`) && !review.text.includes(`/payments/${other}"`));
  assert.ok(review.text.includes('value="item em falta"'));
  await call(service.gatewayUrl, `/v1/payments/${id}/cancel`, { token, body: { amount: 1_200 } });
  const form = hiddenFields(review.text, `${page}/cancel`);
  const late = await finance.slowly(`${page}/cancel`, { form });
  assert.equal(late.status, 409);
  assert.match(wordsOf(late.text), /Algo mudou desde que você conferiu/);
  assert.match(late.text, /<details class="action" open>[\s\S]*name="amount"[^>]*value="12,00"/);
  const { body } = await call(service.gatewayUrl, `/v1/payments/${id}`, { token });
  assert.equal(body.canceledAmount, 1_200);
  const tooMuch = await finance.send(page, `${page}/give-back`, { ...fields, amount: '30,01' });
  assert.match(wordsOf(tooMuch.text), /Restam R\$ 30,00/);
  assert.match(tooMuch.text, /name="amount"[^>]*value="30,01"/);
});

const PAYER = {
  'payer.name': 'Ana <Souza>',
  'payer.documentNumber': '529.982.247-25',
  'payer.address.zipCode': '01001-000',
  'payer.address.street': 'Rua das Flores',
  'payer.address.number': '100',
  'payer.address.district': 'Centro',
  'payer.address.city': 'São Paulo',
  'payer.address.state': 'sp',
};

test('a Pix and a boleto are made on a page, once however often they are sent, and a fault keeps what was typed', async () => {
  const page = `${home}/charge`;
  const reason = 'pedido por telefone';
  const wrong = await finance.send(page, `${page}/boleto`, { ...PAYER, value: '12,5o', reason });
  assert.equal(wrong.status, 400);
  assert.match(wordsOf(wrong.text), /Escreva o valor em reais/);
  assert.match(wrong.text, /name="payer\.name"[^>]*value="Ana &lt;Souza&gt;"/);
  for (const [way, fields] of [
    [
      'pix',
      {
        amount: '12,50',
        expiresInSeconds: '3600',
        'payer.name': 'Ana',
        'payer.documentNumber': '52998224725',
      },
    ],
    ['boleto', { ...PAYER, value: '12,50', dueDate: inDays(3), 'fine.percent': '2,5' }],
  ] as const) {
    const shownThere = (await finance.turnTo(page)).text;
    const form = { ...hiddenFields(shownThere, `${page}/${way}`), ...fields, reason };
    const made = await finance.slowly(`${page}/${way}`, { form });
    assert.equal(made.status, 303, made.text);
    const again = await finance.slowly(`${page}/${way}`, { form });
    assert.match(wordsOf(again.text), /Já foi feito/);
    const [where = ''] = (made.headers.get('location') ?? '').split('?');
    assert.match(wordsOf(await shown(finance, where)), /R\$ 12,50/);
  }
  const count = (table: string) => service.auditor.query(`select from ${table} where amount = 1250`);
  assert.deepEqual([(await count('pix_charges')).length, (await count('boletos')).length], [1, 1]);
  const card = await finance.send(page, `${page}/pix`, {
    amount: '1,00',
    description: '5155901222280001',
    reason,
  });
  assert.ok(card.status === 400 && !card.text.includes('5155901222280001'), card.text);
});

const HELD = { transactionType: 'credit', productType: 'avista', installments: 1, captureType: 'pa' };

test('a plan, a subscription to it and a capture are made on pages, and an address is registered by an administrator', async () => {
  const reason = 'pedido por telefone';
  const follow = async (
    visitor: Visitor,
    page: string,
    action: string,
    fields: Readonly<Record<string, string>>,
  ) => {
    const made = await visitor.send(page, action, { ...fields, reason });
    assert.equal(made.status, 303, made.text);
    return (made.headers.get('location') ?? '').split('?')[0] ?? '';
  };
  const plan = await follow(finance, `${home}/plans`, `${home}/plans/new`, {
    name: 'Clube',
    description: 'Um livro por mês',
    amount: '49,90',
    planType: 'Monthly',
    paymentMethod: 'CreditCard',
    trialDays: '7',
  });
  assert.match(wordsOf(await shown(finance, `${plan}?lastFour=9999`)), /Nenhum cartão guardado corresponde/);
  const card = await call(service.gatewayUrl, '/v1/vaults/cards', {
    token,
    body: {
      numberToken: await tokenize(service.gatewayUrl, token, TEST_CARD),
      brand: 'mastercard',
      cardholderName: 'ANA SOUZA',
      expirationMonth: '12',
      expirationYear: '39',
    },
  });
  const fields = {
    planId: plan.split('/').at(-1) ?? '',
    vaultId: card.body.vaultId as string,
    orderNumber: 'A-1',
    'customer.name': 'Ana',
  };
  const none = await finance.send(`${plan}?lastFour=0001`, `${home}/subscriptions/new`, {
    ...fields,
    'customer.email': 'ana',
    reason,
  });
  assert.equal(none.status, 400);
  assert.match(none.text, /Mastercard •••• 0001 · 12\/39/);
  assert.match(none.text, /name="customer\.name"[^>]*value="Ana"/);
  const subscription = await follow(finance, `${plan}?lastFour=0001`, `${home}/subscriptions/new`, fields);
  const reads = "select from audit_entries where action = 'card.read' and resource not like '%/cards'";
  const before = await service.auditor.query(reads);
  assert.match(wordsOf(await shown(finance, subscription)), /Em período de teste .*Mastercard •••• 0001/);
  assert.equal(
    (await service.auditor.query(reads)).length,
    before.length,
    'a page that is looked at seals nothing',
  );
  assert.match(
    wordsOf(await shown(finance, `${home}/subscriptions`)),
    /A-1 Ana Clube R\$ 49,90 Em período de teste/,
  );
  const held = `${home}/payments/${await paid(9_000, { payment: { ...HELD, amount: 9_000 } })}`;
  assert.match(await shown(finance, held), /name="amount"[^>]*value="90,00"/);
  await follow(finance, held, `${held}/capture`, { amount: '70,00' });
  assert.match(wordsOf(await shown(finance, held)), /R\$ 70,00 Autorizada/);
  const admin = await signedIn(service, 'admin', merchantId);
  const page = `${home}/notifications`;
  assert.ok(!(await shown(finance, page)).includes('/address"'));
  await follow(admin, page, `${page}/address`, { url: 'http://127.0.0.1:18999/avisos' });
  assert.ok((await shown(admin, page)).includes('http://127.0.0.1:18999/avisos'));
  await follow(admin, page, `${page}/notifiers/new`, {
    name: 'Cobranças',
    callbackUrl: 'http://127.0.0.1:18999/x',
  });
  const [, end = ''] = /action="([^"]*\/end)"/.exec(await shown(admin, page)) ?? [];
  await follow(admin, page, end, {});
  await follow(admin, page, `${page}/address/remove`, {});
  assert.match(wordsOf(await shown(admin, page)), /Nenhum endereço/);
});

test('a reason with a card number is refused, and no entry of the audit log has the number', async () => {
  const page = `${home}/payments/${await paid(3_000)}`;
  const number = '5155901222280001';
  const sent = await atOnce(page, { amount: '1,00', reason: number });
  assert.equal(sent.status, 400);
  assert.match(wordsOf(sent.text), /Um motivo não contém número de cartão\./);
  const entries = await service.auditor.query(
    "select entry_number from audit_entries where detail like '%' || $1 || '%'",
    [number],
  );
  assert.deepEqual(entries, []);
});

test('a card number is refused wherever somebody looks for something, and stands in no entry and no log', async () => {
  const number = '4111111111111111';
  const admin = await signedIn(service, 'admin', null);
  for (const path of [
    `${home}/payments?referenceTransaction=${number}`,
    `${home}/payments?${number}=1`,
    `${home}/payments.csv?referenceTransaction=4111+1111+1111+1111`,
    `${home}/subscriptions?planName=${number}`,
    `/console/audit?actor=${number}`,
    `/console/users?name=${number}`,
    '/console/merchants?text=4111-1111-1111-1111',
  ]) {
    const { status, text } = await admin.ask(path);
    assert.equal(status, 400, path);
    assert.match(wordsOf(text), /Isto parece um número de cartão, que não pode ser digitado aqui/, path);
  }
  const searched = await searchFor(finance, home, number);
  assert.equal(searched.status, 400);
  assert.match(wordsOf(searched.text), /busque pelos quatro últimos dígitos/);
  const stranger = await admin.ask(`${home}/payments?referenceTransaction=${number}`, { cookie: null });
  assert.equal(stranger.headers.get('location'), '/console/sign-in');
  const page = `${home}/payments/${await paid(3_000)}`;
  const form = { ...hiddenFields(await shown(finance, page), `${page}/give-back`), reason: 'engano' };
  await finance.slowly(`${home}/payments/${number}/cancel`, { form });
  await call(service.gatewayUrl, `/v1/payments/${number}/cancel`, { token, body: {} });
  const entries = await service.auditor.query(
    "select entry_number from audit_entries where resource || actor || detail like '%' || $1 || '%'",
    [number],
  );
  assert.deepEqual(entries, []);
  const [masked] = await service.auditor.query(
    "select resource from audit_entries where action = 'console.act' order by entry_number desc limit 1",
  );
  assert.equal(masked?.resource, `merchants/${merchantId}/payments/${'*'.repeat(16)}/cancel`);
});

test('a reason that names a person by CPF or e-mail address is refused', async () => {
  const page = `${home}/payments/${await paid(3_000)}`;
  for (const reason of ['pedido de 529.982.247-25', 'escreveu zeca@cliente.example']) {
    const sent = await atOnce(page, { amount: '1,00', reason });
    assert.equal(sent.status, 400);
    const first = await giveBack(finance, page, { amount: '1,00', reason });
    assert.match(first.text, /name="amount"[^>]*value="1,00"/);
    for (const { text } of [sent, first])
      assert.match(wordsOf(text), /Um motivo não pode identificar pessoas/);
  }
});

test('nothing is done without a reason, and a refusal is shown in the words of the API and audited', async () => {
  const id = await paid(3_000);
  const page = `${home}/payments/${id}`;
  const without = await atOnce(page, {});
  assert.equal(without.status, 400);
  const tooMuch = await atOnce(page, { amount: '99,00', reason: 'x' });
  assert.equal(tooMuch.status, 409);
  assert.match(wordsOf(tooMuch.text), /O valor é maior do que resta do pagamento\./);
  const malformed = await atOnce(page, { amount: 'doze', reason: 'x' });
  assert.equal(malformed.status, 400);
  assert.match(wordsOf(malformed.text), /Escreva o valor em reais, como 1\.234,56\./);
  const { body } = await call(service.gatewayUrl, `/v1/payments/${id}`, { token });
  const withCard = await atOnce(page, {
    amount: '1,00',
    reason: '5155 9012 2228 0001',
  });
  assert.equal(withCard.status, 400);
  assert.match(wordsOf(withCard.text), /Um motivo não contém número de cartão\./);
  const kept = await service.auditor.query(`select from audit_entries where detail::text ~ '5155.?9012'`);
  assert.equal(kept.length, 0);
  assert.equal(body.canceledAmount, 0);
  const entries = await service.auditor.query(
    'select action, outcome from audit_entries where resource = $1 order by entry_number',
    [`merchants/${merchantId}/payments/${id}/cancel`],
  );
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['console.act', 'console.refuse', 'console.act', 'console.refuse'],
  );
});

test('who may look only is not offered what others may do', async () => {
  const id = await paid(1_500);
  const viewer = await signedIn(service, 'viewer', merchantId);
  assert.ok(!(await shown(viewer, `${home}/payments/${id}`)).includes('/give-back"'));
  assert.ok((await shown(finance, `${home}/payments/${id}`)).includes('/give-back"'));
});

test('nobody but the service can make a page say that something was done', async () => {
  const id = await paid(1_600);
  const page = await shown(finance, `${home}/payments/${id}?done=cancelPayment.AAAAAAAAAAAAAAAA`);
  assert.ok(!wordsOf(page).includes('Solicitação aceita: veja o status do pagamento'));
});

test('texts of merchants and buyers are shown as texts', async () => {
  const hostile = `"><script>alert(1)</script><img src=x onerror=x>`.slice(0, 50);
  const id = await paid(1_700, { referenceTransaction: hostile });
  await service.auditor.query('update merchants set legal_name = $1 where merchant_id = $2', [
    `<b>'"Loja`,
    merchantId,
  ]);
  const admin = await signedIn(service, 'admin', null);
  const q = encodeURIComponent(`"><script>alert(2)</script>`);
  for (const path of [
    `${home}/payments`,
    `${home}/payments/${id}`,
    `${home}/payments?referenceTransaction=${q}`,
    `/console/audit?actor=${q}`,
    '/console/merchants',
  ]) {
    const text = await shown(admin, path);
    assert.ok(!/<script>|<img|<b>/.test(text), path);
  }
  assert.ok((await shown(admin, `${home}/payments/${id}`)).includes('&lt;script&gt;alert(1)'));
  const searched = await searchFor(admin, home, `"><script>alert(2)</script>`);
  assert.ok(searched.status === 200 && !/<script>|<img|<b>/.test(searched.text), searched.text);
});

test('an operator sees at a glance that all is known, or what is not', async () => {
  const admin = await signedIn(service, 'admin', null);
  const words = wordsOf(await shown(admin, '/console/health'));
  for (const expected of ['Nenhuma pendência', 'Cobrança mais antiga a fazer', 'Estabelecimentos 1'])
    assert.ok(words.includes(expected), `${expected}: ${words}`);
});

test('the audit log is read newest first, page by page, and its reading stands in it', async () => {
  const admin = await signedIn(service, 'admin', null);
  const first = await shown(admin, '/console/audit?action=console.act');
  assert.match(wordsOf(first), /operation: cancelPayment, reason: cliente desistiu/);
  const numbers = [
    ...(await shown(admin, '/console/audit')).matchAll(
      /<th scope="row" role="rowheader" class="number">(\d+)</g,
    ),
  ].map(([, number]) => Number(number));
  assert.deepEqual(
    numbers,
    numbers.toSorted((one, other) => other - one),
  );
  const older = await shown(admin, `/console/audit?before=${numbers[4]}`);
  const [next] = [...older.matchAll(/<th scope="row" role="rowheader" class="number">(\d+)</g)].map(
    ([, number]) => Number(number),
  );
  assert.equal(next, (numbers[4] ?? 0) - 1);
  const empty = await shown(admin, '/console/audit?actor=somebody-else');
  assert.match(wordsOf(empty), /Nenhum registro encontrado\./);
  const entries = await service.auditor.query(
    "select count(*)::int as n from audit_entries where action = 'audit.read' and detail like '%somebody-else%'",
  );
  assert.equal(entries[0]?.n, 1);
});

test('what the console speaks is what the user chose', async () => {
  const visitor = await signedIn(service, 'viewer', merchantId);
  assert.match(await shown(visitor, `${home}/payments`), /<html lang="pt-BR">/);
  const sent = await visitor.send(`${home}/payments`, '/console/language', { language: 'en' });
  assert.equal(sent.status, 303);
  const english = await shown(visitor, `${home}/payments`);
  assert.match(english, /<html lang="en">/);
});
