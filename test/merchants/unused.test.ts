import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../kit/service.ts';
import { openVaultService } from '../vault/vault-service.ts';
import {
  command,
  createLogin,
  createShop,
  createTestDatabase,
  type Door,
  logIn,
  openDoor,
  operator,
  type TestCredential,
  type TestDatabase,
} from './merchants-door.ts';

const DAYS = 30;

let testDatabase: TestDatabase;
let door: Door;
let strict: Door;

before(async () => {
  testDatabase = await createTestDatabase();
  door = await openDoor(testDatabase);
  strict = await openDoor(testDatabase, { credentialUnusedDays: DAYS });
  await createShop(door.database, 'shop');
});
after(async () => {
  await door.close();
  await strict.close();
  await testDatabase.drop();
});

type Moment = 'last_used_on' | 'password_changed_at';

/** Moves what the unused days count from back; what is not named is long ago. */
async function age(login: TestCredential, days: Partial<Record<Moment, number>>): Promise<void> {
  const of = (moment: Moment) => days[moment] ?? 1_000;
  await testDatabase.sql(
    `update credentials set
       last_used_on = (now() at time zone 'America/Sao_Paulo')::date - $2::integer,
       password_changed_at = now() - $3::integer * interval '1 day'
     where credential_id = $1`,
    [login.credentialId, of('last_used_on'), of('password_changed_at')],
  );
}

const status = async (at: Door, login: Pick<TestCredential, 'userName' | 'password'>) =>
  (await logIn(at, login.userName, login.password)).status;

async function usedOn(login: TestCredential): Promise<unknown> {
  const [row] = await testDatabase.sql(
    `select last_used_on::text as day, (now() at time zone 'America/Sao_Paulo')::date::text as today, xmin::text as version
     from credentials where credential_id = $1`,
    [login.credentialId],
  );
  return row;
}

test('a credential that was not used for so long is refused as a wrong password is, until it is rotated', async () => {
  const login = await createLogin(door.database, 'shop');
  await age(login, { last_used_on: DAYS });
  const refused = await logIn(strict, login.userName, login.password);
  const wrong = await logIn(strict, login.userName, 'wrong');
  assert.deepEqual([refused.status, refused.body], [401, wrong.body]);
  const [reported] = await testDatabase.sql(
    `select detail from audit_entries where action = 'login.refuse' and actor = $1 order by entry_number`,
    [login.userName],
  );
  assert.equal(JSON.parse(reported?.detail as string).reason, 'unusedTooLong');
  const rotated = await operator<TestCredential>(door.database, [
    ...['credential', 'rotate', '--user-name', login.userName],
  ]);
  assert.equal(await status(strict, rotated), 200);
});

test('unused days count from the last login and the password, whatever came last', async () => {
  const login = await createLogin(door.database, 'shop');
  for (const moment of ['last_used_on', 'password_changed_at'] as const) {
    await age(login, { [moment]: DAYS });
    assert.equal(await status(strict, login), 401, moment);
    await age(login, { [moment]: DAYS - 1 });
    assert.equal(await status(strict, login), 200, moment);
  }
  await age(login, {});
  assert.equal(await status(door, login), 200, 'without the setting');
});

test('the first login of a day notes it, and the others of the day write nothing to the credential', async () => {
  const login = await createLogin(door.database, 'shop');
  const listed = async () => {
    const { items } = await operator<{ items: { userName: string; lastUsedOn: string | null }[] }>(
      door.database,
      ['credential', 'list', '--merchant', 'shop'],
    );
    return items.find(({ userName }) => userName === login.userName)?.lastUsedOn;
  };
  assert.equal(await listed(), null, 'it never was used');
  assert.equal((await logIn(door, login.userName, 'wrong')).status, 401);
  assert.equal(await listed(), null, 'a wrong password is no use');
  const replies = await Promise.all(Array.from({ length: 6 }, () => status(door, login)));
  assert.deepEqual(new Set(replies), new Set([200]));
  const noted = (await usedOn(login)) as { day: string; today: string };
  assert.equal(noted.day, noted.today);
  assert.equal(await listed(), noted.today);
  for (let more = 0; more < 3; more += 1) assert.equal(await status(strict, login), 200);
  assert.deepEqual(await usedOn(login), noted, 'the row is the one that it was');
  const { printed } = await command(door.database, ['credential', 'list', '--merchant', 'shop']);
  assert.match(printed, /PASSWORD OF +LAST USED +STATE/);
});

test('what is not used is counted in the metrics and named in the log: neither the disabled nor the used', async () => {
  const service = await openVaultService();
  try {
    const planted = (userName: string, days: number, more: Record<string, unknown> = {}) =>
      service.auditor.query(
        `insert into credentials select (jsonb_populate_record(c, jsonb_build_object(
           'credential_id', gen_random_uuid(), 'user_name', $1::text, 'created_at', now() - interval '1 year',
           'password_changed_at', now() - interval '1 year',
           'last_used_on', (now() at time zone 'America/Sao_Paulo')::date - $2::integer) || $3::jsonb)).*
         from credentials c where c.user_name = $4`,
        [userName, days, JSON.stringify(more), service.userName],
      );
    await planted('idle', 90);
    await planted('seldom', 89);
    await planted('gone', 200, { disabled_at: new Date().toISOString() });
    for (const [settings, names] of [
      [{}, ['idle']],
      [{ PARCELA_CREDENTIAL_UNUSED_DAYS: '60' }, ['idle', 'seldom']],
    ] as const) {
      const beside = await service.startBeside(settings);
      try {
        await until('it is counted', async () =>
          new RegExp(`^parcela_credentials_unused ${names.length}$`, 'm').test(
            await (await fetch(beside.metricsUrl)).text(),
          ),
        );
        const line = await until('it is named', async () =>
          beside.log.find((each) => each.includes('credentials are not used')),
        );
        assert.deepEqual(JSON.parse(line ?? '').userNames, names);
      } finally {
        await beside.stop();
      }
    }
  } finally {
    await service.close();
  }
});
