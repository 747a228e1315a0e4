import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Overloaded } from '../work/fair-line.ts';
import { batchReads } from './batched-reads.ts';

function heldRead() {
  const batches: string[][] = [];
  const answers: { found(): void; fail(error: Error): void }[] = [];
  return {
    batches,
    answers,
    read: (keys: readonly string[]) =>
      new Promise<ReadonlyMap<string, string>>((resolve, reject) => {
        batches.push([...keys]);
        const known = keys.filter((key) => !key.startsWith('unknown'));
        answers.push({
          found: () => resolve(new Map(known.map((key) => [key, `row of ${key}`]))),
          fail: reject,
        });
      }),
  };
}

const OPTIONS = { name: 'test', textOf: (key: string) => key };

test('callers of one turn are looked up in one statement, each gets its own row or null', async () => {
  const { batches, answers, read } = heldRead();
  const look = batchReads({ ...OPTIONS, read });
  const looks = ['a', 'b', 'unknown'].map((key) => look(key));
  await turn();
  assert.deepEqual(batches, [['a', 'b', 'unknown']]);
  answers[0]?.found();
  assert.deepEqual(
    (await Promise.all(looks)).map(({ value }) => value),
    ['row of a', 'row of b', null],
  );
});

test('callers with one key that wait together share one look', async () => {
  const { batches, answers, read } = heldRead();
  const look = batchReads({ ...OPTIONS, read });
  const looks = [look('a'), look('a')];
  await turn();
  answers[0]?.found();
  assert.equal((await looks[0])?.value, 'row of a');
  assert.equal((await looks[1])?.value, 'row of a');
  assert.deepEqual(batches, [['a']]);
});

test('who comes while a question is under way asks anew: the row may have been written in between', async () => {
  const { batches, answers, read } = heldRead();
  const look = batchReads({ ...OPTIONS, read });
  const early = look('a');
  await turn();
  const late = look('a');
  await turn();
  assert.deepEqual(batches, [['a'], ['a']]);
  for (const answer of answers) answer.found();
  assert.ok((await early).askedAt <= (await late).askedAt);
});

test('an error of the statement reaches all of its callers and none of the next', async () => {
  const { answers, read } = heldRead();
  const look = batchReads({ ...OPTIONS, read });
  const failing = [look('a'), look('b')].map((looked) => assert.rejects(looked, /away/));
  await turn();
  answers[0]?.fail(new Error('away'));
  await Promise.all(failing);
  const next = look('a');
  await turn();
  answers[1]?.found();
  assert.equal((await next).value, 'row of a');
});

test('a full line refuses at once', async () => {
  const { read } = heldRead();
  const look = batchReads({ ...OPTIONS, read });
  const waiting = Array.from({ length: 2_000 }, (_, index) => look(String(index)));
  await assert.rejects(look('one too many'), Overloaded);
  assert.equal(waiting.length, 2_000);
});
