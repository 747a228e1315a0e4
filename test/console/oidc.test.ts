import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { attemptOf } from '../../src/console/identities/identity.ts';
import { recoverByIdentity } from '../../src/console/identities/open-by-identity.ts';
import { disableUser } from '../../src/console/users/disable-user.ts';
import { recoverUser, type UserTools } from '../../src/console/users/invite-user.ts';

import { openDatabase } from '../../src/platform/postgres/database.ts';
import { auditedTools } from '../kit/keys.ts';
import { openTestService, type TestService } from '../kit/service.ts';
import { BEGIN, Browsing, inviteByProvider, personOf } from './oidc-visit.ts';
import { type Behaviour, CLIENT, TestProvider } from './test-provider.ts';
import { ask, invite, markOf, originOf, signedIn, Visitor, wordsOf } from './visitor.ts';

let provider: TestProvider;
let service: TestService;
let origin: string;
let folder: string;
before(async () => {
  provider = await TestProvider.open();
  folder = await mkdtemp(join(tmpdir(), 'parcela-oidc-'));
  const secret = join(folder, 'secret');
  await writeFile(secret, CLIENT.secret, { mode: 0o600 });
  service = await openTestService({
    PARCELA_CONSOLE_OIDC_ISSUER: provider.issuer,
    PARCELA_CONSOLE_OIDC_CLIENT_ID: CLIENT.id,
    PARCELA_CONSOLE_OIDC_CLIENT_SECRET_FILE: secret,
  });
  origin = originOf(service);
});
after(async () => {
  await service.close();
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

const GIANT = 'a'.repeat(400_000);
let people = 0;
/** Somebody who is invited by the provider, and whom it knows. */
async function newPerson(): Promise<string> {
  people += 1;
  const name = `ana-${people}@loja.example`;
  await inviteByProvider(service, name);
  provider.behaviour = { person: personOf(name) };
  return name;
}

async function signInAs(behaviour: Behaviour, browser = new Browsing(origin)) {
  provider.behaviour = behaviour;
  const shown = await browser.signIn(provider);
  return { browser, shown };
}

async function refusedWith(status: number, behaviour: Behaviour, says: RegExp): Promise<void> {
  const { browser, shown } = await signInAs(behaviour);
  assert.equal(shown.status, status, shown.text);
  assert.match(shown.text, says);
  assert.equal(await browser.isIn(), false);
}

async function withTools<T>(work: (tools: UserTools) => Promise<T>): Promise<T> {
  const pool = openDatabase(service.database.runtime, () => {});
  try {
    return await work(await auditedTools(pool));
  } finally {
    await pool.close();
  }
}

function entriesOf(name: string) {
  return service.auditor.query(
    `select action, outcome, detail from audit_entries where actor = $1 order by entry_number`,
    [`user:${name}`],
  );
}

const NOT_PROVEN = /não confirmou quem você é/;
const NOBODY = /não é de ninguém que possa usar este console/;
const AWAY = /não responde como deveria/;
const ELSEWHERE = /começou em outro navegador/;

// What the well-known page says is kept for an hour: what is wrong with it comes first.
test('a provider that is away, or is none, sends nobody anywhere and says so', async () => {
  const wellKnown = '/.well-known/openid-configuration';
  const name = await newPerson();
  const wrongs: Partial<Behaviour>[] = [
    { instead: { [wellKnown]: (response) => response.destroy() } },
    { instead: { [wellKnown]: (response) => response.writeHead(500).end('{}') } },
    { instead: { [wellKnown]: (response) => response.writeHead(302, { location: '/' }).end() } },
    { instead: { [wellKnown]: (response) => response.end('<html>') } },
    { instead: { [wellKnown]: (response) => response.end(JSON.stringify({ issuer: GIANT })) } },
    { metadata: { issuer: 'https://other.example' } },
    { metadata: { authorization_endpoint: 'javascript:alert(1)' } },
    { metadata: { token_endpoint: 'ftp://127.0.0.1/token' } },
    { metadata: { jwks_uri: undefined } },
  ];
  for (const wrong of wrongs) {
    provider.behaviour = { person: personOf(name), ...wrong };
    const { status, text, headers } = await new Browsing(origin).ask(BEGIN, {
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    assert.equal(status, 502, JSON.stringify(wrong));
    assert.match(text, AWAY);
    assert.equal(headers.get('location'), null);
  }
  const { browser, shown } = await signInAs({ person: personOf(name) });
  assert.equal(shown.status, 200, shown.text);
  assert.equal(await browser.isIn(), true);
});

test('an invited person comes in, and is led on from a page of ours', async () => {
  const name = await newPerson();
  const page = await ask(origin, '/console/sign-in?next=%2Fconsole%2Faudit');
  assert.match(page.text, /href="\/console\/sign-in\/oidc\?next=%2Fconsole%2Faudit"/);
  const browser = new Browsing(origin);
  const address = new URL(await browser.begin('/console/health?a=b'));
  assert.equal(address.origin + address.pathname, `${provider.issuer}/authorize`);
  const asked = Object.fromEntries(address.searchParams);
  assert.equal(asked.redirect_uri, `${origin}${BEGIN}/callback`);
  assert.equal(asked.scope, 'openid email');
  const begun = [...browser.cookies.keys()];
  assert.deepEqual(begun, ['parcela_homologation_oidc']);
  const shown = await browser.comeBack(provider.approve(address.href));
  assert.equal(shown.status, 200, shown.text);
  assert.equal(shown.headers.get('refresh'), '0;url=/console/health?a=b');
  assert.deepEqual([...browser.cookies.keys()], ['parcela_homologation'], 'the begun one is over');
  assert.equal(await browser.isIn(), true);
  const entries = await entriesOf(name);
  assert.deepEqual(
    entries.map(({ action, outcome }) => [action, outcome]),
    [['user.signIn', 'success']],
  );
  assert.deepEqual(JSON.parse(String(entries[0]?.detail)), {
    by: 'oidc',
    issuer: provider.issuer,
    subject: `subject of ${name}`,
  });
});

test('from then on the subject counts: another name of it opens, another subject of the name does not', async () => {
  const name = await newPerson();
  await signInAs({ person: personOf(name) });
  const renamed = { sub: `subject of ${name}`, email: 'married@loja.example', email_verified: false };
  const again = await signInAs({ person: renamed, alg: 'ES256' });
  assert.equal(await again.browser.isIn(), true);
  await refusedWith(403, { person: personOf(name, 'somebody else') }, NOBODY);
  const actions = (await entriesOf(name)).map(({ action }) => action);
  assert.deepEqual(actions, ['user.signIn', 'user.signIn', 'user.refuse']);
});

test('a token that proves nothing opens nothing', async () => {
  const name = await newPerson();
  const person = personOf(name);
  const now = Math.floor(Date.now() / 1_000);
  const wrongs: Omit<Behaviour, 'person'>[] = [
    { claims: { nonce: 'another' } },
    { claims: { nonce: undefined } },
    { claims: { aud: 'another-client' } },
    { claims: { aud: ['another-client', CLIENT.id], azp: 'another-client' } },
    { claims: { iss: 'https://other.example' } },
    { claims: { exp: now - 120 } },
    { claims: { exp: undefined } },
    { claims: { nbf: now + 120 } },
    { claims: { sub: '' } },
    { claims: { sub: 'a\0b' } },
    { claims: { sub: 'a'.repeat(256) } },
    { alg: 'none' },
    { alg: 'HS256' },
    { isForged: true },
    { isForged: true, alg: 'ES256' },
    { parameters: { iss: 'https://other.example' } },
    { parameters: { iss: '' } },
    { parameters: { error: 'access_denied' } },
    { parameters: { id_token: 'x.y.z' } },
    { parameters: { code: 'made-up' } },
  ];
  for (const wrong of wrongs) await refusedWith(401, { person, ...wrong }, NOT_PROVEN);
  assert.deepEqual(await entriesOf(name), []);
  // A clock may be a little off.
  const { browser } = await signInAs({ person, claims: { exp: now - 5, iat: now - 300 } });
  assert.equal(await browser.isIn(), true);
});

test('an answer for another browser, or for none, is not looked at', async () => {
  await newPerson();
  const [mine, yours] = [new Browsing(origin), new Browsing(origin)];
  const [forMe, forYou] = [provider.approve(await mine.begin()), provider.approve(await yours.begin())];
  const questions = provider.asked.length;
  const stranger = new Browsing(origin);
  for (const shown of [
    await stranger.comeBack(forMe),
    await mine.comeBack(forYou),
    await yours.comeBack(`${origin}${BEGIN}/callback?code=a`),
    await yours.comeBack(`${origin}${BEGIN}/callback`),
  ]) {
    assert.equal(shown.status, 400);
    assert.match(shown.text, ELSEWHERE);
  }
  assert.equal(provider.asked.length, questions);
  // Nor one whose cookie was made by somebody else, though all follows from it.
  const made = attemptOf(`${Date.now() + 60_000}.${'A'.repeat(43)}.${'A'.repeat(43)}`, '/console');
  stranger.cookies.set('parcela_homologation_oidc', `${made.secret}~%2Fconsole`);
  const answer = new URLSearchParams({ code: 'a', state: made.state, iss: provider.issuer });
  assert.equal((await stranger.comeBack(`${origin}${BEGIN}/callback?${answer}`)).status, 400);
  // Nor one that was changed, or is too old.
  const forged = new Browsing(origin);
  const address = provider.approve(await forged.begin());
  const [[name = '', value = ''] = []] = forged.cookies;
  for (const changed of [value.replace(/^\d/, '9'), value.replace(/\.[\w-]{43}~/, `.${'A'.repeat(43)}~`)]) {
    forged.cookies.set(name, changed);
    assert.equal((await forged.comeBack(address)).status, 400);
  }
});

test('an answer opens one session, however often it is shown', async () => {
  const name = await newPerson();
  const browser = new Browsing(origin);
  const asked = await browser.begin();
  const kept = new Map(browser.cookies);
  const [first, second] = [provider.approve(asked), provider.approve(asked)];
  assert.equal((await browser.comeBack(first)).status, 200);
  const thief = new Browsing(origin);
  const tryAgain = async (address: string) => {
    for (const [cookie, value] of kept) thief.cookies.set(cookie, value);
    return (await thief.comeBack(address)).status;
  };
  const exchanges = () => provider.asked.filter((path) => path === '/token').length;
  const before = exchanges();
  for (const address of [first, second, first.replace(/code=/, 'code=junk')])
    assert.equal(await tryAgain(address), 401, 'the attempt was used');
  assert.equal(exchanges(), before, 'an attempt is exchanged once');
  assert.equal(await thief.isIn(), false);
  const actions = (await entriesOf(name)).map(({ action }) => action);
  assert.deepEqual(actions, ['user.signIn']);
});

test('nobody comes in who was not invited by the provider, and passkeys of users stay theirs', async () => {
  await refusedWith(403, { person: personOf('nobody@loja.example') }, NOBODY);
  const linked = await invite(service, 'admin', null, 'linked@loja.example');
  await refusedWith(403, { person: personOf(linked.name) }, NOBODY);
  await new Visitor(origin).enter(linked.path);
  await refusedWith(403, { person: personOf(linked.name) }, NOBODY);
  const refused = (await entriesOf(linked.name)).filter(({ action }) => action === 'user.refuse');
  assert.equal(refused.length, 2);
  const name = await newPerson();
  for (const proof of [false, 'true', undefined])
    await refusedWith(403, { person: { ...personOf(name), email_verified: proof } }, NOBODY);
  await refusedWith(403, { person: { sub: 'x', preferred_username: name } }, NOBODY);
  await service.auditor.query(
    `update console_identities set invited_until = now()
     where user_id = (select user_id from console_users where name = $1)`,
    [name],
  );
  await refusedWith(403, { person: personOf(name) }, NOBODY);
});

test('a user who is locked out stays out, and one who is recovered is bound anew', async () => {
  const name = await newPerson();
  const { browser } = await signInAs({ person: personOf(name) });
  await withTools((tools) => recoverByIdentity(tools, name, null));
  assert.equal(await browser.isIn(), false, 'recovery ends sessions');
  const other = personOf(name, 'the new account');
  const renewed = await signInAs({ person: other });
  assert.equal(await renewed.browser.isIn(), true);
  await refusedWith(403, { person: personOf(name) }, NOBODY);
  const recovered = await withTools((tools) => recoverUser(tools, name, null));
  assert.ok('token' in recovered);
  await refusedWith(403, { person: other }, NOBODY);
  await withTools((tools) => recoverByIdentity(tools, name, null));
  await withTools((tools) => disableUser(tools, name, null));
  const bound =
    'select from console_identities i join console_users u on u.user_id = i.user_id where u.name = $1';
  assert.equal((await service.auditor.query(bound, [name])).length, 0);
  await refusedWith(403, { person: other }, NOBODY);
  assert.deepEqual(await withTools((tools) => recoverByIdentity(tools, name, null)), {
    refusal: 'userDisabled',
  });
});

test('an administrator invites by the provider and binds anew, by forms that name no link', async () => {
  const admin = await signedIn(service, 'admin', null);
  const name = 'rui@loja.example';
  const fields = { name, role: 'viewer', by: 'oidc', reason: 'equipe' };
  const made = await admin.send('/console/users', '/console/users/invite', fields);
  assert.equal(made.status, 200, made.text);
  assert.match(
    wordsOf(made.text),
    /rui@loja\.example entra pela organização, a primeira vez em até sete dias/,
  );
  assert.doesNotMatch(made.text, /\/console\/links\//);
  const page = `/console/users/${encodeURIComponent(name)}`;
  assert.match((await admin.ask(page)).text, /Convite pela organização/);
  const first = await signInAs({ person: personOf(name) });
  assert.equal(await first.browser.isIn(), true);
  assert.match((await admin.ask(page)).text, /Pela organização/);
  const recovered = await admin.send(page, `${page}/recover`, { by: 'oidc', reason: 'conta nova' });
  assert.doesNotMatch(recovered.text, /\/console\/links\//);
  assert.equal(await first.browser.isIn(), false);
  const second = await signInAs({ person: personOf(name, 'the new account') });
  assert.equal(await second.browser.isIn(), true);
  const linked = await admin.send(page, `${page}/recover`, { by: 'link', reason: 'sem provedor' });
  assert.match(linked.text, /\/console\/links\/[\w-]{43}/);
  assert.equal(await second.browser.isIn(), false);
});

test("a merchant's administrator invites by the provider too, and into the own merchant alone", async () => {
  const { merchantId } = await service.demo();
  const admin = await signedIn(service, 'admin', merchantId);
  const users = `/console/merchants/${merchantId}/users`;
  const name = 'iva@loja.example';
  const fields = { name, role: 'viewer', by: 'oidc', merchant: '', reason: 'equipe' };
  const made = await admin.send(users, `${users}/invite`, fields);
  assert.equal(made.status, 200, made.text);
  assert.doesNotMatch(made.text, /\/console\/links\//);
  const entered = async (subject: string) => {
    const { browser } = await signInAs({ person: personOf(name, subject) });
    assert.equal((await browser.ask('/console/health')).status, 403);
    return browser.ask(`/console/merchants/${merchantId}/payments`);
  };
  assert.equal((await entered('first')).status, 200);
  const letInBy = async () => {
    const [row] = await service.auditor.query(
      `select g.name from console_users u join console_hand_givers e on e.hand_id = u.hand_id
       join console_hands h on h.hand_id = e.given_by join console_users g on g.user_id = h.user_id
       where u.name = $1`,
      [name],
    );
    return row?.name;
  };
  const inviter = await letInBy();
  assert.match(String(inviter), /^admin-/);
  const page = `${users}/${encodeURIComponent(name)}`;
  const colleague = await signedIn(service, 'admin', merchantId);
  const again = await colleague.send(page, `${page}/recover`, { by: 'oidc', reason: 'conta nova' });
  assert.equal(again.status, 200, again.text);
  assert.match(String(await letInBy()), /^admin-/);
  assert.notEqual(await letInBy(), inviter, 'who recovered this one');
  assert.equal((await entered('second')).status, 200);
  const other = await newPerson();
  const form = { mark: await markOf(admin, users), once: randomUUID(), reason: 'x', by: 'oidc' };
  assert.equal((await admin.ask(`${users}/${encodeURIComponent(other)}/recover`, { form })).status, 404);
  const { browser } = await signInAs({ person: personOf(other) });
  assert.equal(await browser.isIn(), true);
});

test('nobody is led out of the console, or signed in by a page of another site', async () => {
  const name = await newPerson();
  for (const next of ['https://evil.example', '//evil.example', '/console@evil.example', '/console/\\evil']) {
    const browser = new Browsing(origin);
    const shown = await browser.comeBack(provider.approve(await browser.begin(next)));
    assert.equal(shown.headers.get('refresh'), '0;url=/console', next);
    assert.ok(!shown.text.includes('evil'));
  }
  const planted = new Browsing(origin);
  const address = provider.approve(await planted.begin());
  const [[cookie = '', value = ''] = []] = planted.cookies;
  planted.cookies.set(cookie, value.replace(/~.*/, `~${encodeURIComponent('https://evil.example')}`));
  assert.equal((await planted.comeBack(address)).headers.get('refresh'), '0;url=/console');
  for (const site of ['cross-site', 'same-site', 'none']) {
    const { status, headers } = await new Browsing(origin).ask(BEGIN, {
      headers: { 'sec-fetch-site': site },
    });
    assert.equal(status, 303);
    assert.equal(headers.get('location'), '/console/sign-in');
    assert.equal(headers.get('set-cookie'), null);
  }
  assert.equal((await entriesOf(name)).length, 5);
});

test('keys that are new are taken up, and what is wrong between the machines is said', async () => {
  const name = await newPerson();
  const person = personOf(name);
  await signInAs({ person });
  provider.rotate();
  for (const alg of ['RS256', 'ES256'] as const) {
    const { browser } = await signInAs({ person, alg });
    assert.equal(await browser.isIn(), true, alg);
  }
  const answers: readonly NonNullable<Behaviour['instead']>[string][] = [
    (response) => response.destroy(),
    (response) => response.writeHead(503).end('{}'),
    (response) => response.end('not JSON'),
    (response) => response.end(JSON.stringify({ access_token: GIANT })),
    (response) => response.writeHead(401).end(JSON.stringify({ error: 'invalid_client' })),
  ];
  for (const answer of answers) await refusedWith(502, { person, instead: { '/token': answer } }, AWAY);
  provider.rotate();
  for (const answer of answers.slice(0, 4))
    await refusedWith(502, { person, instead: { '/jwks': answer } }, AWAY);
  const { browser } = await signInAs({ person });
  assert.equal(await browser.isIn(), true);
  assert.ok(!service.log.some((line) => line.includes('of+the')), 'the secret is in no line of the log');
});

test('one address comes back so often in a moment, and what it began stays', async () => {
  const name = await newPerson();
  const browser = new Browsing(origin);
  const address = new URL(provider.approve(await browser.begin()));
  const cookie = [...browser.cookies].map(([one, value]) => `${one}=${value}`).join('; ');
  const path = address.pathname + address.search;
  const sent = await Promise.all(Array.from({ length: 95 }, () => ask(origin, path, { cookie })));
  const slowed = sent.filter(({ text }) => text.includes('Há muitos acessos vindos da sua rede'));
  assert.ok(slowed.length > 0);
  for (const { status, headers } of slowed) {
    assert.deepEqual([status, headers.get('set-cookie')], [429, null]);
    assert.match(headers.get('retry-after') ?? '', /^\d+$/);
  }
  await browser.comeBack(address.href);
  assert.equal((await entriesOf(name)).filter(({ action }) => action === 'user.signIn').length, 1);
});
