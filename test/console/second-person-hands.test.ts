import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Role } from '../../src/console/parts/user.ts';
import { recoverUser } from '../../src/console/users/invite-user.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { auditedTools } from '../kit/keys.ts';
import { logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService } from '../kit/service.ts';
import { giveBack, invite, markOf, originOf, type Shown, Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let merchantId: string;
let home: string;
let token: string;
before(async () => {
  service = await openTestService({ PARCELA_CONSOLE_SECOND_PERSON_OVER: '1000' });
  const { gateway, ...demo } = await service.demo();
  merchantId = demo.merchantId;
  home = `/console/merchants/${merchantId}`;
  token = await logIn(service.gatewayUrl, gateway);
});
after(() => service.close());

type Person = { readonly name: string; readonly visitor: Visitor };

const linkOf = ({ text }: Shown) => /\/console\/links\/[\w-]+/.exec(text)?.[0] ?? '';

/** Whom the command line let in, of the merchant or of the operator. */
async function ofCommandLine(role: Role, owner: string | null = merchantId): Promise<Person> {
  const { name, path } = await invite(service, role, owner);
  return { name, visitor: await new Visitor(originOf(service)).enter(path) };
}

/** Whom a user lets in on the merchant's page, long enough ago. */
async function letInBy({ visitor }: Person, role: Role): Promise<Person> {
  const name = `${role}-${randomUUID().slice(0, 8)}`;
  const page = `${home}/users`;
  const invited = await visitor.send(page, `${page}/invite`, { name, role, reason: 'equipe' });
  const entered = await new Visitor(visitor.origin).enter(linkOf(invited));
  await aDayLater();
  return { name, visitor: entered };
}

async function recoveredBy({ visitor }: Person, { name }: Person): Promise<Person> {
  const page = `${home}/users/${name}`;
  const recovered = await visitor.send(page, `${page}/recover`, { reason: 'chave perdida' });
  const entered = await new Visitor(visitor.origin).enter(linkOf(recovered));
  await aDayLater();
  return { name, visitor: entered };
}

/** Counts at once. */
async function recoveredByCommand({ name }: Person): Promise<Person> {
  const pool = openDatabase(service.database.runtime, () => {});
  try {
    const made = await recoverUser(await auditedTools(pool), name, null);
    assert.ok(!('refusal' in made));
    return { name, visitor: await new Visitor(originOf(service)).enter(`/console/links/${made.token}`) };
  } finally {
    await pool.close();
  }
}

async function givenRoleBy({ visitor }: Person, { name }: Person, role: Role): Promise<void> {
  const page = `${home}/users/${name}`;
  const changed = await visitor.send(page, `${page}/role`, { role, reason: 'outra equipe' });
  assert.equal(changed.status, 303, changed.text);
}

/** All have been there for longer than a day. */
async function aDayLater(): Promise<void> {
  await service.auditor.query(
    "update console_links set created_at = created_at - interval '25 hours', used_at = used_at - interval '25 hours'",
  );
  await service.auditor.query("update console_users set role_given_at = role_given_at - interval '25 hours'");
}

/** Asks to give money back; gives the request that waits. */
async function askedBy({ visitor }: Person): Promise<string> {
  const { reply } = await pay(service.gatewayUrl, token, 20_000);
  const page = `${home}/payments/${reply.body.paymentAuthorization.paymentId}`;
  const asked = await giveBack(visitor, page, { reason: 'cliente desistiu' });
  assert.equal(asked.status, 202, asked.text);
  const [row] = await service.auditor.query(
    'select request_id::text as id from console_requests order by requested_at desc limit 1',
  );
  return String(row?.id);
}

/** Presses the button, whether the page shows it or not. */
async function approve({ visitor }: Person, requestId: string): Promise<Shown> {
  const page = `${home}/waiting`;
  const form = { mark: await markOf(visitor, page), once: randomUUID(), reason: 'conferido' };
  return visitor.slowly(`${page}/${requestId}/approve`, { form });
}

async function isRefused(person: Person, requestId: string, how: string): Promise<void> {
  const { text } = await person.visitor.turnTo(`${home}/waiting`);
  assert.ok(!text.includes(`${requestId}/approve"`), `${how}: no button`);
  const sent = await approve(person, requestId);
  assert.deepEqual([sent.status, /não contam como duas pessoas/.test(wordsOf(sent.text))], [409, true], how);
}

async function isDone(person: Person, requestId: string, how: string): Promise<void> {
  const { text } = await person.visitor.turnTo(`${home}/waiting`);
  assert.ok(text.includes(`${requestId}/approve"`), `${how}: a button`);
  const sent = await approve(person, requestId);
  assert.equal(sent.status, 303, `${how}: ${wordsOf(sent.text)}`);
}

test('whom somebody let in is no second person to him, however long ago, and he none to that one', async () => {
  const ana = await ofCommandLine('admin');
  const bia = await letInBy(ana, 'finance');
  const ofAna = await askedBy(ana);
  await isRefused(bia, ofAna, 'let in by the one who asks');
  await isRefused(ana, await askedBy(bia), 'let the one in who asks');
  await isDone(await ofCommandLine('finance'), ofAna, 'let in by nobody');
  const shown = wordsOf((await ana.visitor.turnTo(`${home}/users/${bia.name}`)).text);
  assert.ok(shown.includes(`Acesso dado por ${ana.name}`), shown);
});

test('whom somebody recovered is no second person to him, until the command line lets that one in', async () => {
  const [ana, caio] = [await ofCommandLine('admin'), await ofCommandLine('finance')];
  const requestId = await askedBy(ana);
  await isRefused(await recoveredBy(ana, caio), requestId, 'recovered by the one who asks');
  await isDone(await recoveredByCommand(caio), requestId, 'recovered on the command line');
});

test('a chain of people counts as its first one, and so do those whom one let in', async () => {
  const ana = await ofCommandLine('admin');
  const bia = await letInBy(ana, 'admin');
  const caio = await letInBy(bia, 'admin');
  const dora = await letInBy(caio, 'finance');
  const eva = await letInBy(ana, 'finance');
  const ofAna = await askedBy(ana);
  await isRefused(dora, ofAna, 'three steps down');
  await isRefused(ana, await askedBy(dora), 'three steps up');
  const ofEva = await askedBy(eva);
  await isRefused(dora, ofEva, 'made by the same one');
  await service.auditor.query('update console_users set disabled_at = now() where name = $1', [bia.name]);
  await isRefused(dora, ofAna, 'through somebody who is locked out');
  const zoe = await ofCommandLine('admin');
  const yara = await letInBy(zoe, 'finance');
  await isDone(yara, ofAna, 'let in by another one');
  await isDone(zoe, ofEva, 'another one');
});

test('those who let each other in are one, and others beside them', async () => {
  const ana = await ofCommandLine('admin');
  const first = await letInBy(ana, 'admin');
  const again = await recoveredBy(first, ana);
  const requestId = await askedBy(again);
  await isRefused(first, requestId, 'each let in by the other');
  await isRefused(await letInBy(first, 'finance'), requestId, 'below both');
  await isDone(await ofCommandLine('admin'), requestId, 'beside both');
});

test("those of a merchant whom one user of the operator's let in are no two people", async () => {
  const operator = await ofCommandLine('admin', null);
  const [ana, bia] = [await letInBy(operator, 'admin'), await letInBy(operator, 'finance')];
  const ofMerchant = await ana.visitor.turnTo(`${home}/users/${bia.name}`);
  assert.ok(wordsOf(ofMerchant.text).includes('Acesso dado por O operador'), ofMerchant.text);
  assert.ok(!ofMerchant.text.includes(operator.name));
  const ofOperator = await operator.visitor.turnTo(`/console/users/${bia.name}`);
  assert.ok(wordsOf(ofOperator.text).includes(`Acesso dado por ${operator.name}`));
  const requestId = await askedBy(ana);
  await isRefused(bia, requestId, "let in by the same user of the operator's");
  await isRefused(operator, requestId, 'who let in the one who asks');
  const another = await ofCommandLine('finance', null);
  await isDone(another, requestId, "another of the operator's");
  const waiting = await ana.visitor.turnTo(`${home}/waiting`);
  assert.match(wordsOf(waiting.text), /Aprovada e executada O operador/, 'the one who decided');
  assert.ok(!waiting.text.includes(another.name));
  const decided = await operator.visitor.turnTo('/console/waiting');
  assert.ok(wordsOf(decided.text).includes(`${another.name} (operador)`), decided.text);
});

test('who recovers somebody of another stands for that one from then on', async () => {
  const [ana, zoe] = [await ofCommandLine('admin'), await ofCommandLine('admin')];
  const bia = await letInBy(ana, 'finance');
  const [ofAna, ofZoe] = [await askedBy(ana), await askedBy(zoe)];
  const again = await recoveredBy(zoe, bia);
  await isRefused(again, ofZoe, 'by the one who recovered');
  await isDone(again, ofAna, 'by the one before');
});

test('a chain whose middle is recovered stays what it was, and whom that one let in stay one with him', async () => {
  const [ana, zoe] = [await ofCommandLine('admin'), await ofCommandLine('admin')];
  const bia = await letInBy(ana, 'admin');
  const caio = await letInBy(bia, 'finance');
  const [ofAna, ofCaio] = [await askedBy(ana), await askedBy(caio)];
  const again = await recoveredBy(zoe, bia);
  await isRefused(caio, ofAna, 'below who the middle was');
  await isRefused(again, ofCaio, 'whom he let in before');
  const byCommand = await recoveredByCommand(bia);
  await isRefused(caio, ofAna, 'recovered on the command line');
  await isRefused(byCommand, ofCaio, 'whom he let in before the command line did so');
  await isDone(zoe, ofCaio, 'beside the chain');
  await isDone(byCommand, ofAna, 'the middle itself');
});

test('two whom the same person let in stay one after that person was recovered', async () => {
  const [ana, zoe] = [await ofCommandLine('admin'), await ofCommandLine('admin')];
  const [bia, caio] = [await letInBy(ana, 'finance'), await letInBy(ana, 'admin')];
  const requestId = await askedBy(bia);
  const again = await recoveredBy(zoe, ana);
  await isRefused(caio, requestId, 'both by who he was');
  const dora = await letInBy(again, 'finance');
  await isRefused(dora, requestId, 'the one by who he was, the other by who he is');
  await givenRoleBy(zoe, caio, 'finance');
  await aDayLater();
  await isRefused(caio, requestId, 'with a role of another one since');
  await isDone(zoe, requestId, 'who recovered that person, beside whom he let in before');
});

test('to whom somebody gave the role is no second person to him, and to others a day later', async () => {
  const [ana, zoe] = [await ofCommandLine('admin'), await ofCommandLine('admin')];
  const [bia, caio] = [await ofCommandLine('viewer'), await ofCommandLine('admin')];
  const [ofAna, ofZoe] = [await askedBy(ana), await askedBy(zoe)];
  await givenRoleBy(ana, bia, 'finance');
  const early = await approve(bia, ofZoe);
  assert.deepEqual([early.status, /há menos de um dia/.test(wordsOf(early.text))], [409, true]);
  await isRefused(bia, ofAna, 'a moment later');
  await aDayLater();
  await isRefused(bia, ofAna, 'a day later');
  await isDone(bia, ofZoe, 'to another one');
  await givenRoleBy(ana, caio, 'finance');
  await aDayLater();
  await isRefused(caio, ofAna, 'an administrator before');
  await givenRoleBy(zoe, caio, 'admin');
  await aDayLater();
  await isRefused(caio, ofAna, 'by another one since');
  const shown = wordsOf((await ana.visitor.turnTo(`${home}/users/${caio.name}`)).text);
  assert.ok(shown.includes(`Perfil dado por ${ana.name}, ${zoe.name}`), shown);
  await isDone(await recoveredByCommand(caio), ofAna, 'recovered on the command line since');
});

test('who asked with a role that was given within the day is approved by nobody, and with a lower one neither', async () => {
  const [ana, bia] = [await ofCommandLine('admin'), await ofCommandLine('viewer')];
  const other = await ofCommandLine('finance');
  await givenRoleBy(ana, bia, 'finance');
  const requestId = await askedBy(bia);
  const early = await approve(other, requestId);
  assert.deepEqual([early.status, /a quem solicitou/.test(wordsOf(early.text))], [409, true]);
  await givenRoleBy(ana, bia, 'support');
  await aDayLater();
  const lower = await approve(other, requestId);
  assert.deepEqual([lower.status, /precisam ter permissão/.test(wordsOf(lower.text))], [409, true]);
});

test('a chain that is longer than anybody would make is not followed to its end, and nobody in it counts', async () => {
  const [ana, bia] = [await ofCommandLine('admin'), await ofCommandLine('finance')];
  const requestId = await askedBy(ana);
  await service.auditor.query(
    `insert into console_hands (hand_id, user_id)
     select ('00000000-0000-0000-0001-' || lpad(n::text, 12, '0'))::uuid, user_id
     from generate_series(1, 401) n, console_users where name = $1`,
    [bia.name],
  );
  await service.auditor.query(
    `insert into console_hand_givers (hand_id, given_by, gift)
     select hand_id, lead(hand_id) over (order by hand_id), 'access' from console_hands
     where hand_id::text like '00000000-0000-0000-0001-%' order by hand_id limit 400`,
  );
  await service.auditor.query(
    `insert into console_hand_givers (hand_id, given_by, gift)
     select hand_id, '00000000-0000-0000-0001-000000000001', 'access' from console_users where name = $1`,
    [bia.name],
  );
  const sent = await approve(bia, requestId);
  assert.deepEqual([sent.status, /não contam como duas pessoas/.test(wordsOf(sent.text))], [409, true]);
  await service.auditor.query(
    `delete from console_hand_givers where hand_id = '00000000-0000-0000-0001-000000000150'`,
  );
  await isDone(bia, requestId, 'with an end');
});
