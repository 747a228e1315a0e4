import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  createLogin,
  createShop,
  createTestDatabase,
  type Door,
  logIn,
  openDoor,
  operator,
  type TestDatabase,
  tokenOf,
  untilStatus,
  who,
} from './merchants-door.ts';

let testDatabase: TestDatabase;
let door: Door;
let otherDoor: Door;

before(async () => {
  testDatabase = await createTestDatabase();
  door = await openDoor(testDatabase);
  otherDoor = await openDoor(testDatabase);
  await createShop(door.database, 'shop');
});
after(async () => {
  await door.close();
  await otherDoor.close();
  await testDatabase.drop();
});

async function logOut(token: string | null, headers: Record<string, string> = {}) {
  const answer = await fetch(`${door.url}/api/auth/logout`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  return { status: answer.status, text: await answer.text() };
}

const reported = (userName: string) =>
  testDatabase.sql(
    `select actor, origin, outcome, resource, detail from audit_entries where action = 'token.end' and actor = $1`,
    [userName],
  );

test('a token that its caller ends is refused here at once and everywhere soon; others of the credential stay', async () => {
  const login = await createLogin(door.database, 'shop');
  const [ended, other] = [await tokenOf(door, login), await tokenOf(otherDoor, login)];
  const strange = await tokenOf(door, await createLogin(door.database, 'shop'));
  for (const each of [door, otherDoor]) assert.equal((await who(each, ended)).status, 200);
  const { items } = await operator<{ items: { tokenId: string }[] }>(door.database, [
    ...['token', 'list', '--user-name', login.userName],
  ]);
  assert.deepEqual(await logOut(ended), { status: 200, text: '{"message":"Token encerrado."}' });
  assert.equal((await who(door, ended)).status, 401);
  await untilStatus(401, () => who(otherDoor, ended));
  for (const each of [door, otherDoor]) {
    assert.equal((await who(each, other)).status, 200, 'another of the credential');
    assert.equal((await who(each, strange)).status, 200, 'of another credential');
  }
  assert.deepEqual(await logOut(ended), { status: 401, text: '' });
  const entries = await reported(login.userName);
  assert.deepEqual(
    entries.map(({ origin, outcome, resource, detail }) => [origin, outcome, resource, detail]),
    [
      [
        '127.0.0.1',
        'success',
        `merchants/shop/credentials/${login.credentialId}`,
        JSON.stringify({ tokens: items[0]?.tokenId }),
      ],
    ],
  );
  assert.equal((await logIn(door, login.userName, login.password)).status, 200, 'the credential stays');
});

test('a token of the other APIs is ended alike, and that of the same credential at the gateway stays', async () => {
  const login = await createLogin(door.database, 'shop', '--scope', 'gateway', '--scope', 'integration');
  const gateway = await tokenOf(door, login);
  const { body } = await logIn(door, login.userName, login.password, { api: 'integration' });
  const reply = await logOut(body.accessToken, { 'accept-language': 'en' });
  assert.deepEqual(reply, { status: 200, text: '{"message":"The token is ended."}' });
  assert.equal((await who(door, body.accessToken, '/who/integration')).status, 401);
  assert.equal((await who(door, gateway)).status, 200);
});

test('of many callers that end one token at once each is answered, and the audit log has it once', async () => {
  const login = await createLogin(door.database, 'shop');
  const token = await tokenOf(door, login);
  const replies = await Promise.all(Array.from({ length: 12 }, () => logOut(token)));
  for (const { status } of replies) assert.ok(status === 200 || status === 401, String(status));
  assert.ok(replies.some(({ status }) => status === 200));
  assert.equal((await reported(login.userName)).length, 1);
  assert.equal((await who(door, token)).status, 401);
});

test('without a good token there is nothing to end', async () => {
  for (const token of [null, '', 'x'.repeat(43)])
    assert.deepEqual(await logOut(token), { status: 401, text: '' });
});

test('what cannot be audited is not done: the token stays good', async () => {
  const token = await tokenOf(door, await createLogin(door.database, 'shop'));
  await testDatabase.sql('alter table audit_entries rename to audit_entries_away');
  try {
    assert.equal((await logOut(token)).status, 503);
    assert.equal((await who(otherDoor, token)).status, 200);
  } finally {
    await testDatabase.sql('alter table audit_entries_away rename to audit_entries');
  }
  assert.equal((await logOut(token)).status, 200);
});
