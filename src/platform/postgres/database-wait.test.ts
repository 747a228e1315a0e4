import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailable } from './database-errors.ts';
import { databaseWait, reasonToWait } from './database-wait.ts';

function coded(code: string, message = 'x', more: object = {}): Error {
  return Object.assign(new Error(message), { code, ...more });
}

test('a database on its way up and a connection that was lost are worth waiting for', () => {
  for (const error of [
    coded('57P03', 'the database system is starting up'),
    coded('57P03', 'the database system is in recovery mode'),
    coded('57P03', 'the database system is not yet accepting connections'),
    coded('57P01'),
    coded('53300', 'too many connections for role'),
    coded('08006'),
    coded('08P01', 'server login has been failing, try again later (server_login_retry)'),
    coded('ECONNREFUSED'),
    coded('ECONNRESET'),
    coded('EPIPE', 'write EPIPE'),
    coded('ENOENT', 'connect ENOENT', { syscall: 'connect' }),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout expired'),
    new DatabaseUnavailable('away', { cause: coded('57P03') }),
    new Error('Migration 0001 failed', { cause: coded('57P01') }),
    new DatabaseUnavailable('away'),
    Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }),
  ])
    assert.notEqual(reasonToWait(error), null, String(error));
});

test('a wrong password, an unknown database, missing rights and faults of ours are not', () => {
  for (const error of [
    new DatabaseUnavailable('no', { cause: coded('28P01', 'password authentication failed') }),
    coded('28000'),
    coded('08P01', 'unsupported startup parameter: idle_in_transaction_session_timeout'),
    coded('3D000', 'database "x" does not exist'),
    coded('42501', 'permission denied'),
    coded('ENOTFOUND'),
    coded('ENOENT', 'open key file', { syscall: 'open' }),
    coded('25006'),
    new TypeError('undefined is not a function'),
    'a text',
  ])
    assert.equal(reasonToWait(error), null, String(error));
});

function waiting(seconds: number, { isTerminal = false, stopping = new AbortController() } = {}) {
  const said: string[] = [];
  const whileDatabaseStarts = databaseWait({
    seconds,
    say: (line) => said.push(line.replaceAll(/\d+/g, 'n')),
    isTerminal,
    stopping: stopping.signal,
  });
  return { whileDatabaseStarts, said, stopping };
}

test('a step is repeated until it goes through, and said once where nobody looks on', async () => {
  const { whileDatabaseStarts, said } = waiting(60);
  let tries = 0;
  const result = await whileDatabaseStarts(async () => {
    tries += 1;
    if (tries < 15) throw coded('57P03', 'starting up');
    return 'there';
  });
  assert.equal(result, 'there');
  assert.deepEqual(said, [
    'Waiting for the database, n of n s: starting up',
    'The database is there after n s.',
  ]);
});

test('who looks on is notified again and again', async () => {
  const { whileDatabaseStarts, said } = waiting(60, { isTerminal: true });
  await whileDatabaseStarts(async () => {
    if (said.length < 2) throw coded('ECONNREFUSED', 'refused');
  });
  assert.equal(said.length, 3);
});

test('patience ends, and a stop ends it at once', async () => {
  const short = waiting(0);
  await assert.rejects(
    short.whileDatabaseStarts(async () => {
      throw coded('57P03', 'starting up');
    }),
    /starting up/,
  );
  assert.deepEqual(short.said, []);
  const long = waiting(3_600);
  const given = long.whileDatabaseStarts(async () => {
    setImmediate(() => long.stopping.abort());
    throw coded('EPIPE', 'write EPIPE');
  });
  await assert.rejects(given, /EPIPE/);
});
