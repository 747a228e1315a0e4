import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshReads } from './prepared-reads.ts';

function slowReads() {
  const reads: PromiseWithResolvers<void>[] = [];
  const ask = freshReads(() => {
    const read = Promise.withResolvers<void>();
    reads.push(read);
    return read.promise;
  });
  return { reads, ask };
}

test('who asks while a read is under way waits for one that begins afterwards, together with the others', async () => {
  const { reads, ask } = slowReads();
  const first = ask();
  let areLaterOver = false;
  const later = Promise.all([ask(), ask(), ask()]).then(() => {
    areLaterOver = true;
  });
  assert.equal(reads.length, 1);
  reads[0]?.resolve();
  await first;
  await new Promise((wake) => setImmediate(wake));
  assert.equal(reads.length, 2);
  assert.equal(areLaterOver, false);
  const next = ask();
  reads[1]?.resolve();
  await later;
  await new Promise((wake) => setImmediate(wake));
  assert.equal(reads.length, 3);
  reads[2]?.resolve();
  await next;
});

test('a read that fails is reported to those who waited for it, and the next begins anew', async () => {
  const { reads, ask } = slowReads();
  const first = ask();
  const second = ask();
  reads[0]?.reject(new Error('away'));
  await assert.rejects(first, /away/);
  await new Promise((wake) => setImmediate(wake));
  assert.equal(reads.length, 2);
  reads[1]?.resolve();
  await second;
  const third = ask();
  assert.equal(reads.length, 3);
  reads[2]?.resolve();
  await third;
});
