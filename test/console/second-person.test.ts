import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createForeignMerchant, FOREIGN_MERCHANT } from '../kit/foreign-merchant.ts';
import { call, logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService } from '../kit/service.ts';
import { subscribe } from './merchant-things.ts';
import {
  giveBack,
  hiddenFields,
  invite,
  linkFor,
  markOf,
  originOf,
  type Shown,
  signedIn,
  Visitor,
  wordsOf,
} from './visitor.ts';

let service: TestService;
let merchantId: string;
let home: string;
let token: string;
let ana: Visitor;
let bia: Visitor;
before(async () => {
  service = await openTestService({ PARCELA_CONSOLE_SECOND_PERSON_OVER: '1000' });
  const { gateway, ...demo } = await service.demo();
  merchantId = demo.merchantId;
  home = `/console/merchants/${merchantId}`;
  token = await logIn(service.gatewayUrl, gateway);
  ana = await signedIn(service, 'finance', merchantId);
  bia = await signedIn(service, 'finance', merchantId);
});
after(() => service.close());

const query = (sql: string, values: unknown[] = []) => service.auditor.query(sql, values);

async function paid(amount: number): Promise<string> {
  const { reply } = await pay(service.gatewayUrl, token, amount);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.paymentAuthorization.paymentId as string;
}

async function givenBack(id: string): Promise<number> {
  return (await call(service.gatewayUrl, `/v1/payments/${id}`, { token })).body.canceledAmount;
}

async function cancel(visitor: Visitor, id: string, amount?: string): Promise<Shown> {
  const page = `${home}/payments/${id}`;
  const fields = { reason: 'cliente desistiu', ...(amount !== undefined && { amount }) };
  return giveBack(visitor, page, fields);
}

/** The request that waits for a payment, as the table has it. */
async function requestOf(id: string): Promise<string> {
  const [row] = await query(
    `select request_id::text from console_requests where path like '%' || $1 || '%' order by requested_at desc limit 1`,
    [id],
  );
  return String(row?.request_id);
}

/** Presses a button, whether the page shows it or not. */
async function decide(
  visitor: Visitor,
  requestId: string,
  what: 'approve' | 'decline' = 'approve',
  list = `${home}/waiting`,
): Promise<Shown> {
  const form = { mark: await markOf(visitor, list), once: randomUUID(), reason: 'conferido' };
  return visitor.ask(`${list}/${requestId}/${what}`, { form });
}

async function waitingCancel(amount = 20_000): Promise<{ readonly id: string; readonly requestId: string }> {
  const id = await paid(amount);
  const asked = await cancel(ana, id);
  assert.equal(asked.status, 202, asked.text);
  return { id, requestId: await requestOf(id) };
}

test('what one person may move alone is done at once, and parts of one payment count together', async () => {
  const id = await paid(30_000);
  assert.equal((await cancel(ana, id, '6,00')).status, 303);
  assert.equal((await cancel(ana, id, '4,00')).status, 303);
  assert.equal(await givenBack(id), 1_000);
  const more = await cancel(ana, id, '0,01');
  assert.deepEqual([more.status, /aguarda a aprovação de outra/.test(wordsOf(more.text))], [202, true]);
  assert.equal(await givenBack(id), 1_000);
  const form = {
    mark: await markOf(ana, `${home}/payments/${id}`),
    once: randomUUID(),
    reason: 'nunca pago',
    amount: '300,01',
  };
  const never = await ana.ask(`${home}/payments/${id}/cancel`, { form });
  assert.equal(never.status, 409, 'nobody is asked for what was never paid');
});

test('more waits for a second person, who does it once; the log has all three steps with both names', async () => {
  const { id, requestId } = await waitingCancel();
  const list = await bia.turnTo(`${home}/waiting`);
  assert.match(list.text, /<a href="[^"]+\/waiting" aria-current="page">/);
  const listed = wordsOf(list.text);
  assert.match(listed, /Estornar ou liberar: R\$ 200,00 .* solicita: cliente desistiu/);
  const button = `${home}/waiting/${requestId}/approve`;
  const page = await bia.turnTo(`${home}/waiting`);
  const form = { ...hiddenFields(page.text, button), reason: 'conferido' };
  const approved = await bia.ask(button, { form });
  assert.equal(approved.status, 303, approved.text);
  assert.equal(await givenBack(id), 20_000);
  const again = await bia.ask(button, { form });
  assert.deepEqual([again.status, /Já foi feito/.test(wordsOf(again.text))], [200, true]);
  assert.equal((await decide(bia, requestId)).status, 409);
  const { body } = await call(service.gatewayUrl, `/v1/payments/${id}`, { token });
  assert.equal(body.cancels.length, 1);
  const entries = await query(
    `select action, actor, detail from audit_entries where action in ('console.request', 'console.approve')
       and detail like '%' || $1 || '%' order by entry_number`,
    [requestId],
  );
  const [asked, said] = entries.map(({ detail }) => JSON.parse(String(detail)));
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['console.request', 'console.approve'],
  );
  assert.equal(asked.amount, 20_000);
  assert.equal(said.requestedBy, entries[0]?.actor);
  assert.notEqual(entries[1]?.actor, entries[0]?.actor);
  assert.deepEqual([said.asked, said.reason], ['cliente desistiu', 'conferido']);
  assert.match(wordsOf((await ana.turnTo(`${home}/waiting`)).text), /Aprovada e executada/);
});

test('a form that waits is sent twice and waits once', async () => {
  const id = await paid(20_000);
  const page = `${home}/payments/${id}`;
  const fields = hiddenFields((await ana.turnTo(page)).text, `${page}/give-back`);
  const form = { ...fields, reason: 'duas vezes' };
  assert.equal((await ana.ask(`${page}/cancel`, { form })).status, 202);
  const again = await ana.ask(`${page}/cancel`, { form });
  assert.deepEqual([again.status, /Já foi feito/.test(wordsOf(again.text))], [200, true]);
  const made = await query("select from console_requests where reason = 'duas vezes'");
  assert.equal(made.length, 1);
});

test('nobody is a second person to himself, in another session either, and the action itself only asks', async () => {
  const { id, requestId } = await waitingCancel();
  const [{ name } = { name: '' }] = await query(
    'select u.name from console_requests r join console_users u on u.user_id = r.requested_by where request_id = $1',
    [requestId],
  );
  const other = new Visitor(originOf(service));
  const path = await linkFor(service, String(name), 'operator of the machine');
  await other.enter(path);
  for (const visitor of [ana, other]) {
    const sent = await decide(visitor, requestId);
    assert.deepEqual([sent.status, /precisa ser outra pessoa/.test(wordsOf(sent.text))], [409, true]);
  }
  const page = `${home}/payments/${id}`;
  const mark = await markOf(other, page);
  for (const amount of ['200,00', '10,01', '']) {
    const form = { mark, once: randomUUID(), reason: 'direto', amount };
    assert.equal((await other.ask(`${page}/cancel`, { form })).status, 202, amount);
  }
  assert.equal(await givenBack(id), 0);
});

test('of several who approve at once one does it', async () => {
  const { id, requestId } = await waitingCancel();
  const caio = await signedIn(service, 'admin', merchantId);
  const dora = await signedIn(service, 'finance', null);
  const sent = await Promise.all([bia, caio, dora].map((visitor) => decide(visitor, requestId)));
  assert.equal(sent.filter(({ status }) => status === 303).length, 1);
  for (const { status } of sent) assert.ok(status === 303 || status === 409, String(status));
  const { body } = await call(service.gatewayUrl, `/v1/payments/${id}`, { token });
  assert.deepEqual([body.canceledAmount, body.cancels.length], [20_000, 1]);
  const entries = await query(
    "select from audit_entries where action = 'console.approve' and detail like '%' || $1 || '%'",
    [requestId],
  );
  assert.equal(entries.length, 1);
});

test('what is declined, expired or changed is not done', async () => {
  const declined = await waitingCancel();
  assert.equal((await decide(bia, declined.requestId, 'decline')).status, 303);
  assert.equal((await decide(bia, declined.requestId)).status, 409);
  const back = await waitingCancel();
  const [own, others] = [await ana.turnTo(`${home}/waiting`), await bia.turnTo(`${home}/waiting`)];
  assert.deepEqual(
    [/Cancelar solicitação/.test(own.text), /Cancelar solicitação/.test(others.text)],
    [true, false],
  );
  assert.equal((await decide(ana, back.requestId, 'decline')).status, 303, 'whoever asked takes it back');
  const expired = await waitingCancel();
  await query(
    "update console_requests set requested_at = requested_at - interval '25 hours', expires_at = expires_at - interval '25 hours' where request_id = $1",
    [expired.requestId],
  );
  assert.equal((await decide(bia, expired.requestId)).status, 409);
  const changed = await waitingCancel();
  const part = { amount: 1_000 };
  const canceled = await call(service.gatewayUrl, `/v1/payments/${changed.id}/cancel`, { token, body: part });
  assert.equal(canceled.status, 200, canceled.text);
  const stale = await decide(bia, changed.requestId);
  assert.deepEqual([stale.status, /mudou desde a solicitação/.test(wordsOf(stale.text))], [409, true]);
  for (const { id } of [declined, back, expired]) assert.equal(await givenBack(id), 0);
  assert.equal(await givenBack(changed.id), 1_000);
});

test('a request that was altered in the database is not done', async () => {
  const { id, requestId } = await waitingCancel();
  const other = await paid(20_000);
  await query('update console_requests set path = replace(path, $2, $3) where request_id = $1', [
    requestId,
    id,
    other,
  ]);
  const sent = await decide(bia, requestId);
  assert.deepEqual([sent.status, /não está como foi gravada/.test(wordsOf(sent.text))], [409, true]);
  assert.equal(await givenBack(other), 0);
});

test('roles that may not do it do not approve it, and a user who was let in just now does not count', async () => {
  const { id, requestId } = await waitingCancel();
  for (const role of ['viewer', 'support'] as const) {
    const visitor = await signedIn(service, role, merchantId);
    assert.ok(!(await visitor.turnTo(`${home}/waiting`)).text.includes('/approve"'));
    assert.equal((await decide(visitor, requestId)).status, 403, role);
  }
  const operator = await signedIn(service, 'operator', merchantId);
  const sent = await decide(operator, requestId);
  assert.deepEqual([sent.status, /precisam ter permissão/.test(wordsOf(sent.text))], [409, true]);
  const { name } = await invite(service, 'finance', merchantId);
  const newcomer = await new Visitor(originOf(service)).enter(await linkFor(service, name, 'user:somebody'));
  for (const column of ['created_at', 'used_at']) {
    const early = await decide(newcomer, requestId);
    assert.deepEqual([early.status, /há menos de um dia/.test(wordsOf(early.text))], [409, true], column);
    const aged = `update console_links set ${column} = ${column} - interval '25 hours'`;
    await query(`${aged} where created_by = 'user:somebody'`);
  }
  await query(
    `insert into console_identities (user_id, created_by, invited_until)
     select user_id, 'user:somebody', now() + interval '7 days' from console_users where name = $1`,
    [name],
  );
  assert.equal((await decide(newcomer, requestId)).status, 409, 'by the identity provider too');
  await query("update console_identities set created_at = created_at - interval '25 hours'");
  assert.equal((await decide(newcomer, requestId)).status, 303);
  assert.equal(await givenBack(id), 20_000);
});

test('what somebody asked for who was let in just now is approved by nobody', async () => {
  const { name, path } = await invite(service, 'finance', merchantId);
  const newcomer = await new Visitor(originOf(service)).enter(path);
  const id = await paid(20_000);
  assert.equal((await cancel(newcomer, id)).status, 202);
  const requestId = await requestOf(id);
  const whose = '(select user_id from console_users where name = $1)';
  const isEarly = async (how: string) => {
    const sent = await decide(bia, requestId);
    assert.deepEqual([sent.status, /a quem solicitou/.test(wordsOf(sent.text))], [409, true], how);
  };
  const change = (sql: string) => query(sql, [name]);
  await change(`update console_links set created_by = 'user:somebody' where user_id = ${whose}`);
  await isEarly('by a link');
  await change(`delete from console_links where user_id = ${whose}`);
  await change(
    `insert into console_identities (user_id, created_by, invited_until)
     select user_id, 'user:somebody', now() + interval '7 days' from console_users where name = $1`,
  );
  await isEarly('recovered, by the identity provider');
  await change(
    `update console_identities set created_at = now() - interval '25 hours', bound_at = now(), issuer = 'i', created_by = 'o',
       subject = 's' where user_id = ${whose}`,
  );
  await isEarly('bound just now');
  await change(`update console_identities set bound_at = created_at where user_id = ${whose}`);
  assert.equal((await decide(bia, requestId)).status, 303);
});

test('a request of another merchant is not there, and the operator sees all', async () => {
  const { id, requestId } = await waitingCancel();
  await createForeignMerchant(service.auditor, (await service.demo()).gateway.userName);
  const stranger = await signedIn(service, 'admin', FOREIGN_MERCHANT);
  const list = `/console/merchants/${FOREIGN_MERCHANT}/waiting`;
  assert.ok(!(await stranger.turnTo(list)).text.includes(requestId));
  for (const what of ['approve', 'decline'] as const)
    assert.equal((await decide(stranger, requestId, what, list)).status, 404);
  const operator = await signedIn(service, 'admin', null);
  assert.equal((await decide(operator, requestId, 'approve', list)).status, 404);
  assert.equal((await decide(stranger, requestId, 'approve', '/console/waiting')).status, 403);
  assert.ok((await operator.turnTo('/console/waiting')).text.includes(requestId));
  assert.equal((await decide(operator, requestId, 'approve', '/console/waiting')).status, 303);
  assert.equal(await givenBack(id), 20_000);
});

test('a decision about what has no known outcome waits too, for the operator alone', async () => {
  const id = await paid(20_000);
  await query(
    `update transactions set state = 'unresolved', decided_at = null, authorization_code = null, nsu = null,
       due_at = now() + interval '1 hour', unknown_reason = 'o teste calou', unresolved_since = now() - interval '2 hours'
     where transaction_id = $1`,
    [id],
  );
  const first = await signedIn(service, 'operator', null);
  const page = `/console/unresolved/${id}`;
  const fields = { decision: 'voided', reason: 'Maria, caso 4711' };
  for (const decision of ['canceled', 'anything'])
    assert.equal((await first.send(page, `${page}/decide`, { ...fields, decision })).status, 409, decision);
  const asked = await first.send(page, `${page}/decide`, fields);
  assert.equal(asked.status, 202, asked.text);
  const requestId = await requestOf(id);
  assert.ok(!(await ana.turnTo(`${home}/waiting`)).text.includes(requestId));
  const second = await signedIn(service, 'admin', null);
  const shown = async () => wordsOf((await second.turnTo('/console/waiting')).text);
  assert.match(await shown(), /Decidir: Desfeita: nenhuma cobrança fica: R\$ 200,00/);
  assert.equal((await decide(second, requestId, 'approve', '/console/waiting')).status, 303);
  assert.match(await shown(), /Decidir: Desfeita: nenhuma cobrança fica R\$ 200,00/);
  const said = await query(
    "select detail from audit_entries where action in ('console.request', 'console.approve') and detail like $1",
    [`%${requestId}%`],
  );
  for (const { detail } of said) assert.equal(JSON.parse(String(detail)).decision, 'voided');
  assert.equal(said.length, 2);
  const [row] = await query('select state from transactions where transaction_id = $1', [id]);
  assert.equal(row?.state, 'voided');
  const [entry] = await query(
    "select detail from audit_entries where action = 'resolve.decide' and resource like $1",
    [`%${id}`],
  );
  assert.equal(JSON.parse(String(entry?.detail)).reason, 'Maria, caso 4711');
});

test('a capture that is decided as one of little is told by the whole: the rest would be given up', async () => {
  const held = { transactionType: 'credit', productType: 'avista', installments: 1, captureType: 'pa' };
  const { reply } = await pay(service.gatewayUrl, token, 20_000, { payment: { ...held, amount: 20_000 } });
  const [id, paymentId] = [randomUUID(), String(reply.body.paymentAuthorization.paymentId)];
  await query(
    `with begun as (
       update transactions set state = 'capturing' where transaction_id = $2 returning merchant_id, transaction_id
     ), held as (update preauthorizations set expires_at = null where transaction_id = $2)
     insert into captures (merchant_id, capture_id, transaction_id, state, amount, created_by, requested_at, due_at, unknown_reason)
     select merchant_id, $1, transaction_id, 'capturing', 20000, 'TEST', now(), now() + interval '1 hour', 'TEST' from begun`,
    [id, paymentId],
  );
  const first = await signedIn(service, 'operator', null);
  const second = await signedIn(service, 'admin', null);
  const page = `/console/unresolved/${id}`;
  const fields = { decision: 'captured', amount: '2,00', reason: 'Maria, caso 4713' };
  const asked = await first.send(page, `${page}/decide`, fields);
  assert.equal(asked.status, 202, asked.text);
  const state = async () =>
    (await query('select state, amount::int from transactions where transaction_id = $1', [paymentId]))[0];
  assert.deepEqual(await state(), { state: 'capturing', amount: 20_000 });
  assert.equal((await decide(second, await requestOf(id), 'approve', '/console/waiting')).status, 303);
  assert.deepEqual(await state(), { state: 'approved', amount: 200 });
});

test('a billing over the limit is charged when a second person approves it, and what refuses it is said', async () => {
  const { billingId } = await subscribe(service, 10.05);
  const page = `${home}/billings/${billingId}`;
  const asked = await ana.send(page, `${page}/charge`, { reason: 'cliente pediu' });
  assert.equal(asked.status, 202, asked.text);
  const charges = async () => (await ana.turnTo(page)).text.split('<li>').length;
  const before = await charges();
  assert.match(wordsOf((await bia.turnTo(`${home}/waiting`)).text), /R\$ 10,05/);
  const approved = await decide(bia, await requestOf(billingId));
  assert.equal(approved.status, 402, approved.text);
  assert.ok((await charges()) > before, 'the issuer was asked');
  const admin = await signedIn(service, 'admin', merchantId);
  assert.match(
    wordsOf((await admin.turnTo(`${home}/history`)).text),
    /finance-\w+ Cobrar agora R\$ 10,05 conferido Recusado: nada foi feito/,
  );
  assert.match(wordsOf((await ana.turnTo(`${home}/waiting`)).text), /Aprovada, mas recusada na execução/);
});

test('a subscription to a plan over the limit begins when a second person approves it, and support begins none', async () => {
  const { planId, subscriptionId } = await subscribe(service, 10.06);
  const [row] = await query('select vault_id from subscriptions where subscription_id = $1', [
    subscriptionId,
  ]);
  const page = `${home}/plans/${planId}?lastFour=0001`;
  const path = `${home}/subscriptions/new`;
  const form = { planId, vaultId: String(row?.vault_id), orderNumber: 'S-2', reason: 'por telefone' };
  const begun = async () =>
    (await query("select from subscriptions where plan_id = $1 and order_number = 'S-2'", [planId])).length;
  const support = await signedIn(service, 'support', merchantId);
  assert.doesNotMatch((await support.turnTo(page)).text, /subscriptions\/new/);
  const mark = await markOf(support, page);
  assert.equal((await support.ask(path, { form: { ...form, mark, once: randomUUID() } })).status, 403);
  const named = await ana.send(page, path, { ...form, 'customer.documentNumber': '52998224725' });
  assert.deepEqual([named.status, /não guarda dados de ninguém/.test(named.text)], [400, true]);
  const asked = await ana.send(page, path, form);
  assert.equal(asked.status, 202, asked.text);
  assert.equal(await begun(), 0);
  assert.match(wordsOf((await bia.turnTo(`${home}/waiting`)).text), /Pedido S-2 .*R\$ 10,06/);
  assert.equal((await decide(bia, await requestOf('subscriptions/new'))).status, 303);
  assert.equal(await begun(), 1);
  assert.deepEqual(await query("select from audit_entries where detail like '%52998224725%'"), []);
});

test('small parts that are sent at once do not go beyond the limit together', async () => {
  const id = await paid(60_000);
  const page = `${home}/payments/${id}`;
  const mark = await markOf(ana, page);
  const forms = Array.from({ length: 6 }, () => ({
    mark,
    once: randomUUID(),
    reason: 'partes',
    amount: '9,00',
  }));
  const sent = await Promise.all(forms.map((form) => ana.ask(`${page}/cancel`, { form })));
  assert.deepEqual(
    sent.map(({ status }) => status).filter((status) => status === 303),
    [303],
    'the first that begins is done',
  );
  assert.equal(await givenBack(id), 900);
});

/** What the acquirer's own books have of a payment. */
async function bookedAs(id: string) {
  const routing = await (await signedIn(service, 'viewer', null)).turnTo('/console/routing');
  const host = /127\.0\.0\.1:\d+/.exec(routing.text)?.[0];
  const query = new URLSearchParams({ merchantId, reference: id });
  const { items } = (await (await fetch(`http://${host}/ledger?${query}`)).json()) as {
    items: { status: string; canceledAmount: number }[];
  };
  return items;
}

test('of a capture and a letting go that two people send at one moment, one is done, and each is told', async () => {
  for (const _ of [1, 2, 3]) {
    const held = { transactionType: 'credit', productType: 'avista', installments: 1, captureType: 'pa' };
    const { reply } = await pay(service.gatewayUrl, token, 900, { payment: { ...held, amount: 900 } });
    const id = reply.body.paymentAuthorization.paymentId;
    const page = `${home}/payments/${id}`;
    const [capture, letGo] = [`${page}/capture`, `${page}/cancel`];
    const asked = {
      ...hiddenFields((await ana.turnTo(page)).text, capture),
      amount: '9,00',
      reason: 'enviado',
    };
    const review = await bia.send(page, `${page}/give-back`, { amount: '9,00', reason: 'desistiu' });
    const sent = await Promise.all([
      ana.ask(capture, { form: asked }),
      bia.ask(letGo, { form: hiddenFields(review.text, letGo) }),
    ]);
    const statuses = sent.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 303).length, 1, `${statuses}`);
    const isCaptured = statuses[0] === 303;
    const other = sent[isCaptured ? 1 : 0] as Shown;
    assert.ok(other.status === 409 || other.status === 429, `${statuses}`);
    assert.match(
      wordsOf(other.text),
      /Nada foi feito .*(Outra operação sobre o mesmo item está em andamento|Algo mudou desde)/,
    );
    const late = isCaptured
      ? await bia.ask(letGo, { form: hiddenFields(review.text, letGo) })
      : await ana.ask(capture, { form: asked });
    assert.deepEqual(
      [late.status, /Nada foi feito/.test(wordsOf(late.text))],
      [409, true],
      'nor is it done later',
    );
    const { body } = await call(service.gatewayUrl, `/v1/payments/${id}`, { token });
    const booked = (await bookedAs(id)).map(({ status, canceledAmount }) => [status, canceledAmount]);
    assert.deepEqual(
      [body.statusDescription, body.cancels.length, booked],
      isCaptured ? ['Autorizada', 0, [['approved', 0]]] : ['Desfeita', 0, [['undone', 0]]],
    );
    const acts = await query(
      "select from audit_entries where action in ('console.refuse', 'console.unknown') and resource like $1",
      [`%/payments/${id}/%`],
    );
    // One that was refused as changed is told the same again, which is no second act.
    assert.equal(acts.length, other.status === 429 ? 2 : 1, 'each refusal is in the log');
  }
});

test('a payment is one place, however its path is written', async () => {
  const id = await paid(60_000);
  const mark = await markOf(ana, `${home}/payments/${id}`);
  const encoded = [...id].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('');
  const sent = [id, id.toUpperCase(), id.replace('-', '%2d'), id.replaceAll('-', '%2D'), encoded].map(
    (one) => {
      const form = { mark, once: randomUUID(), reason: 'grafias', amount: '9,00' };
      return ana.ask(`${home}/payments/${one}/cancel`, { form });
    },
  );
  await Promise.all(sent);
  assert.ok((await givenBack(id)) <= 1_000);
  const entries = "select distinct resource from audit_entries where detail like '%grafias%'";
  assert.deepEqual(await query(entries), [{ resource: `merchants/${merchantId}/payments/${id}/cancel` }]);
});

test('a form and an approval of one thing are not under way together', async () => {
  const { id, requestId } = await waitingCancel();
  await query(
    `insert into console_actions (once_key, user_id, path_hash, fields_hash)
     select gen_random_uuid(), requested_by, sha256(path::bytea), sha256('') from console_requests where request_id = $1`,
    [requestId],
  );
  // A process that ends then leaves nothing behind that others would wait for.
  const writeNothing = (table: string) =>
    query(`alter table ${table} add constraint writes_nothing check (false) not valid`);
  const mayWrite = (table: string) => query(`alter table ${table} drop constraint writes_nothing`);
  await writeNothing('console_decisions');
  const early = await decide(bia, requestId);
  assert.deepEqual([early.status, /em andamento/.test(wordsOf(early.text))], [409, true], early.text);
  await mayWrite('console_decisions');
  await query("update console_actions set outcome = 'done', ended_at = now() where outcome is null");
  await query(
    `insert into console_decisions (request_id, decided_by, decision, reason)
     select request_id, requested_by, 'approved', 'em andamento' from console_requests where request_id = $1`,
    [requestId],
  );
  await writeNothing('console_actions');
  const behind = await cancel(ana, id, '1,00');
  assert.deepEqual([behind.status, /<form class="decide"/.test(behind.text)], [429, true], behind.text);
  await mayWrite('console_actions');
  assert.equal(await givenBack(id), 0);
  await query('delete from console_decisions where request_id = $1', [requestId]);
  assert.equal((await decide(bia, requestId)).status, 303);
});

test('one person has so many requests that wait, and then takes one back', async () => {
  const eva = await signedIn(service, 'finance', merchantId);
  const id = await paid(20_000);
  await cancel(eva, id);
  await query(
    `insert into console_requests select gen_random_uuid(), merchant_id, requested_by, operation, path, fields, reason,
       amount, standing, requested_at, expires_at, seal
     from console_requests, generate_series(1, 17) where path like '%' || $1 || '%'`,
    [id],
  );
  const others = await Promise.all([20_001, 20_002, 20_003, 20_004].map(paid));
  const atOnce = await Promise.all(others.map((other) => cancel(eva, other)));
  assert.equal(atOnce.filter(({ status }) => status === 202).length, 2);
  const sent = await cancel(eva, id);
  assert.deepEqual([sent.status, /Você já tem o máximo/.test(wordsOf(sent.text))], [429, true]);
});

test('the acquirers of all merchants are changed by two of the operator, and not where they changed meanwhile', async () => {
  const [first, second] = [await signedIn(service, 'operator', null), await signedIn(service, 'admin', null)];
  await query(
    "insert into providers (kind, name, adapter, url, created_by, disabled_at) values ('acquirer', 'rede', 'rede', 'https://sandbox-erede.example', 'test', now())",
  );
  const rules = async () =>
    (await query('select provider, condition from provider_rules order by position')) as object[];
  const ask = async () => {
    const fields = { rules: 'brand=elo   share=100 default;rede', reason: 'taxa menor' };
    const asked = await first.send('/console/routing', '/console/routing/acquirers', fields);
    assert.equal(asked.status, 202, asked.text);
    assert.deepEqual(await rules(), []);
    return requestOf('/routing/acquirers');
  };
  const stale = await ask();
  for (const change of [
    "insert into provider_rules (merchant_id, kind, position, provider, condition) values ('', 'acquirer', 1, 'default', '')",
    "update providers set disabled_at = null, revision = revision + 1 where name = 'rede'",
  ]) {
    await query(change);
    const late = await decide(second, stale, 'approve', '/console/waiting');
    assert.deepEqual([late.status, /mudou desde a solicitação/.test(wordsOf(late.text))], [409, true]);
    await query('delete from provider_rules');
  }
  await query("update providers set disabled_at = now() where name = 'rede'");
  const requestId = await ask();
  const listed = wordsOf((await second.turnTo('/console/waiting')).text);
  // Not what was typed: what will stand.
  const said = 'brand=elo default; rede, no lugar de: nenhuma regra; não recebe nada novo: rede';
  assert.ok(listed.includes(`Alterar as adquirentes: Todos os estabelecimentos: ${said}`), listed);
  assert.equal((await decide(first, requestId, 'approve', '/console/waiting')).status, 409);
  assert.equal((await decide(second, requestId, 'approve', '/console/waiting')).status, 303);
  const placed = [
    { provider: 'default', condition: 'brand=elo' },
    { provider: 'rede', condition: '' },
  ];
  assert.deepEqual(await rules(), placed);
  await query('delete from provider_rules');
});

test('what a restore holds is released by two of the operator, or by an administrator of the merchant alone', async () => {
  const hold = `update merchants set billings_held_at = now(), is_held_by_restore = true`;
  const held = async () => (await query('select from merchants where is_held_by_restore')).length;
  const [first, second] = [await signedIn(service, 'operator', null), await signedIn(service, 'admin', null)];
  const pages = [`${home}/after-restore`, '/console/after-restore'];
  const press = async (path: string) => {
    const mark = await markOf(first, '/console/waiting');
    return first.ask(path, { form: { mark, once: randomUUID(), reason: 'por fora' } });
  };
  for (const page of pages) {
    assert.equal((await press(`${page}/release`)).status, 409, 'nothing is held');
    await query(hold);
    const all = await held();
    assert.match(wordsOf((await first.turnTo(page)).text), /O banco de dados foi restaurado/);
    const fields = { reason: 'todos conferiram', until: '2001-01-01' };
    const asked = await first.send(page, `${page}/release`, fields);
    assert.equal(asked.status, 202, asked.text);
    const [made] = await query(
      'select fields, standing from console_requests order by requested_at desc limit 1',
    );
    assert.deepEqual(made?.fields, {}, 'nobody says by which day it is counted');
    assert.doesNotMatch(String(made?.standing), /2001/);
    assert.equal(await held(), all);
    assert.equal((await press(`${home}/release`)).status, 409, 'a hold by hand is another one');
    const requestId = await requestOf(page);
    const list = page === '/console/after-restore' ? '/console/waiting' : `${home}/waiting`;
    assert.equal((await decide(first, requestId, 'approve', list)).status, 409, 'not alone');
    assert.equal((await decide(second, requestId, 'approve', list)).status, 303);
    assert.equal(await held(), page === '/console/after-restore' ? 0 : all - 1);
    await query('update merchants set billings_held_at = null, is_held_by_restore = false');
  }
  const admin = await signedIn(service, 'admin', merchantId);
  await query(hold);
  const all = await held();
  const own = `${home}/after-restore`;
  assert.ok(!(await ana.turnTo(own)).text.includes('/release"'), 'finance sees it, and does not release');
  assert.equal((await admin.send(own, `${own}/release`, { reason: 'conferimos tudo' })).status, 303);
  assert.equal(await held(), all - 1);
  assert.match(wordsOf((await admin.turnTo(own)).text), /A restauração não retém cobranças/);
  const [entry] = await query(
    "select actor, detail from audit_entries where action = 'billing.release' order by entry_number desc limit 1",
  );
  assert.match(String(entry?.actor), /^user:admin-/);
  assert.deepEqual(JSON.parse(String(entry?.detail)), { ofRestore: 1, reason: 'conferimos tudo' });
  await query('update merchants set billings_held_at = null, is_held_by_restore = false');
});
