import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askBankSoon } from './ask-bank-soon.ts';
import type { Notice } from './notice.ts';

const noticeOf = (id: string): Notice => ({ endToEndIds: [id], recIds: [], txids: [], hasReturns: false });

test('notices that come while one is written are written together, and each waits for its own', async (t) => {
  const written: string[][] = [];
  const gates: (() => void)[] = [];
  const hastening = askBankSoon(async (_bank, { endToEndIds }) => {
    written.push([...endToEndIds]);
    await new Promise<void>((resolve) => gates.push(resolve));
  });
  t.after(() => hastening.close());
  const first = hastening.take('itau', noticeOf('1'));
  await Promise.resolve();
  await new Promise(setImmediate);
  const rest = ['2', '3', '2'].map((id) => hastening.take('itau', noticeOf(id)));
  await new Promise(setImmediate);
  assert.deepEqual(written, [['1']]);
  gates.shift()?.();
  await first;
  await new Promise(setImmediate);
  assert.deepEqual(written, [['1'], ['2', '3']]);
  gates.shift()?.();
  await Promise.all(rest);
});

test('each notice is repeated once, with all that it names', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const written: string[][] = [];
  const hastening = askBankSoon(async (_bank, { endToEndIds }) => void written.push([...endToEndIds]));
  t.after(() => hastening.close());
  await hastening.take('itau', noticeOf('1'));
  await hastening.take('itau', noticeOf('2'));
  await hastening.take('itau', noticeOf('3'));
  t.mock.timers.tick(2_000);
  t.mock.timers.tick(2_000);
  t.mock.timers.tick(2_000);
  assert.deepEqual(written, [['1'], ['2'], ['3'], ['1'], ['2', '3']]);
});

test('what cannot be written is told, and the next one is written all the same', async (t) => {
  let isAway = true;
  const hastening = askBankSoon(async () => {
    if (isAway) throw new Error('away');
  });
  t.after(() => hastening.close());
  await assert.rejects(hastening.take('itau', noticeOf('1')), /away/);
  isAway = false;
  await hastening.take('itau', noticeOf('2'));
});
