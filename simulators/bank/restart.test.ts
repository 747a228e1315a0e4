import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { registration, startBank } from './running-simulator.ts';

const numberOf = (index: number) => String(index).padStart(11, '0');

test('a restart changes no answer', async (t) => {
  const folder = temporaryFolder(t);
  const first = await startBank(t, { folder });
  const cancel = { merchantId: 'M1', requestedAt: '2026-11-05T12:00:00Z' };
  const answersOf = async ({ post, get }: typeof first) => {
    const answers: unknown[] = [];
    for (const [index, amount] of [2_021, 2_025, 2_026, 2_012, 25_000, 12_990].entries())
      answers.push(await post('/boletos', registration(numberOf(index), { amount })));
    answers.push(await post(`/boletos/${numberOf(5)}/cancel`, cancel));
    for (const path of [
      '/changes?until=2027-01-01T00:00:00Z',
      '/ledger',
      `/boletos/${numberOf(1)}?merchantId=M1`,
    ])
      answers.push(await get(path));
    return answers;
  };
  const before = await answersOf(first);
  await first.end('SIGTERM');
  assert.deepEqual(await answersOf(await startBank(t, { folder })), before);
});

test('every registration that was answered outlives kill -9, also with half a line behind it', async (t) => {
  const folder = temporaryFolder(t);
  const first = await startBank(t, { folder });
  const registered: string[] = [];
  const askers = Array.from({ length: 10 }, async (_, asker) => {
    for (let index = 0; ; index += 1) {
      const ourNumber = numberOf(asker * 10_000 + index);
      const answer = await first.post('/boletos', registration(ourNumber)).catch(() => null);
      if (answer === null) return;
      registered.push(ourNumber);
      if (registered.length === 200) first.process.kill('SIGKILL');
    }
  });
  await Promise.all(askers);
  appendFileSync(join(folder, 'ledger.jsonl'), '{"type":"registration","at":1');
  const second = await startBank(t, { folder });
  const { items } = (await second.get('/ledger?limit=10000')).body;
  const booked = new Set(items.map((item: { ourNumber: string }) => item.ourNumber));
  assert.ok(registered.length >= 200);
  assert.deepEqual(
    registered.filter((ourNumber) => !booked.has(ourNumber)),
    [],
  );
});

test('a line that is none, or contradicts those before it, refuses the start', async (t) => {
  const folder = temporaryFolder(t);
  const first = await startBank(t, { folder });
  await first.post('/boletos', registration(numberOf(1)));
  await first.end('SIGKILL');
  const [line] = readFileSync(join(folder, 'ledger.jsonl'), 'utf8').split('\n');
  appendFileSync(join(folder, 'ledger.jsonl'), `${line}\n`);
  await assert.rejects(startBank(t, { folder }), /ended before it was ready/);
});
