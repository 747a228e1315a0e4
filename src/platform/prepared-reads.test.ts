import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Prepared,
  type PreparedReads,
  type PreparedReadsOptions,
  preparedReads,
} from './prepared-reads.ts';

const OPTIONS: PreparedReadsOptions = {
  patienceMilliseconds: 0,
  freshTimes: 1_000_000,
  mostFreshMilliseconds: 60_000,
  staleMilliseconds: 60_000,
  mostKept: 2,
  mostReadOn: 3,
  mostOfMerchant: 2,
  longestPatienceMilliseconds: 60_000,
  onFailure: () => {},
};
const PATIENT: PreparedReadsOptions = { ...OPTIONS, patienceMilliseconds: 60_000 };

const given = <Value>(prepared: Prepared<Value>) => (prepared === 'underWay' ? prepared : prepared.value);

async function askLate(reads: PreparedReads<number>, day: string, value: number) {
  const { promise, resolve } = Promise.withResolvers<number>();
  const answer = await reads('loja', day, () => promise);
  resolve(value);
  await promise;
  return given(answer);
}

test('what is under way is said to be, is read once, and is there for whoever asks again', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const reads = preparedReads<number>(OPTIONS);
  let count = 0;
  const ask = () =>
    reads('loja', 'julho', () => {
      count += 1;
      return promise;
    });
  assert.deepEqual(await Promise.all([ask(), ask()]), ['underWay', 'underWay']);
  resolve(7);
  await promise;
  const again = await ask();
  assert.deepEqual([given(again), count], [7, 1]);
  assert.ok(again !== 'underWay' && again.keptSince !== null, 'it says since when');
});

test('who is patient enough waits for it, and it is of this moment', async () => {
  const reads = preparedReads<number>(PATIENT);
  assert.deepEqual(await reads('loja', 'julho', async () => 7), { value: 7, keptSince: null });
});

test('the next one who asks gets what went wrong, and behind that it is read anew', async () => {
  const { promise, reject } = Promise.withResolvers<number>();
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => failures.push(error);
  const reads = preparedReads<number>({ ...OPTIONS, freshTimes: 0, onFailure });
  assert.equal(await reads('loja', 'julho', () => promise), 'underWay');
  reject(new Error('away'));
  await assert.rejects(
    reads('loja', 'julho', async () => 7),
    /away/,
  );
  assert.equal(given(await reads('loja', 'julho', async () => 7)), 7);
  assert.match(`${failures}`, /^Error: away$/);
  const patient = preparedReads<number>(PATIENT);
  await assert.rejects(
    patient('loja', 'julho', () => Promise.reject(new Error('away'))),
    /away/,
  );
  assert.equal(given(await patient('loja', 'julho', async () => 7)), 7);
});

test('what went wrong late is not read anew at once, however many ask', async () => {
  const { promise, reject } = Promise.withResolvers<number>();
  const reads = preparedReads<number>({ ...OPTIONS, freshTimes: Number.MAX_SAFE_INTEGER });
  assert.equal(await reads('loja', 'julho', () => promise), 'underWay');
  reject(new Error('away'));
  for (let asked = 0; asked < 3; asked += 1)
    await assert.rejects(
      reads('loja', 'julho', async () => 7),
      /away/,
    );
});

test('what was read before is given where another read went wrong', async () => {
  const reads = preparedReads<number>({ ...OPTIONS, freshTimes: 0 });
  assert.equal(await askLate(reads, '1', 1), 'underWay');
  const { promise, reject } = Promise.withResolvers<number>();
  assert.equal(given(await reads('loja', '1', () => promise)), 1);
  reject(new Error('away'));
  await assert.rejects(promise);
  assert.equal(await askLate(reads, '1', 2), 1);
});

test('each merchant has a share of what is read on, and all have a bound; beyond it is waited for', async () => {
  const reads = preparedReads<number>(OPTIONS);
  const never = () => new Promise<number>(() => {});
  for (const day of ['1', '2']) assert.equal(await reads('loja', day, never), 'underWay');
  const waited = async (merchant: string) => {
    const { promise, resolve } = Promise.withResolvers<number>();
    const asked = reads(merchant, '3', () => promise);
    assert.equal(await Promise.race([asked, new Promise((wake) => setImmediate(wake))]), undefined);
    resolve(3);
    return given(await asked);
  };
  assert.equal(await waited('loja'), 3);
  assert.equal(await reads('outra', '1', never), 'underWay');
  assert.equal(await waited('terceira'), 3);
  assert.equal(await reads('loja', '1', never), 'underWay', 'what has begun goes on');
});

test('where no more may be read on a page waits up to its bound', async () => {
  const reads = preparedReads<number>({ ...OPTIONS, mostReadOn: 0, longestPatienceMilliseconds: 0 });
  const { promise, resolve } = Promise.withResolvers<number>();
  assert.equal(await reads('loja', '1', () => promise), 'underWay');
  resolve(1);
  await promise;
  assert.equal(given(await reads('loja', '1', () => promise)), 1);
});

test('what nobody had to wait for is read anew each time', async () => {
  const reads = preparedReads<number>(PATIENT);
  let count = 0;
  const ask = async () => given(await reads('loja', '1', async () => ++count));
  assert.deepEqual([await ask(), await ask()], [1, 2]);
});

test('no more than the bound is kept, and nothing behind its time', async () => {
  const reads = preparedReads<number>(OPTIONS);
  for (const [index, day] of ['1', '2'].entries()) assert.equal(await askLate(reads, day, index), 'underWay');
  assert.equal(await askLate(reads, '1', 9), 0, 'it is kept');
  assert.equal(await askLate(reads, '3', 2), 'underWay');
  assert.equal(await askLate(reads, '4', 3), 'underWay');
  assert.equal(await askLate(reads, '2', 9), 'underWay', 'what nobody asked for the longest has gone');
  const forgetful = preparedReads<number>({ ...OPTIONS, freshTimes: 0, staleMilliseconds: 0 });
  for (const value of [1, 2]) assert.equal(await askLate(forgetful, '1', value), 'underWay');
});

test('what is no longer fresh is given while it is read anew', async () => {
  const reads = preparedReads<number>({ ...OPTIONS, mostFreshMilliseconds: 0 });
  assert.equal(await askLate(reads, '1', 1), 'underWay');
  assert.equal(await askLate(reads, '1', 2), 1);
  assert.equal(await askLate(reads, '1', 3), 2);
});
