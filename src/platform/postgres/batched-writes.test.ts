import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { Overloaded } from '../work/fair-line.ts';
import { batchWrites, NOT_WRITTEN, oneByOne } from './batched-writes.ts';
import { CommitUnknown, DatabaseUnavailable, PassingFault } from './database-errors.ts';
import { Deadline, NO_DEADLINE } from './deadline.ts';
import { nextBatch } from './next-batch.ts';
import { noteWrite, watchOfCaller, watchWrites } from './write-watch.ts';

type TestRow = { readonly key: string; readonly merchant: string; readonly bytes: number };
type TestCaller = Parameters<typeof nextBatch<TestRow, string>>[0][number];

const row = (key: string, merchant = 'a', bytes = 1): TestRow => ({ key, merchant, bytes });
const caller = (of: TestRow): TestCaller => ({
  row: of,
  ...of,
  deadline: NO_DEADLINE,
  span: null,
  promise: Promise.resolve(''),
  resolve: () => {},
  reject: () => {},
  state: 'waiting',
  restMilliseconds: 0,
});
const callers = (count: number, merchant: string) =>
  Array.from({ length: count }, (_, index) =>
    caller(row(`${merchant}-${String(index).padStart(4, '0')}`, merchant)),
  );
const keysOf = (batch: readonly TestCaller[]) => batch.map(({ key }) => key);
const countOf = (batch: readonly TestCaller[], merchant: string) =>
  batch.filter((one) => one.merchant === merchant).length;

const LIMITS = { rowsPerBatch: 128, bytesPerBatch: 1_000 };

test('a batch is sorted by key, whatever the order of arrival', () => {
  const waiting = ['c', 'a', 'b', 'B', 'ç'].map((key) => caller(row(key)));
  assert.deepEqual(keysOf(nextBatch(waiting, LIMITS).batch), ['B', 'a', 'b', 'c', 'ç']);
});

test('a key stands once in a batch; the second caller is in the next', () => {
  const waiting = ['b', 'a', 'b', 'b'].map((key) => caller(row(key)));
  const { batch, rest } = nextBatch(waiting, LIMITS);
  assert.deepEqual(keysOf(batch), ['a', 'b']);
  assert.deepEqual(rest, [waiting[2], waiting[3]]);
});

test('a giant merchant takes a quarter of a batch while others wait', () => {
  const waiting = [...callers(1_000, 'giant'), ...['b', 'c', 'd', 'e'].flatMap((name) => callers(30, name))];
  const { batch } = nextBatch(waiting, LIMITS);
  assert.equal(batch.length, 128);
  assert.equal(countOf(batch, 'giant'), 32);
});

test('a giant merchant has the whole batch when nobody else waits, and what the others leave', () => {
  assert.equal(nextBatch(callers(1_000, 'giant'), LIMITS).batch.length, 128);
  const { batch } = nextBatch([...callers(1_000, 'giant'), ...callers(40, 'b')], LIMITS);
  assert.equal(countOf(batch, 'b'), 40);
  assert.equal(countOf(batch, 'giant'), 88);
});

test('a batch ends at its bytes, and a row that is larger than a batch goes alone', () => {
  const waiting = [caller(row('a', 'a', 600)), caller(row('b', 'a', 600)), caller(row('c', 'a', 300))];
  assert.deepEqual(keysOf(nextBatch(waiting, LIMITS).batch), ['a', 'c']);
  const large = [caller(row('a', 'a', 5_000)), caller(row('b', 'a', 1))];
  assert.deepEqual(keysOf(nextBatch(large, LIMITS).batch), ['a']);
});

test('whatever waits, nobody is lost, the first is taken, and each merchant gets its quarter', () => {
  const anyCaller = fc
    .record({ number: fc.nat({ max: 30 }), merchant: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f') })
    .map(({ number, merchant }) => caller(row(`${merchant}-${number}`, merchant)));
  const anyLimits = fc.record({
    rowsPerBatch: fc.integer({ min: 1, max: 20 }),
    bytesPerBatch: fc.constant(1_000),
  });
  fc.assert(
    fc.property(fc.array(anyCaller, { minLength: 1, maxLength: 60 }), anyLimits, (waiting, limits) => {
      const { batch, rest } = nextBatch(waiting, limits);
      assert.ok(batch.length >= 1 && batch.length <= limits.rowsPerBatch);
      assert.ok(batch.includes(waiting[0] as TestCaller));
      assert.deepEqual(
        rest,
        waiting.filter((one) => !batch.includes(one)),
      );
      const keys = keysOf(batch);
      assert.deepEqual(keys, [...new Set(keys)].sort());
      const quarter = Math.max(1, Math.floor(limits.rowsPerBatch / 4));
      const counts = ['a', 'b', 'c', 'd', 'e', 'f'].map((merchant) => countOf(batch, merchant));
      const quartersFilled = Math.floor((Math.max(...counts) - 1) / quarter);
      for (const left of rest.filter(({ key }) => !keys.includes(key))) {
        assert.ok(countOf(batch, left.merchant) >= quartersFilled * quarter, `${left.merchant} was held up`);
      }
    }),
  );
});

function heldWrite() {
  const batches: string[][] = [];
  const answers: (() => void)[] = [];
  return {
    batches,
    write: (rows: readonly TestRow[]) =>
      new Promise<ReadonlyMap<string, string>>((resolve) => {
        batches.push(rows.map(({ key }) => key));
        answers.push(() => resolve(new Map(rows.map(({ key }) => [key, `result of ${key}`]))));
      }),
    answer: (index: number) => answers[index]?.(),
    /** Waits for that many statements, at most a few turns of the event loop. */
    async sent(statements: number) {
      for (let turns = 0; turns < 10 && batches.length < statements; turns += 1) await turn();
      assert.equal(batches.length, statements);
    },
  };
}

const OPTIONS = {
  name: 'test',
  key: ({ key }: TestRow) => key,
  merchant: ({ merchant }: TestRow) => merchant,
  bytes: ({ bytes }: TestRow) => bytes,
  isRefusal: () => false,
};
const soon = () => performance.now() + 5_000;

test('a lone caller starts at the end of the turn, without company', async () => {
  const { batches, write, answer } = heldWrite();
  const batched = batchWrites({ ...OPTIONS, write });
  const result = batched(row('a'), soon());
  assert.deepEqual(batches, []);
  await turn();
  assert.deepEqual(batches, [['a']]);
  answer(0);
  assert.equal(await result, 'result of a');
});

test('callers of one turn go in one statement; while it is in flight the next gather', async () => {
  const { batches, write, answer, sent } = heldWrite();
  const batched = batchWrites({ ...OPTIONS, write, limits: { statementsInFlight: 1 } });
  const first = ['b', 'a'].map((key) => batched(row(key), soon()));
  await sent(1);
  const second = ['d', 'c', 'e'].map((key) => batched(row(key), soon()));
  await turn();
  assert.deepEqual(batches, [['a', 'b']]);
  answer(0);
  assert.deepEqual(await Promise.all(first), ['result of b', 'result of a']);
  await sent(2);
  answer(1);
  assert.deepEqual(await Promise.all(second), ['result of d', 'result of c', 'result of e']);
  assert.deepEqual(batches, [
    ['a', 'b'],
    ['c', 'd', 'e'],
  ]);
});

test('results are matched by key, whatever their order', async () => {
  const write = async (rows: readonly TestRow[]) =>
    new Map([...rows].reverse().map(({ key }) => [key, key.toUpperCase()]));
  const batched = batchWrites({ ...OPTIONS, write });
  const results = ['c', 'a', 'b'].map((key) => batched(row(key), soon()));
  assert.deepEqual(await Promise.all(results), ['C', 'A', 'B']);
});

test('a row without a result is in doubt, and harms no other', async () => {
  const batched = batchWrites({ ...OPTIONS, write: async () => new Map([['a', 'done']]) });
  const results = ['a', 'b'].map((key) => batched(row(key), soon()));
  assert.equal(await results[0], 'done');
  await assert.rejects(results[1] as Promise<string>, CommitUnknown);
});

test('where a batch has one row, merchants take turns, however many of one wait', async () => {
  const { batches, write, answer, sent } = heldWrite();
  const limits = { statementsInFlight: 1, rowsPerBatch: 1 };
  const batched = batchWrites({ ...OPTIONS, write, limits });
  const results = ['a1', 'a2', 'a3', 'a4'].map((key) => batched(row(key, 'a'), soon()));
  await sent(1);
  results.push(batched(row('b1', 'b'), soon()), batched(row('c1', 'c'), soon()));
  results.push(batched(row('b2', 'b'), soon()));
  for (let statement = 0; statement < results.length; statement += 1) {
    await sent(statement + 1);
    answer(statement);
  }
  await Promise.all(results);
  assert.deepEqual(batches.flat(), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

test('a merchant that fills its places in the line leaves places to others', async () => {
  const { batches, write, answer, sent } = heldWrite();
  const batched = batchWrites({ ...OPTIONS, write, limits: { statementsInFlight: 1, waitingCallers: 4 } });
  const first = batched(row('a0', 'a'), soon());
  await sent(1);
  const waiting = ['a1', 'a2'].map((key) => batched(row(key, 'a'), soon()));
  await assert.rejects(batched(row('a3', 'a'), soon()), Overloaded);
  waiting.push(batched(row('b1', 'b'), soon()));
  answer(0);
  await first;
  await sent(2);
  answer(1);
  await Promise.all(waiting);
  assert.deepEqual(batches, [['a0'], ['a1', 'a2', 'b1']]);
});

test('a full line refuses at once, and writes nothing of what it refused', async () => {
  const { batches, write, answer, sent } = heldWrite();
  const batched = batchWrites({ ...OPTIONS, write, limits: { statementsInFlight: 1, waitingCallers: 4 } });
  const first = batched(row('a'), soon());
  await sent(1);
  const waiting = ['b', 'c'].map((key) => batched(row(key), soon()));
  const startedAt = performance.now();
  await assert.rejects(batched(row('d'), soon()), Overloaded);
  assert.ok(performance.now() - startedAt < 100);
  answer(0);
  await first;
  await sent(2);
  answer(1);
  await Promise.all(waiting);
  assert.deepEqual(batches, [['a'], ['b', 'c']]);
});

test('what never had its turn before the deadline was certainly not written', async () => {
  const { batches, write, answer, sent } = heldWrite();
  const batched = batchWrites({ ...OPTIONS, write, limits: { statementsInFlight: 1 } });
  const first = batched(row('a'), soon());
  await sent(1);
  const late = assert.rejects(batched(row('b'), performance.now() + 10), Overloaded);
  await pause(30);
  answer(0);
  await first;
  await late;
  assert.deepEqual(batches, [['a']]);
});

test('what was sent before the deadline is in doubt when the database stays away', async () => {
  let tries = 0;
  const write = async () => {
    tries += 1;
    throw tries === 1 ? new CommitUnknown('lost') : new DatabaseUnavailable('away');
  };
  const batched = batchWrites({ ...OPTIONS, write });
  await assert.rejects(batched(row('a'), performance.now() + 150), CommitUnknown);
  assert.ok(tries >= 2, `${tries} tries`);
});

test('what certainly was not written fails at once, though its deadline is far', async () => {
  let tries = 0;
  const write = async () => {
    tries += 1;
    throw new DatabaseUnavailable('away');
  };
  await assert.rejects(batchWrites({ ...OPTIONS, write })(row('a'), soon()), {
    name: 'DatabaseUnavailable',
  });
  assert.equal(tries, 1);
});

test('what must be written is repeated while the database is away, and at its deadline is certainly not written', async () => {
  const write = failingWrite(new DatabaseUnavailable('away'), new DatabaseUnavailable('away'));
  const must = { ...OPTIONS, mustBeWritten: true };
  assert.equal(await batchWrites({ ...must, write })(row('a'), soon()), 'written');
  const away = () => Promise.reject(new DatabaseUnavailable('away'));
  await assert.rejects(batchWrites({ ...must, write: away })(row('a'), performance.now() + 100), Overloaded);
});

test('what goes through soon is repeated, whoever writes it', async () => {
  const write = failingWrite(new PassingFault('a key was retired'), new PassingFault('a key was retired'));
  assert.equal(await batchWrites({ ...OPTIONS, write })(row('a'), soon()), 'written');
});

test('a refusal that a row in doubt is given is not final: the lost statement may still arrive', async () => {
  const isRefusal = (result: string) => result === 'refused';
  const refused = async (rows: readonly TestRow[]) => new Map(rows.map(({ key }) => [key, 'refused']));
  assert.equal(await batchWrites({ ...OPTIONS, write: refused, isRefusal })(row('a'), soon()), 'refused');
  let tries = 0;
  const lostFirst = (rows: readonly TestRow[]) => {
    tries += 1;
    return tries === 1 ? Promise.reject(new CommitUnknown('lost')) : refused(rows);
  };
  await assert.rejects(
    batchWrites({ ...OPTIONS, write: lostFirst, isRefusal })(row('a'), soon()),
    CommitUnknown,
  );
});

test('what was not written, for it came too late, may be tried again; in doubt it stays in doubt', async () => {
  const late = async () => new Map([['a', NOT_WRITTEN]]);
  await assert.rejects(batchWrites({ ...OPTIONS, write: late })(row('a'), soon()), Overloaded);
  let tries = 0;
  const lostFirst = () => {
    tries += 1;
    return tries === 1 ? Promise.reject(new CommitUnknown('lost')) : late();
  };
  await assert.rejects(batchWrites({ ...OPTIONS, write: lostFirst })(row('a'), soon()), CommitUnknown);
});

test('a read that fails behind the write says nothing about the write: the same is sent again', async () => {
  let tries = 0;
  const write = async (rows: readonly TestRow[]) => {
    tries += 1;
    noteWrite(watchOfCaller());
    if (tries === 1) throw new DatabaseUnavailable('away');
    return new Map(rows.map(({ key }) => [key, 'written']));
  };
  assert.equal(await batchWrites({ ...OPTIONS, write })(row('a'), soon()), 'written');
  tries = 0;
  await assert.rejects(
    batchWrites({
      ...OPTIONS,
      write: async (rows) =>
        write(rows).catch((error) => {
          tries = 0;
          throw error;
        }),
    })(row('a'), performance.now() + 100),
    CommitUnknown,
  );
});

test('a write is noted in the watch of the one that asked for it, and in no other', async () => {
  const batched = batchWrites({ ...OPTIONS, write: failingWrite() });
  const [writer, other] = [{ mayHaveWritten: false }, { mayHaveWritten: false }];
  await watchWrites(other, async () => {
    await watchWrites(writer, () => batched(row('a'), soon()));
  });
  assert.deepEqual([writer.mayHaveWritten, other.mayHaveWritten], [true, false]);
});

test('a caller is let go at its deadline though a silent server holds its statement', async () => {
  const { batches, write } = heldWrite();
  const batched = batchWrites({ ...OPTIONS, write });
  await assert.rejects(batched(row('a'), performance.now() + 500), CommitUnknown);
  assert.deepEqual(batches, [['a']]);
});

function failingWrite(...errors: Error[]) {
  return async (rows: readonly TestRow[]) => {
    const error = errors.shift();
    if (error !== undefined) throw error;
    return new Map(rows.map(({ key }) => [key, 'written']));
  };
}
const coded = (code: string) => Object.assign(new Error('no'), { code });

test("after a lost try the lock of that try is waited for, as often as it is in the way: it may be the row's own", async () => {
  const lock = coded('55P03');
  const write = failingWrite(new CommitUnknown('lost'), lock, lock, lock);
  assert.equal(await batchWrites({ ...OPTIONS, write })(row('a'), soon()), 'written');
});

test('after a lost try an error proves nothing: the row is in doubt', async () => {
  const write = failingWrite(new CommitUnknown('lost'), coded('23514'));
  await assert.rejects(batchWrites({ ...OPTIONS, write })(row('a'), soon()), CommitUnknown);
});

test('one bad row harms nobody: after an error each goes alone, once', async () => {
  const given: string[][] = [];
  const write = async (rows: readonly TestRow[]) => {
    given.push(rows.map(({ key }) => key));
    if (rows.some(({ key }) => key === 'bad')) throw new Error('no');
    return new Map(rows.map(({ key }) => [key, key]));
  };
  const batched = batchWrites({ ...OPTIONS, write });
  const results = await Promise.allSettled(['a', 'bad', 'c'].map((key) => batched(row(key), soon())));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(given, [['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
});

test('a lone row is not written again after an error, except after one that says so', async () => {
  for (const [code, tries] of [
    ['23514', 1],
    ['40P01', 2],
    ['40001', 2],
    ['55P03', 2],
    ['57014', 2],
  ] as const) {
    let count = 0;
    const write = async () => {
      count += 1;
      throw Object.assign(new Error('no'), { code });
    };
    const batched = batchWrites({ ...OPTIONS, write });
    // An obstacle held by others is no fault of the row: its caller is told to try again.
    const reported =
      tries === 1 ? { code } : { name: 'Overloaded', cause: Object.assign(new Error('no'), { code }) };
    await assert.rejects(batched(row('a'), soon()), reported);
    assert.equal(count, tries, code);
  }
});

test('rows that need a commit each are batches of one, each with its own deadline', async () => {
  const given: unknown[] = [];
  const { limits, write } = oneByOne<TestRow, string>({
    ...OPTIONS,
    limits: { statementsInFlight: 1, waitingCallers: 10 },
    async write({ key }, deadline) {
      given.push([key, deadline]);
      return `${key} is written`;
    },
  });
  assert.deepEqual(limits, { statementsInFlight: 1, waitingCallers: 10, rowsPerBatch: 1 });
  const deadline = new Deadline(1);
  const results = await write([row('a'), row('b')], [NO_DEADLINE, deadline]);
  assert.deepEqual(Object.fromEntries(results), { a: 'a is written', b: 'b is written' });
  assert.deepEqual(given, [
    ['a', NO_DEADLINE],
    ['b', deadline],
  ]);
});
