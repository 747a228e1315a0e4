import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PreparedReads, preparedReads } from './prepared-reads.ts';
import { Overloaded } from './work/overloaded.ts';

const OPTIONS = {
  patienceMilliseconds: 0,
  freshTimes: 1_000_000,
  staleMilliseconds: 60_000,
  mostKept: 2,
  mostUnderWay: 3,
  mostOfMerchant: 2,
};

test('what is under way is said to be, is read once, and is there for whoever asks again', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const prepared = preparedReads<number>(OPTIONS);
  let reads = 0;
  const ask = () =>
    prepared('loja', 'julho', () => {
      reads += 1;
      return promise;
    });
  assert.deepEqual(await Promise.all([ask(), ask()]), ['underWay', 'underWay']);
  resolve(7);
  await promise;
  assert.deepEqual([await ask(), reads], [7, 1]);
});

test('who is patient enough waits for it', async () => {
  const prepared = preparedReads<number>({ ...OPTIONS, patienceMilliseconds: 60_000 });
  assert.equal(await prepared('loja', 'julho', async () => 7), 7);
});

test('the next one who asks gets what went wrong, and behind that it is read anew', async () => {
  const { promise, reject } = Promise.withResolvers<number>();
  const prepared = preparedReads<number>(OPTIONS);
  assert.equal(await prepared('loja', 'julho', () => promise), 'underWay');
  reject(new Error('away'));
  await assert.rejects(
    prepared('loja', 'julho', async () => 7),
    /away/,
  );
  const asked = preparedReads<number>({ ...OPTIONS, patienceMilliseconds: 60_000 });
  await assert.rejects(
    asked('loja', 'julho', () => Promise.reject(new Error('away'))),
    /away/,
  );
  assert.equal(await asked('loja', 'julho', async () => 7), 7);
});

test('each merchant has a share of what is under way, and all have a bound', async () => {
  const prepared = preparedReads<number>(OPTIONS);
  const never = () => new Promise<number>(() => {});
  for (const day of ['1', '2']) assert.equal(await prepared('loja', day, never), 'underWay');
  await assert.rejects(prepared('loja', '3', never), Overloaded);
  assert.equal(await prepared('outra', '1', never), 'underWay');
  await assert.rejects(prepared('terceira', '1', never), Overloaded);
  assert.equal(await prepared('loja', '1', never), 'underWay', 'what has begun goes on');
});

test('what nobody had to wait for is read anew each time', async () => {
  const prepared = preparedReads<number>({ ...OPTIONS, patienceMilliseconds: 60_000 });
  let reads = 0;
  const read = async () => ++reads;
  assert.deepEqual([await prepared('loja', '1', read), await prepared('loja', '1', read)], [1, 2]);
});

/** Asks for something that is there only afterwards. */
async function askLate(prepared: PreparedReads<number>, day: string, value: number) {
  const { promise, resolve } = Promise.withResolvers<number>();
  const answer = await prepared('loja', day, () => promise);
  resolve(value);
  await promise;
  return answer;
}

test('no more than the bound is kept, and nothing behind its time', async () => {
  const prepared = preparedReads<number>(OPTIONS);
  for (const [index, day] of ['1', '2', '3'].entries())
    assert.equal(await askLate(prepared, day, index), 'underWay');
  assert.equal(await askLate(prepared, '3', 9), 2, 'it is kept');
  assert.equal(await askLate(prepared, '1', 9), 'underWay', 'the oldest has gone');
  const forgetful = preparedReads<number>({ ...OPTIONS, freshTimes: 0, staleMilliseconds: 0 });
  for (const value of [1, 2]) assert.equal(await askLate(forgetful, '1', value), 'underWay');
});

test('what is no longer fresh is given while it is read anew', async () => {
  const prepared = preparedReads<number>({ ...OPTIONS, freshTimes: 0 });
  assert.equal(await askLate(prepared, '1', 1), 'underWay');
  assert.equal(await askLate(prepared, '1', 2), 1);
  assert.equal(await askLate(prepared, '1', 3), 2);
  const never = () => new Promise<number>(() => {});
  for (const day of ['2', '3']) await prepared('loja', day, never);
  assert.equal(await askLate(prepared, '1', 4), 3, 'also where nothing more may be read');
  assert.equal(await askLate(prepared, '1', 5), 3);
});
