import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import type { Log } from './log.ts';
import { openMetrics } from './metrics.ts';
import { openOutages } from './outages.ts';
import { DatabaseUnavailable } from './postgres/database-errors.ts';

type Line = Readonly<Record<string, unknown>>;

let now: number;

beforeEach(() => {
  now = 0;
  mock.timers.enable({ apis: ['setTimeout'] });
});
afterEach(() => mock.timers.reset());

function pass(milliseconds: number): void {
  now += milliseconds;
  mock.timers.tick(milliseconds);
}

function open() {
  const lines: Line[] = [];
  const write = (level: string) => (fields: object, msg: string) =>
    void lines.push({ level, msg, ...fields });
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    flushed: async () => {},
    close: async () => {},
  };
  const metrics = openMetrics();
  const outages = openOutages(log, metrics, () => now);
  return {
    outages,
    metrics,
    said: () => lines.splice(0).map(({ msg, ...fields }) => [msg, fields] as const),
  };
}

const refused = () =>
  new DatabaseUnavailable('connect ECONNREFUSED', {
    cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  });

test('a database that is away is one line, one a minute, and one when it is back, whoever fails by it', async () => {
  const { outages, metrics, said } = open();
  const works = Array.from({ length: 53 }, (_, index) => `work ${index}`);
  const fail = () => {
    for (const work of works) {
      const error = refused();
      outages.databaseFailed(error);
      assert.ok(outages.explains(new Error('the work ended', { cause: error }), work));
    }
  };
  for (let second = 0; second < 150; second += 1) {
    fail();
    pass(1_000);
  }
  const lines = said();
  assert.deepEqual(
    lines.map(([msg, { seconds }]) => [msg, seconds]),
    [
      ['the database is away', 2],
      ['the database is still away', 62],
      ['the database is still away', 122],
    ],
  );
  const [, first] = lines[0] ?? assert.fail();
  assert.equal(first.level, 'error');
  assert.equal(first.reason, 'connect ECONNREFUSED');
  assert.equal(first.stack, undefined);
  assert.equal((first.of as string[]).length, 10);
  assert.match(await metrics.text(), /^parcela_outage\{part="database"\} 1$/m);
  outages.databaseAnswered();
  pass(3_000);
  assert.deepEqual(said(), [
    ['the database is back', { level: 'warn', part: 'database', seconds: 150, errors: 150 * 53 }],
  ]);
  assert.match(await metrics.text(), /^parcela_outage\{part="database"\} 0$/m);
  pass(600_000);
  assert.deepEqual(said(), []);
  outages.close();
});

test('connections that break while others answer are no outage', () => {
  const { outages, said } = open();
  for (let times = 0; times < 12; times += 1) outages.connectionBroke(refused());
  pass(1_000);
  outages.databaseAnswered();
  pass(1_000);
  assert.deepEqual(
    said().map(([msg, { errors, level }]) => [level, msg, errors]),
    [['warn', 'connections to the database broke', 12]],
  );
  const late = refused();
  assert.ok(!outages.explains(late, 'work'), 'nothing tells of it any more');
  pass(60_000);
  assert.deepEqual(said(), []);
});

test('connections that break now and then are one line a minute, which says how many', () => {
  const { outages, said } = open();
  for (let times = 0; times < 31; times += 1) {
    outages.connectionBroke(refused());
    outages.databaseAnswered();
    pass(4_000);
  }
  assert.deepEqual(
    said().map(([msg, { errors }]) => [msg, errors]),
    [1, 15, 15].map((errors) => ['connections to the database broke', errors]),
  );
});

test('pools that are full are an overload while others are answered, and one that grows worse says so', () => {
  const { outages, said } = open();
  const full = () =>
    outages.databaseFailed(new DatabaseUnavailable('timeout exceeded when trying to connect'));
  for (let second = 0; second < 59; second += 1) {
    full();
    outages.databaseAnswered();
    full();
    pass(1_000);
  }
  assert.deepEqual(
    said().map(([msg]) => msg),
    ['the database has more to do than it can'],
  );
  for (let second = 0; second < 13; second += 1) {
    full();
    pass(1_000);
  }
  assert.deepEqual(
    said().map(([msg]) => msg),
    [
      'the database still has more to do than it can',
      'the database answers nothing: it is frozen, cut off or far too busy',
    ],
  );
  outages.databaseAnswered();
  pass(1_999);
  full();
  outages.databaseAnswered();
  pass(2_999);
  assert.deepEqual(said(), [], 'it is back when nothing fails for a while');
  pass(1);
  assert.deepEqual(
    said().map(([msg, { seconds }]) => [msg, seconds]),
    [['the database answers again', 74]],
  );
  pass(8_000);
  full();
  outages.explains(new DatabaseUnavailable('timeout'), 'a payment');
  pass(1_000);
  const [frozen] = said();
  assert.match(String(frozen?.[0]), /^the database answers nothing/, 'it is not called slow first');
  assert.deepEqual(frozen?.[1].of, ['a payment']);
  outages.databaseAnswered();
  pass(3_000);
  assert.deepEqual(
    said().map(([msg]) => msg),
    ['the database answers again'],
  );
  outages.databaseAnswered();
  // Under load the first failures come late, before it is known that nobody was answered.
  pass(2_500);
  for (let times = 0; times < 2; times += 1) {
    full();
    pass(600);
  }
  assert.deepEqual(
    said().map(([msg]) => msg),
    ['the database answers nothing: it is frozen, cut off or far too busy'],
  );
  outages.close();
});

test('disks that are full and a key store that is away are told in the same way', () => {
  const { outages, said } = open();
  const noSpace = Object.assign(new Error('No space left on device'), { code: '53100' });
  outages.databaseFailed(noSpace);
  assert.ok(outages.explains(noSpace, 'work'));
  outages.databaseAnswered();
  pass(40_000);
  assert.ok(outages.explains(noSpace, 'work'), 'which took long to come with it');
  const silent = new Error('the key store gives no answer');
  outages.keyStoreFailed(silent);
  assert.ok(outages.explains(silent, 'wrapKeys'));
  pass(180_000);
  outages.keyStoreFailed(new Error('the key store gives no answer'));
  pass(60_000);
  outages.keyStoreAnswered();
  outages.diskRead('0 MB are free in .parcela');
  outages.diskRead(null);
  assert.deepEqual(
    said().map(([msg, { part, seconds }]) => [msg, part, seconds]),
    [
      ['the database takes no writes', 'database', 0],
      ['the database takes writes again', 'database', 0],
      ['the key store does not answer', 'keyStore', 0],
      ['the key store still does not answer', 'keyStore', 180 + 60],
      ['the key store answers again', 'keyStore', 240],
      ['the disk beside this process is full', 'disk', 0],
      ['the disk beside this process has room again', 'disk', 0],
    ],
  );
});

test('what is wrong with a statement, and what fails in no outage, is explained by none', () => {
  const { outages, said } = open();
  const bugs = [
    new TypeError('x is not a function'),
    Object.assign(new Error('column "x" does not exist'), { code: '42703' }),
    Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' }),
  ];
  for (const bug of bugs) {
    outages.databaseFailed(bug);
    assert.ok(!outages.explains(bug, 'work'), String(bug));
  }
  outages.databaseFailed(refused());
  for (const [index, bug] of bugs.entries()) assert.equal(outages.explains(bug, 'work'), index === 2);
  outages.close();
  assert.deepEqual(said(), []);
});

test('a wrong clock is one line, one a minute, and one when it is right', async () => {
  const { outages, metrics, said } = open();
  for (let second = 0; second < 70; second += 1) {
    outages.clockRead('the clock of the database is 3600 s ahead of ours');
    pass(1_000);
  }
  assert.match(await metrics.text(), /^parcela_outage\{part="clock"\} 1$/m);
  outages.clockRead(null);
  outages.clockRead(null);
  assert.deepEqual(
    said().map(([msg, { level, reason }]) => [level, msg, reason]),
    [
      [
        'error',
        'the clock of this machine is not that of the database',
        'the clock of the database is 3600 s ahead of ours',
      ],
      [
        'error',
        'the clock of this machine is still not that of the database',
        'the clock of the database is 3600 s ahead of ours',
      ],
      ['warn', 'the clock of this machine is that of the database again', undefined],
    ],
  );
  assert.match(await metrics.text(), /^parcela_outage\{part="clock"\} 0$/m);
});

test('a provider without an answer is told by its name, as one that fails others not; calls that broke at once are no outage', async () => {
  const { outages, metrics, said } = open();
  const [rede, other] = [outages.openPeer('acquirer', 'rede'), outages.openPeer('acquirer', 'other')];
  rede.failed('the connection failed (ECONNRESET)', 'authorize');
  pass(1_000);
  rede.answered();
  pass(2_000);
  assert.deepEqual(
    said().map(([msg, { level, provider, errors }]) => [msg, level, provider, errors]),
    [['calls to the acquirer broke', 'warn', 'rede', 1]],
  );
  for (let second = 0; second < 70; second += 1) {
    rede.failed('no connection (ECONNREFUSED)', second % 2 === 0 ? 'authorize' : 'find');
    pass(1_000);
  }
  assert.match(await metrics.text(), /^parcela_outage\{part="acquirer",provider="rede"\} 1$/m);
  assert.match(await metrics.text(), /^parcela_outage\{part="acquirer",provider="other"\} 0$/m);
  rede.answered();
  other.answered();
  pass(3_000);
  const lines = said();
  assert.deepEqual(
    lines.map(([msg, { level, provider }]) => [msg, level, provider]),
    [
      ['calls to the acquirer get no clear answer', 'warn', 'rede'],
      ['calls to the acquirer still get no clear answer', 'warn', 'rede'],
      ['the acquirer answers again', 'warn', 'rede'],
    ],
  );
  assert.deepEqual(lines[0]?.[1].reason, 'no connection (ECONNREFUSED)');
  assert.deepEqual(lines[0]?.[1].of, ['authorize', 'find']);
  assert.match(await metrics.text(), /^parcela_outage\{part="acquirer",provider="rede"\} 0$/m);
});

test('an outage of whom nobody asks any more ends after ten minutes, and says so', async () => {
  const { outages, metrics, said } = open();
  const rede = outages.openPeer('acquirer', 'rede');
  for (const _ of [1, 2]) rede.failed('no answer came in time', 'authorize');
  pass(2_000);
  said();
  for (let minute = 0; minute < 11; minute += 1) pass(60_000);
  assert.deepEqual(said(), [
    [
      'calls to the acquirer got no clear answer, and none was made for ten minutes',
      { level: 'warn', part: 'acquirer', provider: 'rede', seconds: 0, errors: 2 },
    ],
  ]);
  assert.match(await metrics.text(), /^parcela_outage\{part="acquirer",provider="rede"\} 0$/m);
});
