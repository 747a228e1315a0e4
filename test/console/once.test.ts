import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { forgetOldActions } from '../../src/console/module.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { logIn, pay } from '../kit/merchant.ts';
import { patiently } from '../kit/patience.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { hiddenFields, type Shown, signedIn, type Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let merchantId: string;
let home: string;
let admin: Visitor;
before(async () => {
  service = await openTestService();
  ({ merchantId } = await service.demo());
  home = `/console/merchants/${merchantId}`;
  admin = await signedIn(service, 'admin', null);
});
after(() => service.close());

async function formOf(
  page: string,
  action: string,
  fields: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const shown = await admin.turnTo(page);
  return { ...hiddenFields(shown.text, action), reason: 'um teste', ...fields };
}

const hasSecret = ({ text }: Shown) => text.includes('class="secret"') || text.includes('/console/links/');
const saysDone = ({ text }: Shown) => /Já foi feito: este formulário foi enviado antes/.test(wordsOf(text));
const saysUnknown = ({ text }: Shown) => /o resultado ainda é desconhecido/.test(wordsOf(text));

async function rows(text: string, values: unknown[] = []): Promise<number> {
  return (await service.auditor.query(text, values)).length;
}

test('a form that makes a credential makes one, and shows its password once', async () => {
  const page = `${home}/credentials`;
  const form = await formOf(page, `${page}/new`, { use: 'gateway', userName: 'uma-vez' });
  const first = await admin.ask(`${page}/new`, { form });
  assert.ok(first.status === 200 && hasSecret(first), first.text);
  for (const again of [form, { ...form, userName: 'outra-vez' }]) {
    const sent = await admin.ask(`${page}/new`, { form: again });
    assert.deepEqual([sent.status, saysDone(sent), hasSecret(sent)], [200, true, false]);
  }
  const made = "select from credentials where user_name in ('uma-vez', 'outra-vez')";
  assert.equal(await rows(made), 1);
  const acts = "select from audit_entries where action = 'console.act' and detail like '%createCredential%'";
  assert.equal(await rows(acts), 1);
});

test('of a form that is sent many times at once one has an effect', async () => {
  const form = await formOf('/console/users', '/console/users/invite', {
    name: 'juntos@loja.example',
    role: 'viewer',
  });
  const sent = await Promise.all(
    Array.from({ length: 5 }, () => admin.ask('/console/users/invite', { form })),
  );
  assert.equal(sent.filter(hasSecret).length, 1);
  for (const one of sent) assert.ok(hasSecret(one) || saysDone(one) || saysUnknown(one), one.text);
  assert.equal(await rows("select from console_users where name = 'juntos@loja.example'"), 1);
});

/** The form that leads there, with what it says and what was typed. */
const formWith = (text: string, action: string) =>
  text.split('<details ').find((part) => part.includes(`action="${action}"`)) ?? '';

test('a form whose reason cannot be is there again for another one, and says what it does', async () => {
  const page = '/console/users/juntos%40loja.example';
  const form = await formOf(page, `${page}/role`, { role: 'support', reason: 'pediu ana@loja.example' });
  const refused = await admin.ask(`${page}/role`, { form });
  assert.equal(refused.status, 400);
  const again = formWith(refused.text, `${page}/role`);
  assert.match(again, /value="support" selected/);
  assert.match(wordsOf(again), /Vale imediatamente/);
  const both = { ...hiddenFields(refused.text, `${page}/role`), role: '', reason: 'pediu ana@loja.example' };
  const shown = await admin.ask(`${page}/role`, { form: both });
  const mended = { ...hiddenFields(shown.text, `${page}/role`), role: 'support', reason: 'mudou de setor' };
  const done = await admin.ask(`${page}/role`, { form: mended });
  assert.equal(done.status, 303, wordsOf(done.text));
});

test('what is grave is so again, of whom it was and with what the person saw; more fields have no other form', async () => {
  const action = '/console/routing/acquirers';
  const form = await formOf('/console/routing', action, { rules: 'brand=visa default', reason: '' });
  const refused = await admin.ask(action, { form });
  const again = formWith(refused.text, action);
  assert.match(wordsOf(again), /Todos os estabelecimentos : A primeira regra/);
  assert.match(again, /value="brand=visa default".*class="grave"/s);
  const { merchant, standing } = hiddenFields(refused.text, action);
  assert.deepEqual([merchant, standing], ['*', form.standing]);
  const accounts = `${home}/accounts`;
  const added = await admin.ask(accounts, {
    form: await formOf(home, accounts, { account: '8800009', reason: '' }),
  });
  assert.match(formWith(added.text, accounts), /value="8800009"/);
  assert.match(wordsOf(formWith(added.text, accounts)), /nunca são retiradas/);
  const hold = `${home}/hold`;
  const odd = await admin.ask(hold, { form: { ...(await formOf(home, hold, {})), reason: '', more: 'x' } });
  assert.deepEqual([odd.status, formWith(odd.text, hold)], [400, '']);
});

test('a refusal is repeated as it was, and a form that is mended under its key is done', async () => {
  const fields = { name: 'Com Espaço', role: 'viewer' };
  const form = await formOf('/console/users', '/console/users/invite', fields);
  const refused = [
    await admin.ask('/console/users/invite', { form }),
    await admin.ask('/console/users/invite', { form }),
  ];
  for (const { status, text } of refused) {
    assert.equal(status, 400);
    assert.match(wordsOf(text), /Um nome tem de 1 a 60 letras/);
    assert.ok(text.includes('value="Com Espaço"'), 'what was typed stands there');
  }
  const refusals = `select from audit_entries where action = 'console.refuse' and detail like '%"operation":"user.invite"%'`;
  assert.equal(await rows(refusals), 1);
  const card = await admin.ask('/console/users/invite', { form: { ...form, name: '4111111111111111' } });
  assert.match(wordsOf(card.text), /não contém número de cartão/);
  const mended = { ...form, name: 'sem-espaco@loja.example' };
  assert.ok(hasSecret(await admin.ask('/console/users/invite', { form: mended })));
  assert.ok(saysDone(await admin.ask('/console/users/invite', { form: mended })));
});

test('a key is of its user and of its place, and a form without one does nothing', async () => {
  const page = `/console/merchants/${merchantId}`;
  const form = await formOf(page, `${page}/accounts`, { account: '8800001' });
  assert.equal((await admin.ask(`${page}/accounts`, { form })).status, 303);
  const elsewhere = await admin.ask(`${page}/hold`, { form });
  assert.deepEqual(
    [elsewhere.status, /de outra página ou por outra pessoa/.test(elsewhere.text)],
    [409, true],
  );
  const other = await signedIn(service, 'admin', null);
  const mark = hiddenFields((await other.turnTo(page)).text, `${page}/accounts`).mark ?? '';
  const stolen = await other.ask(`${page}/accounts`, { form: { ...form, mark, account: '8800002' } });
  assert.equal(stolen.status, 409);
  for (const once of ['', 'x', randomUUID().slice(1)]) {
    const sent = await admin.ask(`${page}/hold`, { form: { ...form, once } });
    assert.equal(sent.status, 400, once);
  }
  assert.equal(await rows('select from merchants where billings_held_at is not null'), 0);
  assert.equal(await rows("select from accounts where account_number = '8800002'"), 0);
});

async function forget(once: string): Promise<void> {
  const text =
    'update console_actions set outcome = null, refusal = null, ended_at = null where once_key = $1 returning 1';
  assert.equal(await rows(text, [once]), 1);
}

test('what is not known to be done is not done again, and an endpoint with a key says what became of it', async () => {
  const page = `/console/merchants/${merchantId}`;
  const form = await formOf(page, `${page}/accounts`, { account: '8800003' });
  await admin.ask(`${page}/accounts`, { form });
  await forget(form.once ?? '');
  const again = await admin.ask(`${page}/accounts`, { form });
  assert.deepEqual([again.status, saysUnknown(again)], [409, true]);
  const { gateway } = await service.demo();
  const { reply } = await pay(service.gatewayUrl, await logIn(service.gatewayUrl, gateway), 6_000);
  const payment = `${home}/payments/${reply.body.paymentAuthorization.paymentId}`;
  const cancel = { ...(await formOf(payment, `${payment}/give-back`, { amount: '10,00' })) };
  assert.equal((await admin.ask(`${payment}/cancel`, { form: cancel })).status, 303);
  await forget(cancel.once ?? '');
  assert.equal((await admin.ask(`${payment}/cancel`, { form: cancel })).status, 303);
  assert.match(wordsOf((await admin.turnTo(payment)).text), /Estornado R\$ 10,00/);
  // Of one that says how the payment stood, it is not known whether it or something else has changed that.
  const review = await admin.send(payment, `${payment}/give-back`, { amount: '5,00', reason: 'um teste' });
  const seen = hiddenFields(review.text, `${payment}/cancel`);
  assert.equal((await admin.ask(`${payment}/cancel`, { form: seen })).status, 303);
  await forget(seen.once ?? '');
  saysNothingOfUndone(await admin.ask(`${payment}/cancel`, { form: seen }));
  assert.match(wordsOf((await admin.turnTo(payment)).text), /Estornado R\$ 15,00/);
});

function saysNothingOfUndone(shown: Shown): void {
  assert.deepEqual([shown.status, saysUnknown(shown)], [409, true], shown.text);
  assert.doesNotMatch(wordsOf(shown.text), /Nada foi feito/);
  assert.doesNotMatch(shown.text, /name="once"/);
}

test('of what is not known nothing is said to be undone, whatever is sent under its key', async () => {
  const page = `${home}/charge`;
  const form = await formOf(page, `${page}/pix`, { amount: '12,34', expiresInSeconds: '3600' });
  const made = await admin.ask(`${page}/pix`, { form });
  assert.equal(made.status, 303, made.text);
  await forget(form.once ?? '');
  for (const other of [{ amount: '12,35' }, { amount: 'x' }, { reason: '' }, { reason: 'outro motivo' }])
    saysNothingOfUndone(await admin.slowly(`${page}/pix`, { form: { ...form, ...other } }));
  const again = await admin.slowly(`${page}/pix`, { form });
  assert.deepEqual([again.status, again.headers.get('location')], [303, made.headers.get('location')]);
  assert.equal(await rows('select from pix_charges where amount in (1234, 1235)'), 1);
});

test('what was not taken is sent again as it was, under its key', async () => {
  const page = `${home}/charge`;
  const hasty = await signedIn(service, 'finance', merchantId);
  const shown = await hasty.turnTo(page);
  const form: Record<string, string> = { ...hiddenFields(shown.text, `${page}/boleto`), reason: '' };
  const late = await until('it is too fast', async () => {
    const one = await hasty.ask(`${page}/boleto`, { form });
    return one.status === 429 && one;
  });
  const kept = hiddenFields(late.text, `${page}/boleto`);
  assert.equal(kept.once, form.once);
  assert.doesNotMatch(wordsOf(late.text), /Nada foi feito/);
  const faulty = await hasty.slowly(`${page}/boleto`, { form });
  assert.equal(hiddenFields(faulty.text, `${page}/boleto`).once, form.once);
});

test('where it is not known what was done, neither the page nor the audit log says that nothing was', async () => {
  const { gateway } = await service.demo();
  const { reply } = await pay(service.gatewayUrl, await logIn(service.gatewayUrl, gateway), 7_000);
  const payment = `${home}/payments/${reply.body.paymentAuthorization.paymentId}`;
  const form = await formOf(payment, `${payment}/give-back`, { amount: '10,00' });
  // Behind the first write of a cancel: its answer cannot be written.
  await service.auditor.query(
    "create function deny() returns trigger language plpgsql as $$ begin raise exception 'denied'; end $$",
  );
  await service.auditor.query('create trigger deny before update on cancels execute function deny()');
  const sent = await admin.ask(`${payment}/cancel`, { form });
  await service.auditor.query('drop trigger deny on cancels');
  assert.ok(sent.status === 500 || sent.status === 504, `${sent.status}: ${sent.text}`);
  assert.doesNotMatch(wordsOf(sent.text), /Nada foi feito/);
  const said = await service.auditor.query(
    "select action from audit_entries where resource = $1 and action <> 'console.act'",
    [`${payment.replace('/console/', '')}/cancel`],
  );
  assert.deepEqual(said, [{ action: 'console.unknown' }]);
});

test('keys that no session can send any more are forgotten', async () => {
  const kept = randomUUID();
  const over = randomUUID();
  const [user] = await service.auditor.query('select user_id from console_users limit 1');
  for (const [key, age] of [
    [kept, '1 hour'],
    [over, '25 hours'],
  ])
    await service.auditor.query(
      `insert into console_actions (once_key, user_id, path_hash, fields_hash, begun_at)
       values ($1, $2, sha256('a'), sha256('b'), now() - $3::interval)`,
      [key, user?.user_id, age],
    );
  const pool = openDatabase(service.database.runtime, () => {});
  try {
    await forgetOldActions(pool).runDue(AbortSignal.timeout(patiently(60_000)));
  } finally {
    await pool.close();
  }
  assert.equal(await rows('select from console_actions where once_key = $1', [kept]), 1);
  assert.equal(await rows('select from console_actions where once_key = $1', [over]), 0);
});
