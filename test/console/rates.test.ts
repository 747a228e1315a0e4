import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { ask, invite, markOf, originOf, type Shown, signedIn, Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let users: string;
before(async () => {
  service = await openTestService();
  users = `/console/merchants/${(await service.demo()).merchantId}/users`;
});
after(() => service.close());

const TOO_FAST = /Muitas ações em pouco tempo: nada foi feito agora/;
const MANY_SIGN_IN = /Há muitos acessos vindos da sua rede neste momento/;

/** Asks until it is slowed down: behind the rate of pages there is one for this. */
async function slowedDown(press: () => Promise<Shown>, words: RegExp): Promise<Shown> {
  const shown = await until('it is slowed down', async () => {
    const found = await press();
    return found.status === 429 && words.test(wordsOf(found.text)) && found;
  });
  assert.match(shown.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  return shown;
}

/** The beginning of an answer. What asks by `fetch` may be slower than the rate. */
function glance(origin: string, path: string): Promise<string> {
  const { host, hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nCookie: parcela=stranger\r\n\r\n`),
    );
    socket.once('data', (bytes: Buffer) => {
      resolve(bytes.toString('latin1'));
      socket.destroy();
    });
    socket.once('error', () => resolve(''));
    socket.once('close', () => resolve(''));
  });
}

test('what a user does in a moment is limited: nothing is done then, others go on, and so do pages', async () => {
  const { merchantId } = await service.demo();
  const hasty = await signedIn(service, 'admin', merchantId);
  const other = await signedIn(service, 'admin', merchantId);
  const mark = await markOf(hasty, users);
  const invited = (name: string) => ({ mark, once: randomUUID(), reason: 'equipe', name, role: 'viewer' });
  // A name that is none makes nobody.
  await slowedDown(() => hasty.ask(`${users}/invite`, { form: invited('NONE') }), TOO_FAST);
  // Another one each time: on a slow machine some may still be made.
  let form = invited('hasty@loja.example');
  await slowedDown(() => {
    form = invited(`hasty-${randomUUID()}@loja.example`);
    return hasty.ask(`${users}/invite`, { form });
  }, TOO_FAST);
  const entries = 'select from audit_entries where detail like $1';
  assert.equal((await service.auditor.query(entries, [`%${form.name}%`])).length, 0);
  assert.equal((await hasty.turnTo(users)).status, 200);
  const made = await other.send(users, `${users}/invite`, {
    name: 'calm@loja.example',
    role: 'viewer',
    reason: 'equipe',
  });
  assert.equal(made.status, 200, made.text);
  const english = await hasty.ask('/console/language', { form: { mark, language: 'en' } });
  assert.equal(english.status, 303);
  await slowedDown(
    () => hasty.ask(`${users}/invite`, { form: invited('NONE') }),
    /You have done much in a moment: nothing was done now/,
  );
  const again = await hasty.slowly(`${users}/invite`, { form });
  assert.equal(again.status, 200, 'the form was not used up');
  assert.match(again.text, /\/console\/links\//);
});

test('style and script are limited by address, whatever cookie comes with the request', async () => {
  const origin = originOf(service);
  const asset = /\/console\/assets\/[\w.-]+/.exec((await ask(origin, '/console/sign-in')).text)?.[0] ?? '';
  const headers = { cookie: 'parcela=stranger' };
  assert.equal((await ask(origin, asset, { headers })).status, 200);
  await until('it is slowed down', async () => {
    const all = await Promise.all(Array.from({ length: 150 }, () => glance(origin, asset)));
    return all.some(
      (answer) => /^HTTP\/1.1 429 /.test(answer) && /\r\nretry-after: [1-9]\d*\r\n/i.test(answer),
    );
  });
  assert.equal((await ask(origin, '/console/sign-in')).status, 200, 'pages have a rate of their own');
});

test('attempts to sign in from one address are limited, by passkeys and by links', async () => {
  const origin = originOf(service);
  const { path } = await invite(service, 'viewer', null);
  const attempt = () => ask(origin, '/console/sign-in', { form: { passkey: '{"id":"x"}' } });
  const first = await until('it is answered', async () => {
    const shown = await attempt();
    return shown.status !== 429 && shown;
  });
  assert.equal(first.status, 401);
  const slowed = await slowedDown(attempt, MANY_SIGN_IN);
  assert.match(wordsOf(slowed.text), /Entrar · Parcela/);
  const byLink = await ask(origin, path, { form: {} });
  assert.deepEqual([byLink.status, byLink.headers.get('set-cookie')], [429, null]);
  assert.match(wordsOf(byLink.text), MANY_SIGN_IN);
  assert.equal((await ask(origin, '/console/sign-in')).status, 200, 'to look at it is none');
  await new Visitor(origin).enter(path);
});
