import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { forgetExpiredAccess } from '../../src/merchants/module.ts';
import {
  command,
  createLogin,
  createShop,
  createTestDatabase,
  type Door,
  logIn,
  openDoor,
  operator,
  shopWords,
  type TestCredential,
  type TestDatabase,
  tokenOf,
  untilStatus,
  who,
} from './merchants-door.ts';

let testDatabase: TestDatabase;
let door: Door;

before(async () => {
  testDatabase = await createTestDatabase();
  door = await openDoor(testDatabase);
  await createShop(door.database, 'shop');
});

after(async () => {
  await door.close();
  await testDatabase.drop();
});

/** Runs a command that must be refused, and gives the option and the sentence. */
async function refused(
  words: readonly string[],
  environment: 'homologation' | 'production' = 'homologation',
) {
  const { exitCode, printed, errors } = await command(door.database, [...words, '--json'], environment);
  assert.equal(exitCode, 1, printed);
  return (JSON.parse(errors) as { error: { option: string; message: string } }).error;
}

test('the operator registers a merchant and finds it in the list', async () => {
  const made = await createShop(
    door.database,
    'listed',
    '--address',
    '203.0.113.0/24',
    '--address',
    '2001:db8::7',
  );
  assert.deepEqual(made, {
    merchantId: 'listed',
    cnpj: '11222333000181',
    legalName: 'Padaria São João Ltda.',
    contact: { name: 'Ana Souza', email: 'ana@padaria.example', phone: '+55 11 4000-0000' },
    accountNumbers: ['1001', '1002'],
    productionAddresses: ['203.0.113.0/24', '2001:db8::7'],
    softDescriptor: null,
    businessAddress: null,
    createdAt: made.createdAt,
    isDisabled: false,
    hasBillingsHeld: false,
    isHeldByRestore: false,
  });
  const { items } = await operator<{ items: object[] }>(door.database, ['merchant', 'list']);
  assert.deepEqual(
    items.find((item) => 'merchantId' in item && item.merchantId === 'listed'),
    made,
  );
  const text = await command(door.database, ['merchant', 'list']);
  assert.match(text.printed, /^listed +11222333000181 +1001,1002 +Padaria São João Ltda\.$/m);
});

test('a merchant id is given once', async () => {
  await createShop(door.database, 'once');
  const again = createShop(door.database, 'once');
  await assert.rejects(again, /--merchant-id.*: Another merchant has this id/);
});

test('a merchant without an id of its own goes by its CNPJ', async () => {
  const words = [
    'merchant',
    'create',
    '--cnpj',
    '12.ABC.345/01DE-35',
    '--legal-name',
    'Loja',
    '--account',
    '7',
  ];
  const contact = [
    '--contact-name',
    'Rui',
    '--contact-email',
    'rui@loja.example',
    '--contact-phone',
    '+551140000000',
  ];
  const { merchantId } = await operator<{ merchantId: string }>(door.database, [...words, ...contact]);
  assert.equal(merchantId, '12ABC34501DE35');
});

test('a password is shown once and kept nowhere', async () => {
  const words = [
    'credential',
    'create',
    '--merchant',
    'shop',
    '--scope',
    'gateway',
    '--user-name',
    'loja-01',
  ];
  const { printed } = await command(door.database, words);
  const password = /^password {3}(\S{32})$/m.exec(printed)?.[1] ?? '';
  assert.match(printed, /^user name {2}loja-01$/m);
  assert.equal((await logIn(door, 'loja-01', password)).status, 200);
  const token = await tokenOf(door, { userName: 'loja-01', password });
  for (const table of ['credentials', 'access_tokens', 'login_failures']) {
    const [row] = await testDatabase.sql(
      `select coalesce(string_agg(t::text, ' '), '') as all from ${table} t`,
    );
    assert.doesNotMatch(
      String(row?.all),
      new RegExp(`${password}|${token}|${Buffer.from(token).toString('hex')}`),
    );
  }
  const listed = await command(door.database, ['credential', 'list', '--merchant', 'shop', '--json']);
  assert.match(listed.printed, /loja-01/);
  assert.doesNotMatch(listed.printed, /argon2|hash|password"/i);
});

test('a credential is bound to the first account unless another one is named', async () => {
  assert.equal((await createLogin(door.database, 'shop')).accountNumber, '1001');
  assert.equal((await createLogin(door.database, 'shop', '--account', '1002')).accountNumber, '1002');
});

test('a credential is refused by the option that is wrong', async () => {
  await createLogin(door.database, 'shop', '--user-name', 'taken');
  await createShop(door.database, 'other');
  const create = ['credential', 'create', '--scope', 'gateway'];
  const cases: [string[], string, RegExp][] = [
    [['--merchant', 'nobody'], '--merchant', /"nobody": There is no such merchant/],
    [['--merchant', 'shop', '--account', '9'], '--account', /"9": The merchant has no such account/],
    [['--merchant', 'other', '--user-name', 'taken'], '--user-name', /"taken": This user name is taken/],
    [['--merchant', 'shop', '--user-name', 'a b'], '--user-name', /has 3 to 30 letters/],
    [['--merchant', 'shop', '--user-name', 'system'], '--user-name', /is kept for the service/],
    [['--merchant', 'shop', '--address', '10.0.0.1/8'], '--address', /with no bits beyond the prefix/],
  ];
  for (const [words, option, message] of cases) {
    const error = await refused([...create, ...words]);
    assert.equal(error.option, option);
    assert.match(error.message, message);
  }
  assert.equal((await refused(['credential', 'list', '--merchant', 'nobody'])).option, '--merchant');
  assert.equal((await refused(['credential', 'disable', '--user-name', 'nobody'])).option, '--user-name');
  assert.equal((await refused(['credential', 'rotate', '--user-name', 'nobody'])).option, '--user-name');
});

test('a disabled credential stays disabled', async () => {
  const { userName, password } = await createLogin(door.database, 'shop');
  await operator(door.database, ['credential', 'disable', '--user-name', userName]);
  assert.equal((await logIn(door, userName, password)).status, 401);
  assert.match((await refused(['credential', 'disable', '--user-name', userName])).message, /stays so/);
  assert.match((await refused(['credential', 'rotate', '--user-name', userName])).message, /stays so/);
  const { printed } = await command(door.database, ['credential', 'list', '--merchant', 'shop']);
  assert.match(printed, new RegExp(`^${userName} .* disabled since 2`, 'm'));
});

async function rotate(userName: string, overlapHours?: number): Promise<TestCredential> {
  const overlap = overlapHours === undefined ? [] : ['--overlap-hours', String(overlapHours)];
  return operator(door.database, ['credential', 'rotate', '--user-name', userName, ...overlap]);
}

test('a rotation with overlap leaves the old password and its tokens good for that time', async () => {
  const old = await createLogin(door.database, 'shop');
  const token = await tokenOf(door, old);
  const rotated = await rotate(old.userName, 24);
  assert.notEqual(rotated.password, old.password);
  const hours = (Date.parse(rotated.previousPasswordValidUntil ?? '') - Date.now()) / 3_600_000;
  assert.ok(hours > 23.9 && hours <= 24.1);
  assert.equal((await logIn(door, old.userName, old.password)).status, 200);
  assert.equal((await logIn(door, old.userName, rotated.password)).status, 200);
  assert.equal((await logIn(door, old.userName, 'another')).status, 401);
  assert.equal((await who(door, token)).status, 200);
  await testDatabase.sql(
    `update credentials set previous_password_valid_until = now() - interval '1 second' where user_name = $1`,
    [old.userName],
  );
  assert.equal((await logIn(door, old.userName, old.password)).status, 401);
  assert.equal((await logIn(door, old.userName, rotated.password)).status, 200);
});

test('a rotation without overlap ends the old password and its tokens', async () => {
  const old = await createLogin(door.database, 'shop');
  const token = await tokenOf(door, old);
  const rotated = await rotate(old.userName);
  assert.equal(rotated.previousPasswordValidUntil, null);
  assert.equal((await logIn(door, old.userName, old.password)).status, 401);
  const newToken = await tokenOf(door, rotated);
  await untilStatus(401, () => who(door, token));
  assert.equal((await who(door, newToken)).status, 200);
});

test('a second rotation ends the password before the last', async () => {
  const first = await createLogin(door.database, 'shop');
  const second = await rotate(first.userName, 1);
  const third = await rotate(first.userName, 1);
  const statuses: number[] = [];
  for (const { password } of [first, second, third])
    statuses.push((await logIn(door, first.userName, password)).status);
  assert.deepEqual(statuses, [401, 200, 200]);
});

test('two rotations at once both come through, one after the other', async () => {
  const { userName } = await createLogin(door.database, 'shop');
  const rotations = await Promise.all([rotate(userName, 1), rotate(userName, 1)]);
  const statuses = await Promise.all(
    rotations.map(async ({ password }) => (await logIn(door, userName, password)).status),
  );
  assert.deepEqual(statuses, [200, 200]);
});

test('an overlap of more than a day is refused', async () => {
  const { userName } = await createLogin(door.database, 'shop');
  const error = await refused(['credential', 'rotate', '--user-name', userName, '--overlap-hours', '25']);
  assert.equal(error.option, '--overlap-hours');
});

test('in production a credential works from listed addresses only', async () => {
  const production = await openDoor(testDatabase, { enforceAddresses: true, trustedProxies: ['127.0.0.1'] });
  const from = (address: string) => ({ 'x-forwarded-for': address });
  try {
    const create = ['credential', 'create', '--scope', 'gateway', '--merchant'];
    assert.equal((await refused([...create, 'shop'], 'production')).option, '--address');
    await createShop(door.database, 'guarded', '--address', '203.0.113.0/24');
    for (const [listed, isNamed] of [
      [[], true],
      [['--address', '203.0.113.0/24'], false],
    ] as const) {
      const words = shopWords(isNamed ? 'next-1' : 'next-2', ...listed);
      const made = await command(door.database, words, 'production');
      const next = /^Next: parcela (credential create .*)$/m.exec(made.printed)?.[1] ?? '';
      assert.equal(next.includes('--address'), isNamed, made.printed);
      const taken = next.replace('ADDRESS', '203.0.113.10').split(' ');
      assert.equal((await command(door.database, taken, 'production')).exitCode, 0, next);
    }
    const merchants = await operator<TestCredential>(door.database, [...create, 'guarded'], 'production');
    const own = await createLogin(door.database, 'guarded', '--address', '2001:db8::/48');
    // Made in homologation, where a list is not asked for: in production it works from nowhere.
    const unlisted = await createLogin(door.database, 'shop');

    const token = await tokenOf(production, merchants, from('203.0.113.9'));
    assert.equal((await who(production, token, '/who/gateway', from('203.0.113.200'))).status, 200);
    assert.equal((await who(production, token, '/who/gateway', from('203.0.114.9'))).status, 401);
    assert.equal((await who(production, token, '/who/gateway', from('::ffff:203.0.113.9'))).status, 200);
    assert.equal((await who(door, token)).status, 200);

    const ownToken = await tokenOf(production, own, from('2001:db8::5'));
    assert.equal((await who(production, ownToken, '/who/gateway', from('203.0.113.9'))).status, 401);
    assert.equal((await who(production, ownToken, '/who/gateway', from('2001:db8:0:9::5'))).status, 200);

    for (const [login, address] of [
      [merchants, '198.51.100.1'],
      [own, '203.0.113.9'],
      [unlisted, '203.0.113.9'],
    ] as const) {
      const answer = await logIn(production, login.userName, login.password, { headers: from(address) });
      assert.equal(answer.status, 401);
      assert.equal(answer.body.message, 'Usuário ou senha inválidos.');
    }
  } finally {
    await production.close();
  }
});

test('many tokens asked for at once are all distinguished', async () => {
  const login = await createLogin(door.database, 'shop');
  const others = await Promise.all([1, 2, 3].map(() => createLogin(door.database, 'shop')));
  const tokens = await Promise.all([login, ...others].map((each) => tokenOf(door, each)));
  const fresh = await openDoor(testDatabase);
  try {
    const asked = Array.from({ length: 200 }, (_, index) => index);
    const answers = await Promise.all(
      asked.map((index) => who(fresh, index % 5 === 4 ? `unknown-${index}` : (tokens[index % 5] ?? null))),
    );
    for (const [index, { status, body }] of answers.entries()) {
      assert.equal(status, index % 5 === 4 ? 401 : 200);
      assert.equal(body?.userName, index % 5 === 4 ? undefined : [login, ...others][index % 5]?.userName);
    }
  } finally {
    await fresh.close();
  }
});

test('expired tokens and failures are forgotten, living ones stay', async () => {
  const dying = await createLogin(door.database, 'shop');
  const living = await createLogin(door.database, 'shop');
  await tokenOf(door, dying);
  const token = await tokenOf(door, living);
  await testDatabase.sql('delete from login_failures');
  await logIn(door, 'nobody', 'wrong');
  await testDatabase.sql(`update login_failures set expires_at = now() - interval '1 second'`);
  await testDatabase.sql(
    `update access_tokens set created_at = now() - interval '2 hours', expires_at = now() - interval '1 hour'
     where credential_id = $1`,
    [dying.credentialId],
  );
  const work = forgetExpiredAccess(door.database);
  assert.equal(work.millisecondsUntilDue?.(undefined), 0);
  const rows = async () =>
    (await testDatabase.sql('select 1 from access_tokens union all select 1 from login_failures')).length;
  const before = await rows();
  await work.runDue(new AbortController().signal);
  assert.equal(await rows(), before - 4);
  assert.ok((work.millisecondsUntilDue?.(undefined) ?? 0) > 1_000);
  assert.equal((await who(door, token)).status, 200);
});
