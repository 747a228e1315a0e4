import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import pg from 'pg';
import type { Role } from '../../src/console/parts/user.ts';
import { changeRole } from '../../src/console/users/change-role.ts';
import { disableUser } from '../../src/console/users/disable-user.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { createForeignMerchant, FOREIGN_MERCHANT } from '../kit/foreign-merchant.ts';
import { auditedTools } from '../kit/keys.ts';
import { logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { hiddenFields, invite, markOf, originOf, type Shown, Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let merchantId: string;
let home: string;
let admin: Person;
before(async () => {
  service = await openTestService();
  const { gateway, ...demo } = await service.demo();
  ({ merchantId } = demo);
  home = `/console/merchants/${merchantId}`;
  await createForeignMerchant(service.auditor, gateway.userName);
  admin = await someone('admin');
});
after(() => service.close());

type Person = { readonly name: string; readonly visitor: Visitor };

async function someone(role: Role, owner: string | null = merchantId): Promise<Person> {
  const { name, path } = await invite(service, role, owner);
  return { name, visitor: await new Visitor(originOf(service)).enter(path) };
}

/** Fills in the form of the user's page. */
function giveRole({ visitor }: Person, name: string, role: string, users = `${home}/users`): Promise<Shown> {
  const page = `${users}/${name}`;
  return visitor.send(page, `${page}/role`, { role, reason: 'outra equipe' });
}

/** Sends the form whether a page shows it or not. */
async function press(
  { visitor }: Person,
  name: string,
  role: string,
  users = `${home}/users`,
): Promise<Shown> {
  const mark = await markOf(visitor, `${home}/payments`);
  const form = { mark, once: randomUUID(), role, reason: 'outra equipe' };
  return visitor.slowly(`${users}/${name}/role`, { form });
}

async function roleOf(name: string): Promise<unknown> {
  const [row] = await service.auditor.query('select role from console_users where name = $1', [name]);
  return row?.role;
}

test('an administrator gives a user another role, which holds at once where the user is signed in', async () => {
  const { reply } = await pay(
    service.gatewayUrl,
    await logIn(service.gatewayUrl, (await service.demo()).gateway),
    5_000,
  );
  const payment = `${home}/payments/${reply.body.paymentAuthorization.paymentId}`;
  const { name, visitor } = await someone('viewer');
  const before = await visitor.turnTo(payment);
  assert.ok(!before.text.includes(`${payment}/give-back"`));
  const changed = await giveRole(admin, name, 'finance');
  assert.equal(changed.status, 303, changed.text);
  const said = await admin.visitor.turnTo(changed.headers.get('location') ?? '');
  assert.match(wordsOf(said.text), /O perfil do usuário foi alterado\./);
  assert.match(wordsOf(said.text), new RegExp(`Perfil Financeiro .* Perfil dado por ${admin.name}`));
  const shown = await visitor.turnTo(payment);
  assert.ok(shown.text.includes(`${payment}/give-back"`));
  const form = {
    ...hiddenFields(shown.text, `${payment}/give-back`),
    reason: 'cliente desistiu',
    amount: '1,00',
  };
  assert.equal((await giveRole(admin, name, 'support')).status, 303);
  // The page is from before.
  assert.equal((await visitor.slowly(`${payment}/cancel`, { form })).status, 403);
  const entries = await service.auditor.query(
    `select action, detail from audit_entries where actor = $1 and (action = 'user.change' or detail like '%"user.change"%')
     order by entry_number`,
    [`user:${admin.name}`],
  );
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['console.act', 'user.change', 'console.act', 'user.change'],
  );
  assert.deepEqual(
    entries.map(({ detail }) => {
      const { form: _, ...said } = JSON.parse(String(detail));
      return said;
    }),
    [
      { operation: 'user.change', reason: 'outra equipe' },
      { name, 'role.old': 'viewer', 'role.new': 'finance' },
      { operation: 'user.change', reason: 'outra equipe' },
      { name, 'role.old': 'finance', 'role.new': 'support' },
    ],
  );
});

test('nobody changes his own role, and no role that is none or not for this side is given', async () => {
  const own = await admin.visitor.turnTo(`${home}/users/${admin.name}`);
  assert.ok(!own.text.includes('/role"'));
  const himself = await press(admin, admin.name, 'viewer');
  assert.deepEqual(
    [himself.status, /Outro administrador altera o seu perfil/.test(wordsOf(himself.text))],
    [409, true],
  );
  assert.equal(await roleOf(admin.name), 'admin');
  const { name } = await someone('viewer');
  for (const role of ['operator', 'root', ''])
    assert.equal((await press(admin, name, role)).status, 400, role);
  assert.equal((await press(admin, name, 'viewer')).status, 409, 'the same');
  assert.equal(await roleOf(name), 'viewer');
  const operator = await someone('admin', null);
  assert.equal((await giveRole(operator, name, 'operator', '/console/users')).status, 303);
  assert.equal(await roleOf(name), 'operator');
  const gone = await admin.visitor.send(`${home}/users/${name}`, `${home}/users/${name}/disable`, {
    reason: 'saiu',
  });
  assert.equal(gone.status, 303);
  const late = await press(admin, name, 'viewer');
  assert.deepEqual([late.status, /bloqueado definitivamente/.test(wordsOf(late.text))], [409, true]);
});

test('roles of users of another merchant and of the operator are not changed', async () => {
  const [stranger, operator] = [await someone('viewer', FOREIGN_MERCHANT), await someone('viewer', null)];
  for (const { name } of [stranger, operator, { name: 'nobody' }]) {
    assert.equal((await press(admin, name, 'admin')).status, 404, name);
    const foreign = `/console/merchants/${FOREIGN_MERCHANT}/users`;
    assert.equal((await press(admin, name, 'admin', foreign)).status, 404);
    assert.equal((await press(admin, name, 'admin', '/console/users')).status, 403);
  }
  assert.deepEqual([await roleOf(stranger.name), await roleOf(operator.name)], ['viewer', 'viewer']);
  for (const role of ['viewer', 'support', 'finance', 'operator'] as const)
    assert.equal((await press(await someone(role), admin.name, 'viewer')).status, 403, role);
});

test('the last administrator of a merchant stays one, and another one may be made before', async () => {
  const operator = await someone('admin', null);
  const only = await someone('admin', FOREIGN_MERCHANT);
  const other = await someone('finance', FOREIGN_MERCHANT);
  const lower = () => giveRole(operator, only.name, 'viewer', '/console/users');
  const refused = await lower();
  assert.deepEqual([refused.status, /É o único administrador/.test(wordsOf(refused.text))], [409, true]);
  assert.equal((await giveRole(operator, other.name, 'admin', '/console/users')).status, 303);
  assert.equal((await lower()).status, 303);
  assert.equal(await roleOf(only.name), 'viewer');
  const pool = openDatabase(service.database.runtime, () => {});
  try {
    const wanted = { name: other.name, role: 'viewer' } as const;
    const byCommand = await changeRole(await auditedTools(pool), wanted, null);
    assert.deepEqual(byCommand, { refusal: 'lastAdministrator' });
  } finally {
    await pool.close();
  }
});

test('who has not signed in yet is no other administrator, and a page locks out no last one, but a command', async () => {
  const merchant = FOREIGN_MERCHANT;
  await service.auditor.query('update console_users set disabled_at = now() where merchant_id = $1', [
    merchant,
  ]);
  const operator = await someone('admin', null);
  const only = await someone('admin', merchant);
  const { name, path } = await invite(service, 'admin', merchant);
  const disable = () => {
    const page = `/console/users/${only.name}`;
    return operator.visitor.send(page, `${page}/disable`, { reason: 'saiu' });
  };
  for (const refused of [await disable(), await giveRole(operator, only.name, 'viewer', '/console/users')])
    assert.deepEqual([refused.status, /É o único administrador/.test(wordsOf(refused.text))], [409, true]);
  await new Visitor(originOf(service)).enter(path);
  assert.equal((await disable()).status, 303);
  const pool = openDatabase(service.database.runtime, () => {});
  try {
    assert.ok(!('refusal' in (await disableUser(await auditedTools(pool), name, null))));
  } finally {
    await pool.close();
  }
});

type Deed = 'role' | 'disable' | 'recover';
const AT_ONCE: readonly (readonly [Deed, Deed])[] = [
  ['role', 'role'],
  ['disable', 'disable'],
  ['disable', 'role'],
  ['disable', 'recover'],
];

for (const deeds of AT_ONCE)
  test(`of two administrators who act on each other at once one stays: ${deeds.join(', ')}`, async () => {
    const [one, other] = await twoAlone(FOREIGN_MERCHANT);
    const answers = await sentAtOnce([
      await filledIn(one, other, deeds[0]),
      await filledIn(other, one, deeds[1]),
    ]);
    const left = await service.auditor.query(
      "select from console_users where role = 'admin' and disabled_at is null and merchant_id = $1",
      [FOREIGN_MERCHANT],
    );
    // Who is recovered first stays one, but has no way in but a link: the page of it is answered.
    const isRecovered = answers.some(({ status }) => status === 200);
    assert.ok(!isRecovered || deeds.includes('recover'));
    assert.deepEqual(statusesOf(answers), [isRecovered ? 200 : 303, 409]);
    assert.equal(left.length, isRecovered ? 2 : 1);
  });

test('who is lowered or locked out meanwhile does nothing more, also where a third one stays', async () => {
  const [one, other] = await twoAlone(FOREIGN_MERCHANT);
  const third = await someone('admin', FOREIGN_MERCHANT);
  const answers = await sentAtOnce([
    await filledIn(one, other, 'disable'),
    await filledIn(other, one, 'role'),
  ]);
  assert.deepEqual(statusesOf(answers), [303, 409]);
  assert.equal(await roleOf(third.name), 'admin');
});

test('who is locked out while an invitation and a recovery are under way lets nobody in by them', async () => {
  const [one, other] = await twoAlone(FOREIGN_MERCHANT);
  const users = `/console/merchants/${FOREIGN_MERCHANT}/users`;
  const shown = await one.visitor.turnTo(users);
  const invitation = { name: 'comparsa@loja.example', role: 'admin', reason: 'equipe' };
  const form = { ...hiddenFields(shown.text, `${users}/invite`), ...invitation };
  const lockOut = `update console_users set disabled_at = now() where name = '${one.name}'`;
  const forms = [
    () => one.visitor.slowly(`${users}/invite`, { form }),
    await filledIn(one, other, 'recover'),
  ];
  for (const { status, text } of await sentAtOnce(forms, lockOut))
    assert.deepEqual([status, /Você não é mais administrador/.test(wordsOf(text))], [409, true], text);
  assert.equal(await roleOf(invitation.name), undefined);
  assert.equal((await other.visitor.turnTo(users)).status, 200, 'nobody was recovered');
});

const statusesOf = (answers: readonly Shown[]) => answers.map(({ status }) => status).toSorted();

/** The only administrators of the merchant. */
async function twoAlone(merchant: string): Promise<readonly [Person, Person]> {
  await service.auditor.query('update console_users set disabled_at = now() where merchant_id = $1', [
    merchant,
  ]);
  return [await someone('admin', merchant), await someone('admin', merchant)];
}

/** Gives what sends the form. */
async function filledIn(by: Person, of: Person, deed: Deed): Promise<() => Promise<Shown>> {
  const page = `/console/merchants/${FOREIGN_MERCHANT}/users/${of.name}`;
  const shown = await by.visitor.turnTo(page);
  const fields = { reason: 'disputa', ...(deed === 'role' && { role: 'viewer' }) };
  const form = { ...hiddenFields(shown.text, `${page}/${deed}`), ...fields };
  return () => by.visitor.slowly(`${page}/${deed}`, { form });
}

/** Both are at the lock before the first goes on, and `meanwhile` has been done; gives what was answered. */
async function sentAtOnce(
  forms: readonly (() => Promise<Shown>)[],
  meanwhile = 'select 1',
): Promise<Shown[]> {
  const holder = new pg.Client(service.database.address);
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select from console_users where merchant_id = $1 for no key update', [
      FOREIGN_MERCHANT,
    ]);
    const sent = forms.map((send) => send());
    await until('both wait', async () => {
      const [row] = await service.auditor.query(
        `select count(*)::int as waiting from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query ~ 'from console_users'`,
      );
      return row?.waiting === 2;
    });
    await holder.query(meanwhile);
    await holder.query('commit');
    return await Promise.all(sent);
  } finally {
    await holder.end();
  }
}
