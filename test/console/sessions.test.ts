import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { tokenHash } from '../../src/console/users/session.ts';
import { openByLink } from '../../src/console/users/sessions.sql.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { openTestProcess, openTestService, type TestService } from '../kit/service.ts';
import { ask, hiddenFields, invite, originOf, signedIn, Visitor } from './visitor.ts';

let service: TestService;
let origin: string;
before(async () => {
  service = await openTestService();
  origin = originOf(service);
});
after(() => service.close());

const HOME = '/console/health';
const isOut = (status: number, location: string | null) =>
  status === 303 && location?.startsWith('/console/sign-in') === true;

async function assertOut(cookie: string | null): Promise<void> {
  const { status, headers } = await ask(origin, HOME, { cookie });
  assert.ok(isOut(status, headers.get('location')), `${status} ${headers.get('location')}`);
}

test('the start prints a link that lets the demo user in once', async (t) => {
  const started = await openTestProcess();
  t.after(() => started.close());
  const at = originOf(started);
  const line = started.said.find((said) => said.startsWith('  Sign in'));
  const path = URL.parse(line?.split(/\s+/)[3] ?? '')?.pathname ?? '';
  assert.match(path, /^\/console\/links\/[\w-]{43}$/);
  const first = await new Visitor(at).enter(path);
  assert.equal((await first.ask(HOME)).status, 200);
  const second = await ask(at, path, { form: {} });
  assert.equal(second.status, 404);
  assert.equal(second.headers.get('set-cookie'), null);
});

test('a look at a link does not use it up, and a link that was made up opens nothing', async () => {
  const { path } = await invite(service, 'viewer', null);
  for (let looks = 0; looks < 2; looks += 1) assert.equal((await ask(origin, path)).status, 200);
  await new Visitor(origin).enter(path);
  assert.equal((await ask(origin, `/console/links/${'A'.repeat(43)}`, { form: {} })).status, 404);
});

test('of two who use a link at once one comes in', async () => {
  const { path } = await invite(service, 'viewer', null);
  const answers = await Promise.all(Array.from({ length: 6 }, () => ask(origin, path, { form: {} })));
  assert.equal(answers.filter(({ status }) => status === 303).length, 1);
  assert.equal(answers.filter(({ headers }) => headers.get('set-cookie') !== null).length, 1);
});

test('a link lets in up to its end, and not behind it, nor a page of it that was opened before', async () => {
  const [early, late] = [await invite(service, 'viewer', null), await invite(service, 'viewer', null)];
  const leave = (seconds: number) =>
    service.auditor.query(
      `update console_links set expires_at = now() + $1 * interval '1 second' where used_at is null`,
      [seconds],
    );
  await leave(60);
  assert.equal((await ask(origin, late.path)).status, 200);
  await new Visitor(origin).enter(early.path);
  await leave(-1);
  for (const form of [undefined, {}]) {
    const { status, headers } = await ask(origin, late.path, form === undefined ? {} : { form });
    assert.equal(status, 404);
    assert.equal(headers.get('set-cookie'), null);
  }
});

test('whoever has read a link in time comes in once, and not behind its end', async () => {
  const database = openDatabase(service.database.runtime, () => {});
  const opened = async (path: string) => {
    const link = tokenHash(path.slice(path.lastIndexOf('/') + 1));
    const [row] = await service.auditor.query(
      'select user_id::text as id from console_links where token_hash = $1',
      [link],
    );
    const user = { userId: row?.id as string, name: '', role: 'viewer', merchantId: null } as const;
    return database.transaction((tx) => openByLink(tx, user, link, randomBytes(32), null));
  };
  try {
    const { path } = await invite(service, 'viewer', null);
    assert.equal(await opened(path), true);
    assert.equal(await opened(path), false);
    const late = await invite(service, 'viewer', null);
    await service.auditor.query('update console_links set expires_at = now() where used_at is null', []);
    assert.equal(await opened(late.path), false);
  } finally {
    await database.close();
  }
});

test('without a session every page leads to the sign-in, and back to where somebody wanted to go', async () => {
  for (const path of ['/console', HOME, '/console/audit', '/console/merchants/X/payments?status=Paga']) {
    const { status, headers, text } = await ask(origin, path);
    assert.ok(isOut(status, headers.get('location')), path);
    assert.equal(text, '');
  }
  const { headers } = await ask(origin, '/console/audit?action=login.accept');
  assert.equal(
    headers.get('location'),
    `/console/sign-in?next=${encodeURIComponent('/console/audit?action=login.accept')}`,
  );
  const strange = await ask(origin, '/console/sign-in?next=https%3A%2F%2Fevil.example');
  assert.ok(!strange.text.includes('evil.example'));
});

test('the cookie is for this host alone, and no script reads it', async () => {
  const { path } = await invite(service, 'viewer', null);
  const entered = await ask(origin, path, { form: {} });
  const cookie = entered.headers.get('set-cookie') ?? '';
  assert.match(
    cookie,
    /^parcela_homologation=\d{13}\.[\w-]{43}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  const [row] = await service.auditor.query(
    'select count(*)::int as n from console_sessions where token_hash = $1',
    [Buffer.from(cookie.split(/[=;]/)[1] ?? '', 'base64url')],
  );
  assert.equal(row?.n, 0, 'the token itself is kept');
});

test('a session that was planted in the browser before is not the one that is opened', async () => {
  const visitor = new Visitor(origin);
  const planted = `parcela_homologation=${'1'.repeat(13)}.${'B'.repeat(43)}.${'B'.repeat(43)}`;
  visitor.cookie = planted;
  await visitor.enter((await invite(service, 'viewer', null)).path);
  assert.notEqual(visitor.cookie, planted);
  await assertOut(planted);
  // Nor does one of two cookies of the name count.
  await assertOut(`${visitor.cookie}; ${planted}`);
});

test('a session ends when its user signs out, and its cookie opens nothing again', async () => {
  const visitor = await signedIn(service, 'viewer', null);
  const { cookie } = visitor;
  assert.equal((await visitor.send(HOME, '/console/sign-out', {})).status, 303);
  assert.notEqual(visitor.cookie, cookie);
  await assertOut(cookie);
});

async function age(column: 'seen_at' | 'expires_at', seconds: number): Promise<void> {
  await service.auditor.query(
    `update console_sessions set ${column} = ${column} - $1 * interval '1 second'`,
    [seconds],
  );
}

test('a session is over when nothing was asked for in fifteen minutes, and after twelve hours', async () => {
  const idle = await signedIn(service, 'viewer', null);
  await age('seen_at', 14 * 60);
  assert.equal((await idle.ask(HOME)).status, 200);
  await age('seen_at', 14 * 60);
  assert.equal((await idle.ask(HOME)).status, 200, 'it was used in between');
  await age('seen_at', 14 * 60);
  const live = await idle.ask(HOME, { headers: { 'x-parcela-live': '1' } });
  assert.equal(live.status, 200);
  await age('seen_at', 2 * 60);
  await assertOut(idle.cookie);
  const old = await signedIn(service, 'viewer', null);
  await age('expires_at', 12 * 60 * 60);
  await assertOut(old.cookie);
});

test('a user who is locked out, or whose merchant is, is out at once', async () => {
  const { merchantId } = await service.demo();
  const visitor = await signedIn(service, 'viewer', merchantId);
  const path = `/console/merchants/${merchantId}/payments`;
  assert.equal((await visitor.ask(path)).status, 200);
  await service.auditor.query('update merchants set disabled_at = now() where merchant_id = $1', [
    merchantId,
  ]);
  await assertOut(visitor.cookie);
  await service.auditor.query('update merchants set disabled_at = null where merchant_id = $1', [merchantId]);
  assert.equal((await visitor.ask(path)).status, 200);
  await service.auditor.query('update console_users set disabled_at = now() where merchant_id = $1', [
    merchantId,
  ]);
  await assertOut(visitor.cookie);
});

test('a form of another site, or of another session, does nothing', async () => {
  const visitor = await signedIn(service, 'viewer', null);
  const other = await signedIn(service, 'viewer', null);
  const own = hiddenFields((await visitor.ask(HOME)).text, '/console/sign-out');
  const strange = hiddenFields((await other.ask(HOME)).text, '/console/sign-out');
  assert.notEqual(own.mark, strange.mark);
  const tries: Parameters<Visitor['ask']>[1][] = [
    { form: own, headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' } },
    { form: own, headers: { 'sec-fetch-site': 'same-site' } },
    { form: own, headers: { origin: 'https://evil.example' } },
    { form: own, headers: { origin: 'null' } },
    { form: strange },
    { form: {} },
  ];
  for (const asked of tries) {
    const { status } = await visitor.ask('/console/sign-out', asked);
    assert.equal(status, 403, JSON.stringify(asked));
  }
  const bare = await fetch(`${origin}/console/sign-out`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: visitor.cookie ?? '', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(own),
  });
  assert.equal(bare.status, 403, 'nothing says from where it comes');
  assert.equal((await visitor.ask(HOME)).status, 200);
});

test('no page can be framed, runs anything but our script, or is kept', async () => {
  const visitor = await signedIn(service, 'viewer', null);
  for (const shown of [
    await ask(origin, '/console/sign-in'),
    await visitor.ask(HOME),
    await visitor.ask('/console/nowhere'),
    await visitor.ask('/console/audit'),
  ]) {
    const policy = shown.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.match(policy, /frame-ancestors 'none'; base-uri 'none'$/);
    assert.ok(!policy.includes('unsafe'), policy);
    assert.equal(shown.headers.get('x-frame-options'), 'DENY');
    assert.equal(shown.headers.get('cache-control'), 'no-store');
    assert.equal(shown.headers.get('x-content-type-options'), 'nosniff');
    assert.ok(!/<script(?! src="\/console\/assets\/)|<style| style=| on\w+=/.test(shown.text));
  }
});

test('style, script and icon have their hash in the name, and are kept', async () => {
  const { text } = await ask(origin, '/console/sign-in');
  const paths = [...text.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path);
  assert.equal(paths.length, 3);
  for (const path of paths) {
    const asset = await ask(origin, path ?? '');
    assert.equal(asset.status, 200);
    assert.match(asset.headers.get('cache-control') ?? '', /immutable/);
  }
  assert.equal((await ask(origin, '/console/assets/../main.ts')).status, 303);
  assert.equal((await ask(origin, '/console/assets/main.ts')).status, 404);
});

test('who signs in and out stands in the audit log, with the name of the user', async () => {
  const { name, path } = await invite(service, 'support', null);
  const visitor = await new Visitor(origin).enter(path);
  await visitor.send(HOME, '/console/sign-out', {});
  const entries = await service.auditor.query(
    'select action, actor from audit_entries where actor = $1 order by entry_number',
    [`user:${name}`],
  );
  assert.deepEqual(entries, [
    { action: 'user.signIn', actor: `user:${name}` },
    { action: 'user.signOut', actor: `user:${name}` },
  ]);
});
