import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { request as ask, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openProductionProcess, type ProductionService } from '../antifraud/production-service.ts';
import { patiently } from '../kit/patience.ts';
import { type Service, until } from '../kit/service.ts';
import { makeAuthority, makeCertificate } from '../webhooks/certificates.ts';
import { Authenticator, type Odd } from './authenticator.ts';
import { CLIENT, TestProvider } from './test-provider.ts';

const ORIGIN = 'https://console.example.com';
const HOST = 'console.example.com';
const HOME = '/console/health';

let provider: TestProvider;
let production: ProductionService<Service>;
let consoleUrl: string;
let settings: Readonly<Record<string, string>>;
before(async () => {
  const issuer = makeAuthority();
  provider = await TestProvider.open(makeCertificate({ hosts: ['127.0.0.1'], issuer }));
  settings = {
    PARCELA_TRUSTED_PROXIES: '127.0.0.1',
    PARCELA_CONSOLE_PORT: '0',
    PARCELA_CONSOLE_ORIGIN: ORIGIN,
    PARCELA_CONSOLE_OIDC_ISSUER: provider.issuer,
    PARCELA_CONSOLE_OIDC_CLIENT_ID: CLIENT.id,
    PARCELA_CONSOLE_OIDC_NAME_CLAIM: 'preferred_username',
  };
  const { certificate } = issuer;
  production = await openProductionProcess(async (folder) => {
    const [ca, secret] = [join(folder, 'provider.pem'), join(folder, 'provider.secret')];
    const token = join(folder, 'pix.token');
    await writeFile(token, 'client:secret', { mode: 0o600 });
    await writeFile(ca, certificate);
    await writeFile(secret, CLIENT.secret, { mode: 0o600 });
    return {
      ...settings,
      // No program listens there.
      PARCELA_PIX_URL: 'http://127.0.0.1:9',
      PARCELA_PIX_TOKEN_FILE: token,
      PARCELA_PIX_SETTINGS: 'key=pix@loja.example',
      PARCELA_PIX_CHANGES_SECONDS: '1',
      PARCELA_CONSOLE_OIDC_CA_FILE: ca,
      PARCELA_CONSOLE_OIDC_CLIENT_SECRET_FILE: secret,
    };
  });
  const line = production.service.said.find((said) => said.startsWith('  Console'));
  consoleUrl = new URL(line?.split(/\s+/)[2] ?? '').origin;
});
after(async () => {
  await production.close();
  await provider.close();
});

type Reply = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string };
type Sent = {
  readonly at?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly cookie?: string;
};

/** Patiently: a test is faster than people behind one address may be. */
function send(path: string, sent: Sent = {}): Promise<Reply> {
  return until(`${path} is answered`, async () => {
    const reply = await sendOnce(path, sent);
    return reply.status === 429 ? null : reply;
  });
}

/** As the proxy passes it on that ends TLS in front. */
function sendOnce(path: string, { at = consoleUrl, headers = {}, form, cookie }: Sent): Promise<Reply> {
  const method = form === undefined ? 'GET' : 'POST';
  return new Promise((resolve, reject) => {
    const sent = ask(
      at + path,
      {
        method,
        timeout: patiently(30_000),
        headers: {
          host: HOST,
          'x-forwarded-for': '203.0.113.7',
          'x-forwarded-proto': 'https',
          accept: 'text/html',
          ...(method === 'POST' && {
            origin: ORIGIN,
            'sec-fetch-site': 'same-origin',
            'content-type': 'application/x-www-form-urlencoded',
          }),
          ...(cookie !== undefined && { cookie }),
          ...headers,
        },
      },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      },
    );
    sent.once('error', reject);
    sent.end(form === undefined ? undefined : new URLSearchParams(form).toString());
  });
}

async function command(...words: string[]): Promise<Record<string, string>> {
  const { keys, settings: all } = production;
  const { code, printed, said } = await keys.parcela([...words, '--json'], all);
  assert.equal(code, 0, said);
  return JSON.parse(printed) as Record<string, string>;
}

async function invited(name: string): Promise<string> {
  const { path } = await command('user', 'invite', '--name', name, '--role', 'admin');
  return path ?? '';
}

const challengeOf = ({ text }: Reply) => /data-challenge="([^"]+)"/.exec(text)?.[1] ?? '';
const tokenOf = (cookie: string) => /^[^=]+=([^;]*)/.exec(cookie)?.[1] ?? '';
const cookiesOf = ({ headers }: Reply) => headers['set-cookie'] ?? [];
/** As one of ours looks, and none was given. */
const PLANTED = `${Date.now() + 3_600_000}.${'B'.repeat(43)}.${'B'.repeat(43)}`;
const isIn = async (cookie: string) => (await send(HOME, { cookie })).status === 200;

/** What is signed so is no passkey of ours. */
const ODDITIES: readonly Odd[] = [
  { origin: 'https://evil.example' },
  { party: 'evil.example' },
  { isUnverified: true },
  { frame: { crossOrigin: true } },
  { frame: { crossOrigin: true, topOrigin: 'https://evil.example' } },
  { frame: { topOrigin: 'https://evil.example' } },
  { frame: { crossOrigin: 'true' } },
];

/** Opens a link, makes a passkey there, and gives it with the cookie of the session. */
async function enter(name: string) {
  const path = await invited(name);
  const passkey = new Authenticator(ORIGIN);
  const made = passkey.create(challengeOf(await send(path)));
  const entered = await send(path, { form: { passkey: made } });
  assert.equal(entered.status, 303, entered.text);
  return { path, made, passkey, cookie: cookiesOf(entered)[0] ?? '' };
}

test('a bank of Pix that is away is told by the log, metrics, doctor and console, with since when', async () => {
  const { service, keys, settings: all } = production;
  const line = await until('the log tells', async () =>
    service.log.find((one) => one.includes('calls to the bank of Pix get no clear answer')),
  );
  assert.match(line, /^\{"level":"warn".*ECONNREFUSED/);
  const metrics = await (await fetch(service.metricsUrl)).text();
  assert.match(metrics, /^parcela_outage\{part="pix",provider="default"\} 1$/m);
  const { cookie } = await enter('plantao');
  const shown = /Banco do Pix.*Indisponível.*nenhum programa escuta ali: ECONNREFUSED/s;
  await until('the console shows it', async () => shown.test((await send(HOME, { cookie })).text));
  const { code, printed } = await keys.parcela(['doctor'], all);
  assert.equal(code, 1);
  assert.match(printed, /^FAULT {4}pix\.unreachable: /m);
  assert.match(
    printed,
    /^WARNING {2}providers\.away: pix: no clear answer since 20\S+Z, and none since the process began; .*ECONNREFUSED/m,
  );
  assert.match(printed, /^ok {7}processes\.alive: /m);
});

test('a link makes a passkey, and alone it opens nothing; used, it is good no more', async () => {
  const path = await invited('ana');
  const page = await send(path);
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.text, /homologa/i);
  assert.equal((await send(path, { form: {} })).status, 400);
  const passkey = new Authenticator(ORIGIN);
  const challenge = challengeOf(page);
  for (const odd of ODDITIES)
    assert.equal((await send(path, { form: { passkey: passkey.create(challenge, odd) } })).status, 400);
  const made = passkey.create(challenge);
  const entered = await send(path, { form: { passkey: made } });
  assert.equal(entered.status, 303);
  assert.equal(await isIn(`__Host-parcela=${tokenOf(cookiesOf(entered)[0] ?? '')}`), true);
  const again = await send(path, { form: { passkey: made } });
  assert.deepEqual([again.status, cookiesOf(again)], [404, []]);
});

test('the id of a passkey of somebody else makes none, and the link stays good for another', async () => {
  const taken = randomBytes(32);
  for (const [name, id, status] of [
    ['lia', taken, 303],
    ['mel', taken, 400],
  ] as const) {
    const path = await invited(name);
    const made = new Authenticator(ORIGIN, id).create(challengeOf(await send(path)));
    const entered = await send(path, { form: { passkey: made } });
    assert.deepEqual([entered.status, cookiesOf(entered).length], [status, status === 303 ? 1 : 0]);
    if (status === 303) continue;
    assert.match(entered.text, /Nenhuma chave foi criada/);
    const own = new Authenticator(ORIGIN).create(challengeOf(await send(path)));
    assert.equal((await send(path, { form: { passkey: own } })).status, 303);
  }
});

test('the cookie is of this host, over TLS, for our own pages alone; that of homologation opens nothing', async () => {
  const { cookie } = await enter('bia');
  assert.match(cookie, /^__Host-parcela=[\w.-]{101}; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
  const token = tokenOf(cookie);
  assert.equal(await isIn(`__Host-parcela=${token}`), true);
  for (const name of ['parcela_homologation', 'parcela', '__Secure-parcela', '__host-parcela'])
    assert.equal(await isIn(`${name}=${token}`), false, name);
  assert.equal(await isIn(`__Host-parcela=${token}; __Host-parcela=${PLANTED}`), false);
});

test('a session that was planted before is not the one that is opened', async () => {
  const { passkey } = await enter('caio');
  const planted = `__Host-parcela=${PLANTED}`;
  const page = await send('/console/sign-in', { cookie: planted });
  const form = { passkey: passkey.get(challengeOf(page)) };
  const entered = await send('/console/sign-in', { cookie: planted, form });
  assert.equal(entered.status, 303, entered.text);
  const token = tokenOf(cookiesOf(entered)[0] ?? '');
  assert.notEqual(token, PLANTED);
  assert.equal(await isIn(planted), false);
  assert.equal(await isIn(`__Host-parcela=${token}`), true);
});

test('what a passkey has signed opens one session, for this origin and this person alone', async () => {
  const { passkey } = await enter('davi');
  const sign = async (challenge: string, odd = {}) =>
    send('/console/sign-in', { form: { passkey: passkey.get(challenge, odd) } });
  const fresh = async () => challengeOf(await send('/console/sign-in'));
  for (const odd of ODDITIES) assert.equal((await sign(await fresh(), odd)).status, 401, JSON.stringify(odd));
  const otherPage = challengeOf(await send(await invited('davi-other')));
  assert.equal((await sign(otherPage)).status, 401, 'a challenge for something else');
  assert.equal((await sign(`${Date.now() + 60_000}.${'A'.repeat(43)}.${'A'.repeat(43)}`)).status, 401);
  const form = { passkey: passkey.get(await fresh()) };
  assert.equal((await send('/console/sign-in', { form })).status, 303);
  const replayed = await send('/console/sign-in', { form });
  assert.deepEqual([replayed.status, cookiesOf(replayed)], [401, []]);
});

test('a form of another origin does nothing, and another name leads to no page', async () => {
  const { passkey } = await enter('eva');
  const form = { passkey: passkey.get(challengeOf(await send('/console/sign-in'))) };
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'http://console.example.com' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    const refused = await send('/console/sign-in', { form, headers });
    assert.deepEqual([refused.status, cookiesOf(refused)], [403, []], JSON.stringify(headers));
  }
  for (const host of ['evil.example', '203.0.113.7', 'console.example.com.evil.example']) {
    for (const path of ['/console', '/console/sign-in', '/console/sign-in/oidc']) {
      const elsewhere = await send(path, { headers: { host } });
      assert.equal(elsewhere.status, 421, host);
      assert.ok(!JSON.stringify(elsewhere).includes('evil'));
      assert.deepEqual(cookiesOf(elsewhere), []);
    }
  }
  assert.equal((await send('/console/sign-in', { headers: { host: `${HOST}:443` } })).status, 200);
});

test('every answer says: TLS alone, no frame, no script but ours, not kept', async () => {
  const { cookie } = await enter('fabio');
  const of = `__Host-parcela=${tokenOf(cookie)}`;
  const pages = [
    await send('/console/sign-in'),
    await send(HOME, { cookie: of }),
    await send('/console/nowhere', { cookie: of }),
    await send('/console', { headers: { host: 'evil.example' } }),
    await send('/console/sign-in', { form: {}, headers: { origin: 'https://evil.example' } }),
    // A proxy that does not say how it was asked takes nothing of it away.
    await send('/console/sign-in', { headers: { 'x-forwarded-proto': 'http' } }),
    await send('/console/sign-in/oidc/callback?state=x'),
  ];
  for (const { headers, status } of pages) {
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; .*form-action 'self'; frame-ancestors 'none'/, String(status));
    assert.equal(headers['x-frame-options'], 'DENY');
    assert.equal(headers['cache-control'], 'no-store');
  }
  const others = [await send('/'), await send('/v1/plans'), await send('/console/assets/none.js')];
  for (const { headers, status } of [...pages, ...others])
    assert.equal(headers['strict-transport-security'], 'max-age=31536000', String(status));
});

test('the ports of the APIs have no console, and the port of the console has no API', async () => {
  const { service, token } = production;
  // A merchant's program, from where it may call.
  const caller = { authorization: `Bearer ${token}`, 'x-forwarded-for': '127.0.0.1' };
  for (const at of [service.gatewayUrl, service.integrationUrl].map((url) => new URL(url).origin)) {
    for (const path of ['/console', '/console/sign-in', '/console/assets/console.css'])
      assert.equal((await send(path, { at })).status, 401, path);
    assert.equal((await send('/console/sign-in', { at, headers: caller })).status, 404);
    const home = await send('/', { at });
    assert.notEqual(home.headers.location, '/console');
  }
  const home = await send('/');
  assert.deepEqual([home.status, home.headers.location], [302, '/console']);
  assert.equal((await send('/console')).headers.location, '/console/sign-in');
  for (const path of ['/health/ready', '/health/live', '/docs', '/openapi.json', '/metrics', '/v1/plans']) {
    assert.equal((await send(path, { headers: caller })).status, 404, path);
    assert.equal((await send(path)).status, 401, path);
  }
  const form = { userName: 'a', password: 'b' };
  assert.equal((await send('/api/auth/token', { form, headers: caller })).status, 404);
});

test('somebody of the provider comes in over TLS on both sides', async () => {
  const made = await command('user', 'invite', '--name', 'gil', '--role', 'viewer', '--oidc');
  assert.equal(made.path, null);
  provider.behaviour = { person: { sub: 'gil-1', preferred_username: 'Gil' } };
  const begun = await send('/console/sign-in/oidc', { headers: { 'sec-fetch-site': 'same-origin' } });
  assert.equal(begun.status, 303, begun.text);
  const attempt = cookiesOf(begun)[0] ?? '';
  assert.match(attempt, /^__Host-parcela-oidc=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=300; Secure$/);
  const back = new URL(provider.approve(begun.headers.location ?? ''));
  assert.equal(back.origin, ORIGIN);
  const cookie = attempt.split(';')[0] ?? '';
  const plain = cookie.replace('__Host-parcela-oidc', 'parcela_homologation_oidc');
  assert.equal((await send(back.pathname + back.search, { cookie: plain })).status, 400);
  const entered = await send(back.pathname + back.search, { cookie });
  assert.equal(entered.status, 200, entered.text);
  const [session = '', over = ''] = cookiesOf(entered);
  assert.match(session, /^__Host-parcela=[\w.-]{101}; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
  assert.match(over, /^__Host-parcela-oidc=; .*Max-Age=0; Secure$/);
  assert.equal(await isIn(`__Host-parcela=${tokenOf(session)}`), true);
  const listed = (await command('user', 'list')) as unknown as {
    items: { name: string; identity: string }[];
  };
  const identities = Object.fromEntries(listed.items.map(({ name, identity }) => [name, identity]));
  assert.deepEqual([identities.gil, identities.ana], ['bound', 'none']);
  const changed = await command('user', 'change', '--name', 'gil', '--role', 'support');
  assert.deepEqual([changed.name, changed.role], ['gil', 'support']);
  const words = ['user', 'change', '--name', 'gil', '--role', 'support'];
  const again = await production.keys.parcela(words, production.settings);
  assert.equal(again.code, 1);
  assert.match(again.said, /--role: The user has this role already/);
});

test('a start of production refuses a console without TLS, and half a provider', async () => {
  const refused = async (change: Record<string, string>) => {
    const { code, said } = await production.keys.startInVain({ ...production.settings, ...change });
    assert.equal(code, 1, said);
    return said;
  };
  for (const origin of ['', 'http://console.example.com'])
    assert.match(
      await refused({ PARCELA_CONSOLE_ORIGIN: origin }),
      /PARCELA_CONSOLE_ORIGIN: production shows/,
    );
  assert.match(await refused({ PARCELA_CONSOLE_ORIGIN: `${ORIGIN}/x` }), /must be an address without a path/);
  const oidc = (name: string) => `PARCELA_CONSOLE_OIDC_${name}`;
  assert.match(
    await refused({ [oidc('ISSUER')]: 'http://127.0.0.1:9', [oidc('CA_FILE')]: '' }),
    /OIDC_ISSUER: production believes an identity provider under https:\/\/ only/,
  );
  assert.match(await refused({ [oidc('ISSUER')]: 'https://id.example?x=1' }), /OIDC_ISSUER: must start with/);
  for (const name of ['CLIENT_ID', 'CLIENT_SECRET_FILE'])
    assert.match(
      await refused({ [oidc(name)]: '' }),
      new RegExp(`${oidc(name)}: ${oidc('ISSUER')} needs it`),
    );
  assert.match(
    await refused({ [oidc('ISSUER')]: '' }),
    /CLIENT_SECRET_FILE: has no effect without PARCELA_CONSOLE_OIDC_ISSUER/,
  );
  assert.match(await refused({ [oidc('NAME_CLAIM')]: 'sub' }), /NAME_CLAIM: must be one of/);
  assert.match(await refused({ [oidc('CLIENT_SECRET_FILE')]: '/nowhere' }), /CLIENT_SECRET_FILE: \/nowhere/);
});
