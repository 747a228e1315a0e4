import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { MOST_USERS } from '../../src/console/users/user.ts';
import { createForeignMerchant, FOREIGN_MERCHANT } from '../kit/foreign-merchant.ts';
import { logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService } from '../kit/service.ts';
import { giveBack, hiddenFields, invite, markOf, originOf, type Shown, Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let merchantId: string;
let users: string;
let admin: Visitor;
let adminName: string;
before(async () => {
  service = await openTestService({ PARCELA_CONSOLE_SECOND_PERSON_OVER: '1000' });
  const demo = await service.demo();
  ({ merchantId } = demo);
  await createForeignMerchant(service.auditor, demo.gateway.userName);
  users = `/console/merchants/${merchantId}/users`;
  const { name, path } = await invite(service, 'admin', merchantId);
  adminName = name;
  admin = await new Visitor(originOf(service)).enter(path);
});
after(() => service.close());

const userPath = (name: string) => `${users}/${encodeURIComponent(name)}`;
const linkOf = ({ text }: Shown) => /\/console\/links\/[\w-]+/.exec(text)?.[0] ?? '';

async function inviteFrom(page: string, name: string, role: string): Promise<Shown> {
  return admin.send(page, `${page}/invite`, { name, role, reason: 'equipe' });
}

async function enterAs(name: string, role: string): Promise<Visitor> {
  return new Visitor(admin.origin).enter(linkOf(await inviteFrom(users, name, role)));
}

/** Sends a form to a path, whether a page shows it or not. */
async function press(visitor: Visitor, action: string, fields: Record<string, string> = {}): Promise<Shown> {
  const form = { mark: await markOf(visitor, users), once: randomUUID(), reason: 'um teste', ...fields };
  return visitor.slowly(action, { form });
}

const rowOf = async (name: string) =>
  (
    await service.auditor.query(
      `select u.role, u.merchant_id, u.disabled_at is not null as is_locked_out,
         (select count(*)::int from console_links l where l.user_id = u.user_id) as links
       from console_users u where u.name = $1`,
      [name],
    )
  )[0];

test('an administrator of a merchant invites, recovers and locks out its users', async () => {
  const name = 'bruno@loja.example';
  const invited = await inviteFrom(users, name, 'support');
  assert.equal(invited.status, 200, invited.text);
  assert.ok(invited.text.includes(`${admin.origin}${linkOf(invited)}`), 'the whole link, once');
  const bruno = await new Visitor(admin.origin).enter(linkOf(invited));
  assert.equal((await bruno.turnTo(`/console/merchants/${merchantId}/payments`)).status, 200);
  assert.equal((await bruno.turnTo(users)).status, 403);
  const listed = wordsOf((await admin.turnTo(users)).text);
  assert.match(listed, /bruno@loja\.example Suporte 0 \d\d\/\d\d\/\d{4}/);
  const page = userPath(name);
  const recovered = await admin.send(page, `${page}/recover`, { reason: 'chave perdida' });
  assert.equal((await bruno.turnTo(`/console/merchants/${merchantId}/payments`)).status, 303);
  await bruno.enter(linkOf(recovered));
  const gone = await admin.send(page, `${page}/disable`, { reason: 'saiu' });
  assert.equal(gone.status, 303, gone.text);
  assert.equal((await bruno.turnTo(`/console/merchants/${merchantId}/payments`)).status, 303);
  assert.ok(!(await admin.turnTo(page)).text.includes('/disable"'));
  const entries = await service.auditor.query(
    "select action, resource from audit_entries where actor = $1 and action ~ '^user' order by entry_number",
    [`user:${adminName}`],
  );
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['user.signIn', 'user.invite', 'user.recover', 'user.disable'],
  );
  for (const { resource } of entries)
    assert.ok(String(resource).startsWith(`merchants/${merchantId}/users/`));
});

test('users of another merchant and of the operator are neither seen nor changed', async () => {
  const stranger = await invite(service, 'viewer', FOREIGN_MERCHANT);
  const operator = await invite(service, 'viewer', null);
  for (const query of ['', `?merchant=${FOREIGN_MERCHANT}`, '?merchant=', '?name=viewer', '?after=a']) {
    const { status, text } = await admin.turnTo(users + query);
    assert.equal(status, 200);
    for (const { name } of [stranger, operator]) assert.ok(!text.includes(name), query);
  }
  for (const { name } of [stranger, operator, { name: 'nobody@loja.example' }]) {
    const before = await rowOf(name);
    const shown = await admin.turnTo(userPath(name));
    assert.deepEqual([shown.status, shown.text.includes(name)], [404, false]);
    for (const step of ['recover', 'disable']) {
      const sent = await press(admin, `${userPath(name)}/${step}`);
      assert.deepEqual([sent.status, /Este usuário não existe/.test(wordsOf(sent.text))], [404, true], step);
      const elsewhere = `/console/merchants/${FOREIGN_MERCHANT}/users/${encodeURIComponent(name)}/${step}`;
      assert.equal((await press(admin, elsewhere)).status, 404);
      const ofAll = `/console/users/${encodeURIComponent(name)}/${step}`;
      assert.equal((await press(admin, ofAll)).status, 403);
    }
    assert.deepEqual(await rowOf(name), before);
  }
});

test('a user is made for the own merchant alone, whatever the form says, and never as an operator', async () => {
  const form = { name: 'carla@loja.example', role: 'viewer', merchant: FOREIGN_MERCHANT };
  assert.equal((await press(admin, `${users}/invite`, form)).status, 200);
  assert.equal((await rowOf(form.name))?.merchant_id, merchantId);
  assert.ok(!(await admin.turnTo(users)).text.includes('value="operator"'));
  for (const role of ['operator', 'root', '']) {
    const sent = await press(admin, `${users}/invite`, { ...form, name: 'davi@loja.example', role });
    assert.deepEqual([sent.status, /Escolha um perfil/.test(wordsOf(sent.text))], [400, true], role);
  }
  for (const path of [`/console/merchants/${FOREIGN_MERCHANT}/users/invite`, '/console/users/invite']) {
    const sent = await press(admin, path, { ...form, name: 'davi@loja.example' });
    assert.equal(sent.status, path.includes(FOREIGN_MERCHANT) ? 404 : 403);
  }
  assert.equal(await rowOf('davi@loja.example'), undefined);
});

test('roles that are no administrator look after nobody, and no administrator after himself', async () => {
  const { name } = await invite(service, 'viewer', merchantId);
  for (const role of ['viewer', 'support', 'finance', 'operator'] as const) {
    const { path } = await invite(service, role, merchantId);
    const visitor = await new Visitor(admin.origin).enter(path);
    const mark = await markOf(visitor, `/console/merchants/${merchantId}/payments`);
    for (const action of [`${users}/invite`, `${userPath(name)}/recover`, `${userPath(name)}/disable`])
      assert.equal((await press(visitor, action, { mark })).status, 403, `${role} ${action}`);
  }
  const own = userPath(adminName);
  assert.match(
    wordsOf((await admin.turnTo(own)).text),
    /Outro administrador altera o seu perfil, recupera ou bloqueia o seu acesso/,
  );
  for (const step of ['recover', 'disable'])
    assert.equal((await press(admin, `${own}/${step}`)).status, 409, step);
  assert.equal((await admin.turnTo(users)).status, 200);
});

test('whom an administrator let in or recovered within the last day is no second person to anybody', async () => {
  const token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
  const { reply } = await pay(service.gatewayUrl, token, 20_000);
  const { paymentId } = reply.body.paymentAuthorization;
  const payment = `/console/merchants/${merchantId}/payments/${paymentId}`;
  const waiting = `/console/merchants/${merchantId}/waiting`;
  const other = await invite(service, 'finance', merchantId);
  const asker = await new Visitor(admin.origin).enter(other.path);
  const asked = await giveBack(asker, payment, { reason: 'cliente desistiu' });
  assert.equal(asked.status, 202, asked.text);
  const [row] = await service.auditor.query('select request_id::text as id from console_requests');
  const approve = async (visitor: Visitor) =>
    press(visitor, `${waiting}/${row?.id}/approve`, {
      mark: await markOf(visitor, waiting),
    });
  const isEarly = async (visitor: Visitor, how: string) => {
    const sent = await approve(visitor);
    assert.deepEqual([sent.status, /há menos de um dia/.test(wordsOf(sent.text))], [409, true], how);
  };
  await isEarly(await enterAs('eva@loja.example', 'finance'), 'let in');
  const { name, path } = await invite(service, 'finance', merchantId);
  const fabio = await new Visitor(admin.origin).enter(path);
  const page = userPath(name);
  await fabio.enter(linkOf(await admin.send(page, `${page}/recover`, { reason: 'chave perdida' })));
  await isEarly(fabio, 'recovered');
  await service.auditor.query(
    `update console_links set created_at = created_at - interval '25 hours',
       used_at = used_at - interval '25 hours'`,
  );
  assert.equal((await approve(fabio)).status, 303);
});

test('a merchant has so many users, and one may come for each who is locked out', async () => {
  const [{ count } = { count: 0 }] = await service.auditor.query(
    `select count(*)::int as count from console_users where merchant_id = $1 and disabled_at is null`,
    [merchantId],
  );
  await service.auditor.query(
    `with u as (insert into console_users (user_id, hand_id, name, role, merchant_id)
       select id, id, 'z' || n, 'viewer', $1
       from (select n, gen_random_uuid() as id from generate_series(1, $2::int) n) s returning user_id)
     insert into console_hands (hand_id, user_id) select user_id, user_id from u`,
    [merchantId, MOST_USERS - Number(count) - 1],
  );
  assert.equal((await inviteFrom(users, 'the-last-one', 'viewer')).status, 200);
  const more = await inviteFrom(users, 'one-too-many', 'viewer');
  assert.deepEqual([more.status, /podem ter no máximo 200 usuários/.test(wordsOf(more.text))], [409, true]);
  const page = userPath('z1');
  assert.equal((await admin.send(page, `${page}/disable`, { reason: 'saiu' })).status, 303);
  assert.equal((await inviteFrom(users, 'one-too-many', 'viewer')).status, 200);
  const first = await admin.turnTo(users);
  const next = /href="([^"]*after=[^"]*)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  assert.equal((await admin.turnTo(next)).text.includes(userPath('z1')), true, 'a list has pages');
});

test('the operator looks after users of a merchant on its pages, and gives a form sent twice once', async () => {
  const { path } = await invite(service, 'admin', null);
  const operator = await new Visitor(admin.origin).enter(path);
  const list = `/console/merchants/${FOREIGN_MERCHANT}/users`;
  const shown = await operator.turnTo(list);
  const form = {
    ...hiddenFields(shown.text, `${list}/invite`),
    ...{ name: 'gil@outra.example', role: 'admin', reason: 'primeiro administrador' },
  };
  const [first, again] = [
    await operator.ask(`${list}/invite`, { form }),
    await operator.ask(`${list}/invite`, { form }),
  ];
  const gil = await new Visitor(admin.origin).enter(linkOf(first));
  assert.equal((await gil.turnTo(list)).status, 200);
  assert.deepEqual([again.status, linkOf(again)], [200, '']);
});
