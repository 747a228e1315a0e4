import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Role } from '../../src/console/parts/user.ts';
import { readClock } from '../kit/clock.ts';
import { type Listener, startListener } from '../kit/listener.ts';
import { call, logIn, paymentRequest, tokenize } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { type FilledConsole, fillConsole } from './filled-console.ts';
import { Hand } from './hand.ts';
import { BOLETO_TYPED, FABIO, JOBS } from './jobs.ts';
import { subscribe } from './merchant-things.ts';
import { DESK, type Look, TestBrowser, withoutChromium } from './test-browser.ts';
import { giveBack, searchFor, signedIn } from './visitor.ts';

const skip = withoutChromium;

let filled: FilledConsole;
let browser: TestBrowser;
let shop: Listener;
let folder: string;
let merchantId: string;
let token: string;
let integrationToken: string;
before(async () => {
  if (skip !== false) return;
  filled = await fillConsole();
  const { service } = filled;
  const demo = await service.demo();
  ({ merchantId } = demo);
  token = await logIn(service.gatewayUrl, demo.gateway);
  integrationToken = await logIn(service.integrationUrl, demo.integration, '/api/authentication/login');
  // What the fill has left for the next charges and cancels is for others.
  await script([]);
  shop = await startListener(500);
  folder = await mkdtemp(join(tmpdir(), 'parcela-saved-'));
  browser = await TestBrowser.open(service);
});
after(async () => {
  if (skip !== false) return;
  await browser?.close();
  await filled?.close();
  await shop?.close();
  await rm(folder, { recursive: true, force: true });
});

type Done = (hand: Hand) => Promise<void>;

function job(
  name: keyof typeof JOBS,
  who: { readonly role: Role; readonly look?: Look; readonly isOperator?: true },
  prepare: () => Promise<Done>,
) {
  const { ours, best, where } = JOBS[name];
  test(`${name}: ${ours} clicks, and ${best} at the best of the others (${where})`, { skip }, async () => {
    const done = await prepare();
    const hand = await Hand.at(browser, who.role, who.isOperator === true ? null : merchantId, who.look);
    await done(hand);
    assert.ok(ours <= best);
    assert.equal(hand.clicks, ours, `${hand.pages} pages`);
    await hand.page.browserContext().close();
  });
}

type Sold = { readonly id: string; readonly nsu: string };

async function sell(amount: number, reference: string, change: object = {}, number?: string): Promise<Sold> {
  const { gatewayUrl } = filled.service;
  const body = {
    ...paymentRequest(await tokenize(gatewayUrl, token, number), amount, { referenceTransaction: reference }),
    ...change,
  };
  const { status, text, body: answer } = await call(gatewayUrl, '/v1/payments', { token, body });
  assert.equal(status, 200, text);
  const { paymentId: id, nsu } = answer.paymentAuthorization;
  return { id, nsu };
}

/** What the acquirer does with the next charges; with cancels nothing. */
async function script(steps: readonly object[]): Promise<void> {
  const { gatewayUrl } = filled.service;
  const path = '/homologation/acquirer/script';
  const scripted = await call(gatewayUrl, path, { method: 'PUT', token, body: { steps } });
  assert.equal(scripted.status, 200, scripted.text);
}

async function paymentOf(id: string) {
  const { status, body, text } = await call(filled.service.gatewayUrl, `/v1/payments/${id}`, { token });
  assert.equal(status, 200, text);
  return body;
}

job('whyBlocked', { role: 'support' }, async () => {
  const { subscriptionId } = await subscribe(filled.service, 10.41, undefined, 'Bia Bloqueada');
  return async (hand) => {
    await hand.press('Assinaturas bloqueadas');
    await hand.press('P-1001', 'Bia Bloqueada');
    assert.match(await hand.words(), /Bloqueada .*Cartão perdido/);
    await hand.open('Abrir a página');
    await hand.type('Motivo', 'o assinante pediu outro cartão');
    await hand.press('Abrir a página');
    const { recurrence } = await filled.service.demo();
    const ofRecurrence = await logIn(filled.service.gatewayUrl, recurrence);
    const path = `/v1/recurrences/subscriptions/${subscriptionId}/page`;
    const { body } = await call(filled.service.gatewayUrl, path, { token: ofRecurrence });
    // The console says it under the name by which it was asked.
    assert.ok((await hand.words()).includes(new URL(body.url).pathname), 'its address is there to be sent');
  };
});

/** What was sold while the address answered 500, and was given up then; the address is well now. */
async function failDeliveries(): Promise<number> {
  const { service } = filled;
  const { accountNumber } = await service.demo();
  const path = `/api/webhooks/subscriptions?accountNumber=${accountNumber}`;
  const registered = await call(service.integrationUrl, path, {
    token: integrationToken,
    body: { url: shop.url },
  });
  assert.equal(registered.status, 200, registered.text);
  await sell(4_500, 'PEDIDO-9003');
  await until('it was tried', async () => shop.received.length > 0);
  const lost = await service.auditor.query(
    `update deliveries set state = 'givenUp', due_at = null, ended_at = now(), lease_expires_at = null, fence = fence + 1
     where merchant_id = $1 and account_number = $2 and state = 'waiting' returning 1`,
    [merchantId, accountNumber],
  );
  shop.answerWith(200);
  shop.received.length = 0;
  return lost.length;
}

job('sendAgain', { role: 'support' }, async () => {
  const lost = await failDeliveries();
  return async (hand) => {
    await hand.press('Notificações não entregues');
    await hand.open('Enviar todas de novo');
    await hand.type('Motivo', 'o servidor voltou');
    await hand.press(`Enviar até ${lost} de novo`);
    assert.match(await hand.words(), new RegExp(`${lost} est.{1,3} na fila`));
    await until('all of them came', async () => shop.received.length >= lost);
  };
});

const dayText = (day: string) => day.split('-').reverse().join('/');

job('friday', { role: 'viewer' }, async () => async (hand) => {
  const day = dayText(filled.things.day ?? '');
  await hand.press('Conciliação');
  const sentence = 'R\\$ 1,00 a menos do que o esperado';
  assert.match(await hand.words(), new RegExp(`${day} R\\$ [\\d,]+ -R\\$ .*${sentence}`));
  await hand.press(day);
  assert.match(
    await hand.words(),
    new RegExp(`${sentence}.*Vendido, bruto R\\$.*Taxas -R\\$.*Recebido, líquido R\\$.*Taxa diferente`),
  );
});

job('exportMonth', { role: 'viewer' }, async () => async (hand) => {
  const { soldOn: from = '', monthOn: to = '' } = filled.things;
  await hand.press('Pagamentos');
  await hand.type('De', from);
  await hand.type('Até', to);
  await hand.press('Aplicar');
  const { name, content } = await hand.save('Todos os pagamentos encontrados (CSV)', folder);
  const [head = '', ...rows] = content.toString('utf8').trimEnd().split('\r\n');
  assert.match(name, new RegExp(`${from}.*${to}.*\\.csv$`));
  assert.match(head, /^\uFEFF.*Cliente.*Taxas.*Líquido/);
  const { body } = await call(
    filled.service.gatewayUrl,
    `/v1/payments?dateRangeStartDate=${from}&dateRangeEndDate=${to}`,
    { token },
  );
  assert.equal(rows.length, body.total);
});

job('worthRetrying', { role: 'finance' }, async () => async (hand) => {
  await hand.press('Gráficos');
  assert.match(
    await hand.words(),
    /Negadas por código Outra tentativa pode dar certo Outra tentativa não adianta .*51 Mastercard: Saldo ou limite insuficiente.*Tentar cada uma mais uma vez custaria R\$/,
  );
});

job('planAndSubscription', { role: 'finance' }, async () => async (hand) => {
  await hand.press('Planos');
  await hand.open('Criar um plano');
  await hand.type('Nome', 'Clube de janeiro');
  await hand.type('Descrição', 'Um livro por mês');
  await hand.type('Valor em reais', '59,90');
  await hand.type('Motivo', 'plano novo');
  await hand.press('Criar um plano');
  await hand.type('Final do cartão (4 dígitos)', '0001');
  await hand.press('Aplicar', 'Final do cartão');
  await hand.open('Criar assinatura');
  await hand.type('Número do pedido', 'P-9007');
  await hand.type('Motivo', 'pediu por telefone');
  await hand.press('Criar assinatura');
  assert.match(await hand.words(), /R\$ 59,90 Ativa .*P-9007 .*Clube de janeiro/);
  await hand.sees(/R\$ 59,90 Paga/);
});

job('boleto', { role: 'support' }, async () => async (hand) => {
  await hand.press('Cobrar');
  await hand.open('Emitir um boleto');
  for (const [label, text] of Object.entries(BOLETO_TYPED)) await hand.type(label, text);
  await hand.press('Emitir um boleto');
  assert.match(await hand.sees(/R\$ 149,90 Emitido/), /Bruno Lima/);
  const address = /(http\S+\/boletos\/\w+)/.exec(await hand.words())?.[1] ?? '';
  await hand.open(address);
  assert.equal(await hand.page.evaluate('getSelection().toString().trim()'), address, 'ready to be copied');
  const page = await fetch(address);
  assert.match(await page.text(), /149,90/);
});

job('rotate', { role: 'admin' }, async () => {
  const before = await signedIn(filled.service, 'admin', merchantId);
  const page = `/console/merchants/${merchantId}/credentials`;
  const made = await before.send(page, `${page}/new`, {
    use: 'gateway',
    userName: 'loja-2026',
    reason: 'loja',
  });
  const old = /class="secret">([^<]+)</.exec(made.text)?.[1] ?? '';
  const { gatewayUrl } = filled.service;
  await logIn(gatewayUrl, { userName: 'loja-2026', password: old });
  return async (hand) => {
    await hand.press('Credenciais');
    await hand.open('Nova credencial');
    await hand.type('Nome de usuário', 'loja-2027');
    await hand.type('Motivo', 'troca anual');
    await hand.press('Nova credencial');
    const password = await hand.words('code.secret');
    await logIn(gatewayUrl, { userName: 'loja-2027', password });
    await hand.press('Voltar');
    await hand.open('Desativar', 'loja-2026');
    await hand.type('Motivo', 'troca anual');
    await hand.press('Desativar', 'loja-2026');
    const refused = await call(gatewayUrl, '/api/auth/token', {
      body: { userName: 'loja-2026', password: old },
    });
    assert.equal(refused.status, 401);
  };
});

job('invite', { role: 'admin' }, async () => async (hand) => {
  await hand.press('Usuários');
  await hand.open('Convidar um usuário');
  await hand.type('Nome', 'carla@loja.example');
  await hand.type('Motivo', 'contadora');
  await hand.press('Convidar um usuário');
  const link = /\/console\/links\/\S+/.exec(await hand.words())?.[0] ?? '';
  const page = await browser.newPage();
  await page.goto(browser.origin + link);
  await Promise.all([page.waitForNavigation(), page.click('form:not([data-passkey]) button')]);
  assert.match(await page.$eval('.user', (one) => one.textContent ?? ''), /carla@loja\.example Leitor/);
  await page.browserContext().close();
});

/** As a person of the merchant's gives back, alone or with a second one; gives his name. */
async function askBack(id: string, fields: Readonly<Record<string, string>>): Promise<void> {
  const finance = await signedIn(filled.service, 'finance', merchantId);
  const asked = await giveBack(finance, `/console/merchants/${merchantId}/payments/${id}`, fields);
  assert.ok(asked.status < 400, asked.text);
}

job('whoGaveBack', { role: 'admin' }, async () => {
  const { id } = await sell(50_000, 'PEDIDO-9011');
  await askBack(id, { amount: '500,00', reason: 'devolvido na loja' });
  return async (hand) => {
    await hand.press('Histórico');
    assert.match(await hand.words(), /finance-\w+ Estornar.{0,20} R\$ 500,00 devolvido na loja Solicitado/);
  };
});

job('slowAcquirer', { role: 'operator', isOperator: true }, async () => {
  const steps = Array.from({ length: 12 }, () => ({ delayMilliseconds: 4_000 }));
  await script(steps);
  await Promise.all(steps.map((_, number) => sell(2_000, `PEDIDO-9012-${number}`)));
  return async (hand) => {
    await hand.open('Operador');
    await hand.press('Saúde');
    await hand.sees(
      /Precisa de atenção .*Adquirente \d(,\d)? s \(default\) Responde devagar.*O que está em ordem/,
    );
  };
});

job('decide', { role: 'operator', isOperator: true }, async () => async (hand) => {
  const id = filled.things.id ?? '';
  await hand.open('Operador');
  await hand.press('Pendentes de confirmação');
  await hand.press(id);
  await hand.choose('Desfecho', 'Desfeita: nenhuma cobrança fica');
  await hand.type('Motivo', 'a adquirente disse por telefone que desfez');
  await hand.press('Decidir');
  assert.match(await hand.words(), /R\$ 42,00 Desfeita/);
  assert.equal((await paymentOf(id)).statusDescription, 'Desfeita');
});

job('giveBackHalf', { role: 'finance' }, async () => {
  await sell(25_990, 'PEDIDO-9001', { customer: FABIO });
  const { id } = await sell(25_990, 'PEDIDO-9001-2', { customer: FABIO });
  const looking = await signedIn(filled.service, 'viewer', merchantId);
  await until('he is found by his name', async () =>
    /PEDIDO-9001-2/.test((await searchFor(looking, `/console/merchants/${merchantId}`, 'fabio prado')).text),
  );
  return async (hand) => {
    await hand.search('fabio prado');
    await hand.press('PEDIDO-9001-2');
    await hand.open('Estornar');
    await hand.type('Valor em reais', '129,95');
    await hand.type('Motivo', 'cobrado duas vezes');
    await hand.press('Conferir');
    assert.match(await hand.words(), /PEDIDO-9001\b.*Fica com você R\$ 129,95/);
    await hand.press('Estornar R$ 129,95');
    const seen = await hand.sees(/R\$ 129,95 foram estornados ao cartão/);
    assert.match(seen, /Estornada em parte/);
    assert.equal((await paymentOf(id)).canceledAmount, 12_995);
  };
});

/** A give-back beyond what one person may move. */
async function askOfTwo(reference: string): Promise<string> {
  const { id } = await sell(80_000, reference);
  await askBack(id, { reason: `duplicado ${reference}` });
  return id;
}

async function approve(hand: Hand, reference: string, id: string): Promise<void> {
  await hand.press('Solicitações que aguardam a sua aprovação');
  await hand.open('Aprovar e executar', reference);
  await hand.type('Motivo', 'conferido com o cliente');
  await hand.press('Aprovar e executar', reference);
  assert.match(await hand.words(), /Aprovada e executada/);
  await until('all of it went back', async () => (await paymentOf(id)).canceledAmount === 80_000);
}

job('approve', { role: 'finance' }, async () => {
  const id = await askOfTwo('PEDIDO-9015');
  return (hand) => approve(hand, 'PEDIDO-9015', id);
});

job('byNsu', { role: 'support' }, async () => {
  const { id, nsu } = await sell(7_700, 'PEDIDO-9016');
  return async (hand) => {
    await hand.search(nsu);
    assert.ok(hand.page.url().endsWith(`/payments/${id}`), hand.page.url());
  };
});

job('byLastFour', { role: 'support' }, async () => {
  const { id } = await sell(8_800, 'PEDIDO-9017', {}, '5555555555554444');
  const today = String((await readClock(filled.service.gatewayUrl, token)).now).slice(0, 10);
  return async (hand) => {
    await hand.search(`4444 ${dayText(today).slice(0, 5)}`);
    assert.ok(hand.page.url().endsWith(`/payments/${id}`), hand.page.url());
  };
});

job('byDocument', { role: 'support' }, async () => async (hand) => {
  await hand.search('529.982.247-25');
  assert.match(await hand.words(), /P-1001 .*Boletos/);
});

job('byBoletoLine', { role: 'support' }, async () => {
  const { accountNumber } = await filled.service.demo();
  const id = filled.things.boletoId ?? '';
  const path = `/api/billissuer/${id}?accountNumber=${accountNumber}`;
  const { body, text } = await call(filled.service.integrationUrl, path, { token: integrationToken });
  assert.ok(body?.digitableLine, text);
  return async (hand) => {
    await hand.search(body.digitableLine);
    assert.ok(hand.page.url().endsWith(`/boletos/${id}`), hand.page.url());
  };
});

job('approveByPhone', { role: 'finance', look: { ...DESK, window: 'phone' } }, async () => {
  const id = await askOfTwo('PEDIDO-9020');
  return (hand) => approve(hand, 'PEDIDO-9020', id);
});

// The last: nobody else of the merchant comes in meanwhile.
job('lockOut', { role: 'operator', isOperator: true }, async () => async (hand) => {
  const { gateway } = await filled.service.demo();
  await hand.press('Loja de Demonstração Ltda.');
  await hand.open('Bloquear');
  await hand.type('Motivo', 'contrato encerrado');
  await hand.press('Bloquear');
  assert.match(await hand.words(), /Loja de Demonstração Ltda\. Bloqueado/);
  const refused = await call(filled.service.gatewayUrl, '/api/auth/token', { body: gateway });
  assert.ok([401, 403].includes(refused.status), refused.text);
});
