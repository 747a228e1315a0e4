import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { hashPassword } from '../../src/merchants/credentials/check-password.ts';
import { openLoginDesk, logIn as tryToLogIn } from '../../src/merchants/tokens/log-in.ts';
import { fairLine } from '../../src/platform/work/fair-line.ts';
import { patiently } from '../kit/patience.ts';
import { until } from '../kit/service.ts';
import {
  type Answered,
  command,
  createLogin,
  createShop,
  createTestDatabase,
  type Door,
  logIn,
  openDoor,
  operator,
  post,
  type TestDatabase,
  type TokenBody,
  tokenOf,
  untilStatus,
  who,
} from './merchants-door.ts';

let testDatabase: TestDatabase;
let door: Door;
let otherDoor: Door;

before(async () => {
  testDatabase = await createTestDatabase();
  door = await openDoor(testDatabase, { trustedProxies: ['127.0.0.1'] });
  otherDoor = await openDoor(testDatabase, { trustedProxies: ['127.0.0.1'] });
  await createShop(door.database, 'shop');
});

after(async () => {
  await door.close();
  await otherDoor.close();
  await testDatabase.drop();
});

let addresses = 0;
/** An address of its own for each test, so that failures of one do not count in another. */
function newAddress(): string {
  addresses += 1;
  return `198.51.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`;
}
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

const REFUSED_BODY = { authenticated: false, created: null, expiration: null, accessToken: null };

test('a gateway credential logs in and is known by its token for an hour', async () => {
  const { userName, password, credentialId } = await createLogin(door.database, 'shop', '--account', '1002');
  const { status, headers, body } = await logIn(door, userName, password, from(newAddress()));
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), ['authenticated', 'created', 'expiration', 'accessToken', 'message']);
  assert.equal(body.authenticated, true);
  assert.match(body.created ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(Date.parse(body.expiration ?? '') - Date.parse(body.created ?? ''), 3_600_000);
  assert.match(body.accessToken ?? '', /^[\w-]{43}$/);
  assert.equal(body.message, 'Autenticado com sucesso.');
  assert.equal(headers.get('cache-control'), 'no-store');
  const known = await who(door, body.accessToken);
  assert.equal(known.status, 200);
  assert.deepEqual(known.body, {
    merchantId: 'shop',
    credentialId,
    userName,
    accountNumber: '1002',
    scopes: ['gateway'],
    softDescriptor: null,
    tokenId: known.body?.tokenId,
  });
  assert.equal((await who(otherDoor, body.accessToken)).status, 200);
});

test('an integration credential logs in at the other APIs, and its token is not taken by the gateway', async () => {
  const { userName, password } = await createLogin(door.database, 'shop', '--scope', 'integration');
  const { status, body } = await logIn(door, userName, password, {
    api: 'integration',
    ...from(newAddress()),
  });
  assert.equal(status, 200);
  assert.equal((await who(door, body.accessToken, '/who/integration')).status, 200);
  const refused = await who(door, body.accessToken, '/who/gateway');
  assert.deepEqual([refused.status, refused.body], [401, null]);
});

test('a credential with scopes of both APIs gets a token for the one where it logs in', async () => {
  const login = await createLogin(door.database, 'shop', '--scope', 'recurrence', '--scope', 'integration');
  const headers = from(newAddress());
  const gateway = await logIn(door, login.userName, login.password, headers);
  const integration = await logIn(door, login.userName, login.password, { api: 'integration', ...headers });
  assert.deepEqual([gateway.status, integration.status], [200, 200]);
  assert.equal((await who(door, gateway.body.accessToken, '/who/recurrence')).status, 200);
  assert.equal((await who(door, gateway.body.accessToken, '/who/gateway')).status, 403);
  assert.equal((await who(door, gateway.body.accessToken, '/who/integration')).status, 401);
  assert.equal((await who(door, integration.body.accessToken, '/who/integration')).status, 200);
  assert.equal((await who(door, integration.body.accessToken, '/who/recurrence')).status, 401);
});

test('unknown, wrong, disabled and of the other API are refused alike', async () => {
  const good = await createLogin(door.database, 'shop');
  const disabled = await createLogin(door.database, 'shop');
  const integration = await createLogin(door.database, 'shop', '--scope', 'integration');
  await operator(door.database, ['credential', 'disable', '--user-name', disabled.userName]);
  const headers = from(newAddress());
  const refused = [
    await logIn(door, 'nobody', good.password, headers),
    await logIn(door, good.userName, 'wrong', headers),
    await logIn(door, disabled.userName, disabled.password, headers),
    await logIn(door, integration.userName, integration.password, headers),
    await logIn(door, good.userName, good.password, { api: 'integration', ...headers }),
  ];
  const shown = refused.map((answer) => ({ ...answer, headers: [...answer.headers].filter(isNotPassing) }));
  for (const answer of shown) {
    assert.equal(answer.status, 401);
    assert.deepEqual(answer.body, { ...REFUSED_BODY, message: 'Usuário ou senha inválidos.' });
    assert.deepEqual(answer, shown[0]);
  }
});

/** Headers that are another with every answer. */
function isNotPassing([name]: [string, string]): boolean {
  return name !== 'x-request-id' && name !== 'date';
}

test('who asks for English is answered in English', async () => {
  const headers = { 'accept-language': 'en', 'x-forwarded-for': newAddress() };
  const { body } = await logIn(door, 'nobody', 'wrong', { headers });
  assert.equal(body.message, 'Wrong user name or password.');
});

test('after ten failures in a row the right password is refused too, and says how long to wait', async () => {
  const { userName, password } = await createLogin(door.database, 'shop');
  const address = from(newAddress());
  for (let failures = 0; failures < 10; failures += 1) {
    // Counted in the database: it does not matter which process was asked.
    const answer = await logIn(failures % 2 === 0 ? door : otherDoor, userName, 'wrong', address);
    assert.equal(answer.status, 401);
  }
  const locked = await logIn(otherDoor, userName, password, address);
  assertLocked(locked);
  assert.equal(await expiryOfFullest(), await expiryAfter(() => logIn(door, userName, password, address)));
  assert.equal((await logIn(door, userName, password, from(newAddress()))).status, 200);
  // Half an hour later.
  await testDatabase.sql(`update login_failures set expires_at = expires_at - interval '30 minutes'`);
  assert.equal((await logIn(door, userName, password, address)).status, 200);
});

function assertLocked(answer: Answered<TokenBody>): void {
  assert.equal(answer.status, 429);
  assert.deepEqual(answer.body, {
    ...REFUSED_BODY,
    message: 'Muitas tentativas sem sucesso; aguarde antes de tentar de novo.',
  });
  const seconds = Number(answer.headers.get('retry-after'));
  assert.ok(seconds > 1_700 && seconds <= 1_800, `Retry-After ${seconds}`);
}

async function expiryAfter(act: () => Promise<unknown>): Promise<string> {
  await act();
  return expiryOfFullest();
}

async function expiryOfFullest(): Promise<string> {
  const [row] = await testDatabase.sql(
    'select expires_at::text as until from login_failures where breadth = 1 order by failures desc limit 1',
  );
  return row?.until as string;
}

test('a user name that nobody has is locked like one that somebody has', async () => {
  const address = from(newAddress());
  for (let failures = 0; failures < 10; failures += 1) await logIn(door, 'nobody-here', 'wrong', address);
  assertLocked(await logIn(door, 'nobody-here', 'wrong', address));
});

test('a right password ends the row of failures', async () => {
  const { userName, password } = await createLogin(door.database, 'shop');
  const address = from(newAddress());
  for (const round of [1, 2]) {
    for (let failures = 0; failures < 9; failures += 1) await logIn(door, userName, 'wrong', address);
    assert.equal((await logIn(door, userName, password, address)).status, 200, `round ${round}`);
  }
});

test('fifty wrong logins at once in two processes get ten looks at the password', async () => {
  await testDatabase.sql('delete from login_failures');
  const { userName } = await createLogin(door.database, 'shop');
  const address = from(newAddress());
  const tries = Array.from({ length: 50 }, (_, index) =>
    logIn(index % 2 === 0 ? door : otherDoor, userName, 'wrong', address),
  );
  const statuses = (await Promise.all(tries)).map((answer) => answer.status);
  assert.equal(statuses.filter((status) => status === 401).length, 10);
  assert.equal(statuses.filter((status) => status === 429).length, 40);
  // Those who were turned away did not count for the name, or one address could lock it for all.
  assert.deepEqual(await testDatabase.sql('select breadth, failures from login_failures order by breadth'), [
    { breadth: 1, failures: 10 },
    { breadth: 2, failures: 10 },
    { breadth: 3, failures: 10 },
  ]);
});

test('thirty right logins at once are all granted', async () => {
  const { userName, password } = await createLogin(door.database, 'shop');
  const address = from(newAddress());
  // A busy machine may turn one away for a second, as Retry-After says; a failure none of them is.
  async function logInAgainWhenBusy(index: number): Promise<number> {
    let status = 503;
    for (let tries = 0; status === 503 && tries < 20; tries += 1)
      ({ status } = await logIn(index % 2 === 0 ? door : otherDoor, userName, password, address));
    return status;
  }
  const statuses = await Promise.all(Array.from({ length: 30 }, (_, index) => logInAgainWhenBusy(index)));
  assert.deepEqual(new Set(statuses), new Set([200]));
});

const READ_FAILURES =
  'select count(*)::int as rows, coalesce(sum(failures), 0)::int as failures from login_failures';

test('when too many log in at once the rest is turned away at once, and that is no failure', async () => {
  await testDatabase.sql('delete from login_failures');
  const headers = from(newAddress());
  // Two at once of a name and address, and as many in line as it leaves free.
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => logIn(door, 'crowd', 'wrong', headers)),
  );
  const of = (wanted: number) => answers.filter(({ status }) => status === wanted);
  const [wrong, locked, turnedAway] = [of(401), of(429), of(503)];
  assert.equal(wrong.length + locked.length + turnedAway.length, answers.length);
  assert.ok(wrong.length > 0 && turnedAway.length > 0);
  for (const { headers, body } of turnedAway) {
    assert.notEqual(headers.get('retry-after'), null);
    assert.deepEqual({ ...body, message: '' }, { ...REFUSED_BODY, message: '' });
  }
  const [row] = await testDatabase.sql(READ_FAILURES);
  assert.deepEqual(row, { rows: 3, failures: wrong.length * 3 });
});

test('whose password is not checked, because too many are, has no failure more', async () => {
  await testDatabase.sql('delete from login_failures');
  const line = (slots: number, waiting: number) =>
    fairLine({ name: 'a line', slots, waiting, longestWaitMilliseconds: patiently(60_000) });
  const settings = { cell: null, enforceAddresses: false, passwordMaxAgeDays: 0, credentialUnusedDays: 0 };
  const limits = { perUserName: 50, perAddress: 100 };
  const lines = { count: line(100, 0), hash: line(1, 8) };
  const desk = { ...openLoginDesk(door.database, { ...settings, limits }), ...lines };
  const isTaken = Promise.withResolvers<void>();
  const taken = desk.hash('another', () => isTaken.promise);
  const outcomes: string[] = [];
  const tries = Array.from({ length: 20 }, async (_, index) => {
    const attempt = {
      api: 'gateway',
      userName: `crowd-${index}`,
      password: 'wrong',
      address: newAddress(),
    } as const;
    const outcome = await tryToLogIn(desk, attempt).then(
      ({ kind }) => kind,
      (error: Error) => error.name,
    );
    outcomes.push(outcome);
  });
  await until('the line is full', async () => outcomes.length === 12);
  assert.deepEqual(new Set(outcomes), new Set(['Overloaded']));
  isTaken.resolve();
  await Promise.all([taken, ...tries]);
  assert.deepEqual(outcomes.slice(12), Array(8).fill('wrong'));
  const [row] = await testDatabase.sql(READ_FAILURES);
  assert.deepEqual(row, { rows: 24, failures: 24 });
});

test('a stranger with many addresses is stopped, and cannot lock out a listed server', async () => {
  const listed = newAddress();
  const { userName, password } = await createLogin(door.database, 'shop', '--address', listed);
  const strict = await openDoor(testDatabase, {
    trustedProxies: ['127.0.0.1'],
    limits: { perUserName: 12, perAddress: 100 },
  });
  try {
    const statuses: number[] = [];
    for (let tries = 0; tries < 14; tries += 1) {
      statuses.push((await logIn(strict, userName, 'wrong', from(newAddress()))).status);
    }
    assert.deepEqual(statuses, [...Array(12).fill(401), 429, 429]);
    assertLocked(await logIn(strict, userName, password, from(newAddress())));
    assert.equal((await logIn(strict, userName, password, from(listed))).status, 200);
    for (let failures = 0; failures < 10; failures += 1) await logIn(strict, userName, 'wrong', from(listed));
    assertLocked(await logIn(strict, userName, password, from(listed)));
  } finally {
    await strict.close();
  }
});

test('one address cannot try its password on any number of names; right logins do not count', async () => {
  const { userName, password } = await createLogin(door.database, 'shop');
  const strict = await openDoor(testDatabase, {
    trustedProxies: ['127.0.0.1'],
    limits: { perUserName: 50, perAddress: 12 },
  });
  try {
    // One network of IPv6, another address in it each time.
    const address = (host: number) => from(`2001:db8:0:7::${host.toString(16)}`);
    for (let tries = 0; tries < 15; tries += 1) {
      assert.equal((await logIn(strict, userName, password, address(tries))).status, 200);
    }
    const statuses: number[] = [];
    for (let tries = 0; tries < 14; tries += 1) {
      statuses.push((await logIn(strict, `name-${tries}`, 'wrong', address(tries))).status);
    }
    assert.deepEqual(statuses, [...Array(12).fill(401), 429, 429]);
    assert.equal((await logIn(strict, userName, password, from('2001:db8:0:8::1'))).status, 200);
  } finally {
    await strict.close();
  }
});

test('a password of 256 characters is read whole, one of 257 is refused before anything is counted', async () => {
  const { userName } = await createLogin(door.database, 'shop');
  const password = `${'ção𝒜 '.repeat(51)} `;
  const hash = await hashPassword(password);
  await testDatabase.sql('update credentials set password_hash = $1 where user_name = $2', [hash, userName]);
  const address = from(newAddress());
  assert.equal((await logIn(door, userName, password, address)).status, 200);
  assert.equal((await logIn(door, userName, password.trimEnd(), address)).status, 401);
  assert.equal((await logIn(door, userName, password.slice(0, 72), address)).status, 401);
  const prefix = Buffer.from(password).subarray(0, 72).toString();
  assert.equal((await logIn(door, userName, prefix, address)).status, 401);
  const counted = await failuresCounted();
  const tooLong = await logIn(door, userName, `${password}x`, address);
  assert.equal(tooLong.status, 400);
  assert.deepEqual(tooLong.body, {
    ...REFUSED_BODY,
    message: 'password: Deve ter no máximo 256 caracteres.',
  });
  assert.equal(await failuresCounted(), counted);
});

async function failuresCounted(): Promise<unknown> {
  const [row] = await testDatabase.sql('select sum(failures) as failures from login_failures');
  return row?.failures;
}

test('malformed logins are refused in the shape of a login', async () => {
  const url = `${door.url}/api/auth/token`;
  const cases: [string, string, number, RegExp][] = [
    ['{"userName":"x"}', 'application/json', 400, /^password: Campo obrigatório/],
    [
      `{"userName":"${'x'.repeat(31)}","password":"y"}`,
      'application/json',
      400,
      /^userName: Deve ter no máximo 30/,
    ],
    ['{"userName":7,"password":"y"}', 'application/json', 400, /^userName: Deve ser um texto/],
    ['{', 'application/json', 400, /não é um JSON válido/],
    ['{"userName":"a\\u0000","password":"y"}', 'application/json', 400, /NUL/],
    ['', 'application/json', 400, /corpo da requisição é obrigatório/],
    ['userName=x', 'application/x-www-form-urlencoded', 415, /application\/json/],
    [`{"userName":"x","password":"${'y'.repeat(70_000)}"}`, 'application/json', 413, /64 KiB/],
  ];
  for (const [body, type, status, message] of cases) {
    const answer = await post(url, body, { 'content-type': type });
    assert.equal(answer.status, status, body.slice(0, 60));
    assert.match(answer.body.message, message);
    assert.deepEqual({ ...answer.body, message: '' }, { ...REFUSED_BODY, message: '' });
  }
});

test('a token of a disabled credential ends in every process', async () => {
  const { userName, password } = await createLogin(door.database, 'shop');
  const accessToken = await tokenOf(door, { userName, password }, from(newAddress()).headers);
  for (const each of [door, otherDoor]) assert.equal((await who(each, accessToken)).status, 200);
  await operator(door.database, ['credential', 'disable', '--user-name', userName]);
  for (const each of [door, otherDoor]) {
    const refused = await untilStatus(401, () => who(each, accessToken));
    assert.equal(refused.body, null);
  }
});

type ListedTokens = { items: { tokenId: string; api: string; createdAt: string; expiresAt: string }[] };

test('the operator sees the tokens of a credential and ends one of them, or all', async () => {
  const login = await createLogin(door.database, 'shop');
  const other = await createLogin(door.database, 'shop');
  const name = ['--user-name', login.userName];
  const list = async () => (await operator<ListedTokens>(door.database, ['token', 'list', ...name])).items;
  assert.deepEqual(await list(), []);
  const { headers } = from(newAddress());
  const [first, second] = [await tokenOf(door, login, headers), await tokenOf(door, login, headers)];
  const strange = await tokenOf(door, other, headers);
  const [oldest, ...more] = await list();
  assert.deepEqual([oldest?.api, more.length], ['gateway', 1]);
  assert.match(`${oldest?.tokenId} ${oldest?.createdAt}`, /^[0-9a-f]{12} \d{4}-\d\d-\d\dT/);
  assert.doesNotMatch(JSON.stringify([oldest, more]), new RegExp(`${first}|${second}`));

  const one = ['token', 'revoke', ...name, '--token', oldest?.tokenId as string];
  await operator(door.database, one);
  for (const each of [door, otherDoor]) {
    await untilStatus(401, () => who(each, first));
    assert.equal((await who(each, second)).status, 200);
  }
  assert.equal((await list()).length, 1);
  const again = await command(door.database, one);
  assert.match(again.errors, /--token "[0-9a-f]{12}": The credential has no such token that is good now/);
  await operator(door.database, ['token', 'revoke', ...name]);
  for (const each of [door, otherDoor]) {
    await untilStatus(401, () => who(each, second));
    assert.equal((await who(each, strange)).status, 200, 'of another credential');
  }
  assert.deepEqual(await list(), []);
  const next = await tokenOf(door, login, headers);
  assert.equal((await who(door, next)).status, 200, 'the credential stays');
  const reported = await testDatabase.sql(
    `select actor, resource, detail from audit_entries where action = 'token.revoke' order by entry_number`,
  );
  assert.deepEqual(
    reported.map(({ actor, detail }) => [actor, JSON.parse(detail as string).tokens]),
    [
      ['ana', oldest?.tokenId],
      ['ana', 'all'],
    ],
  );
  const nobody = await command(door.database, ['token', 'list', '--user-name', 'nobody-here']);
  assert.match(nobody.errors, /--user-name "nobody-here": There is no such credential/);
});

test('a password that is too old is refused like a wrong one, until it is rotated', async () => {
  const strict = await openDoor(testDatabase, { trustedProxies: ['127.0.0.1'], passwordMaxAgeDays: 90 });
  try {
    const login = await createLogin(door.database, 'shop');
    const { headers } = from(newAddress());
    const age = (days: number) =>
      testDatabase.sql(
        `update credentials set password_changed_at = now() - $2 * interval '1 day' where credential_id = $1`,
        [login.credentialId, days],
      );
    await age(89);
    assert.equal((await logIn(strict, login.userName, login.password, { headers })).status, 200);
    await age(90);
    const refused = await logIn(strict, login.userName, login.password, { headers });
    assert.deepEqual(
      [refused.status, { ...refused.body, message: null }],
      [401, { ...REFUSED_BODY, message: null }],
    );
    assert.equal(
      (await logIn(door, login.userName, login.password, { headers })).status,
      200,
      'without the setting',
    );
    const [reported] = await testDatabase.sql(
      `select detail from audit_entries where action = 'login.refuse' and actor = $1`,
      [login.userName],
    );
    assert.equal(JSON.parse(reported?.detail as string).reason, 'passwordTooOld');
    const listed = await operator<{ items: { userName: string; passwordChangedAt: string }[] }>(
      door.database,
      [...['credential', 'list', '--merchant', 'shop']],
    );
    const { passwordChangedAt } = listed.items.find(({ userName }) => userName === login.userName) ?? {};
    const days = (Date.now() - Date.parse(passwordChangedAt ?? '')) / 86_400_000;
    assert.ok(days > 89 && days < 91, `${days} days`);
    const rotated = await operator<{ password: string }>(door.database, [
      ...['credential', 'rotate', '--user-name', login.userName],
    ]);
    assert.equal((await logIn(strict, login.userName, rotated.password, { headers })).status, 200);
  } finally {
    await strict.close();
  }
});

test('a token is taken up to its end, and not behind it', async () => {
  const { userName, password, credentialId } = await createLogin(door.database, 'shop');
  const accessToken = await tokenOf(door, { userName, password }, from(newAddress()).headers);
  const list = ['token', 'list', '--user-name', userName];
  assert.equal((await operator<ListedTokens>(door.database, list)).items.length, 1);
  const isOver = async () =>
    (
      await testDatabase.sql('select from access_tokens where credential_id = $1 and expires_at <= now()', [
        credentialId,
      ])
    ).length === 1;
  // Shorter than a token is remembered; a machine that is slower than that begins anew.
  await until('it is taken just before its end', async () => {
    await testDatabase.sql(
      `update access_tokens set expires_at = now() + interval '1 second' where credential_id = $1`,
      [credentialId],
    );
    return (await who(door, accessToken)).status === 200;
  });
  await until('its end has come', isOver);
  for (const each of [door, otherDoor]) assert.equal((await who(each, accessToken)).status, 401);
  assert.deepEqual((await operator<ListedTokens>(door.database, list)).items, []);
});

test('only one Authorization header with the scheme Bearer is taken, and no token in the query', async () => {
  const { userName, password } = await createLogin(door.database, 'shop');
  const accessToken = await tokenOf(door, { userName, password }, from(newAddress()).headers);
  assert.equal(await statusWith('/who/gateway', [['authorization', `Bearer ${accessToken}`]]), 200);
  const refused: [string, [string, string][]][] = [
    ['/who/gateway', []],
    [
      '/who/gateway',
      [
        ['authorization', `Bearer ${accessToken}`],
        ['Authorization', `Bearer ${accessToken}`],
      ],
    ],
    ['/who/gateway', [['authorization', `Basic ${accessToken}`]]],
    ['/who/gateway', [['authorization', accessToken]]],
    ['/who/gateway', [['authorization', `Bearer ${accessToken}x`]]],
    [`/who/gateway?access_token=${accessToken}&accessToken=${accessToken}`, []],
    ['/nowhere', []],
  ];
  for (const [path, headers] of refused) assert.equal(await statusWith(path, headers), 401, path);
});

/** Plain http: fetch would join the headers. */
function statusWith(path: string, headers: readonly [string, string][]): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.request(`${door.url}${path}`, { agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    for (const name of new Set(headers.map(([name]) => name.toLowerCase()))) {
      request.setHeader(
        name,
        headers.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value),
      );
    }
    request.on('error', reject).end();
  });
}

test('while the database is away a login and a token are answered 503, never 401', async () => {
  const { userName, password } = await createLogin(door.database, 'shop');
  const accessToken = await tokenOf(door, { userName, password }, from(newAddress()).headers);
  assert.equal((await who(door, accessToken)).status, 200);
  await testDatabase.setReachable(false);
  try {
    // What was looked up a moment ago may still be good; then no caller is let in, and none is
    // answered that it is unknown.
    const answers: Answered<unknown>[] = [];
    await untilStatus(503, async () => {
      const answer = await who(door, accessToken);
      answers.push(answer);
      return answer;
    });
    assert.ok(answers.every((answer) => answer.status === 200 || answer.status === 503));
    const unknown = await who(door, 'x'.repeat(43));
    assert.equal(unknown.status, 503);
    assert.notEqual(unknown.headers.get('retry-after'), null);
    const login = await logIn(door, userName, password, from(newAddress()));
    assert.equal(login.status, 503);
    assert.equal(login.body.authenticated, false);
    assert.equal(login.body.accessToken, null);
  } finally {
    await testDatabase.setReachable(true);
  }
  assert.equal((await untilStatus(200, () => who(door, accessToken))).body?.userName, userName);
});
