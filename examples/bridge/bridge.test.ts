import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openBench } from '../../conformance/acquirer/open-bench.ts';
import { POINTS } from '../../conformance/acquirer/points.ts';
import { authorize, find, voiding } from '../../conformance/acquirer/requests.ts';
import { checkPoints } from '../../conformance/check-points.ts';
import { temporaryFolder } from '../../simulators/kit/temporary-folder.ts';
import { openBridge } from './bridge.ts';
import { type Acquirer, standIn } from './stand-in.ts';

const OPTIONS = {
  ...{ merchantId: 'M1', otherMerchantId: 'M2', card: '4111111111111111', otherCard: '4012001037141112' },
  ...{ declinedAmount: 1_051, declinedCard: undefined, pendingAmount: 2_001 },
};
const benchAt = ({ port }: { readonly port: number }) => openBench(`http://127.0.0.1:${port}`, OPTIONS);

const openIn = (folder: string, acquirer: Acquirer, horizon = 0) =>
  openBridge({
    file: join(folder, 'bridge.sqlite'),
    acquirer,
    key: 'a key',
    horizon,
    port: 0,
    sync: 'normal',
  });

async function open(t: TestContext, acquirer = standIn(), horizon = 0) {
  const bridge = await openIn(temporaryFolder(t), acquirer, horizon);
  t.after(bridge.close);
  return benchAt(bridge);
}

test('the skeleton of a bridge passes the conformance suite', async (t) => {
  const found = { passed: 0, failed: [] as string[], skipped: [] as string[] };
  for await (const { kind, sentence, lines } of checkPoints(POINTS, await open(t))) {
    if (kind === 'passed') found.passed += 1;
    else found[kind].push(`${sentence}: ${lines.join(' ')}`);
  }
  assert.deepEqual(found.failed, []);
  const left = found.skipped.filter((sentence) => !/changes|capture|list/i.test(sentence));
  assert.deepEqual(left, [], 'only changes, captures and lists are not offered');
  assert.ok(found.passed >= 30, String(found.passed));
});

test('what was booked stands in its table, and is answered alike by the next process', async (t) => {
  const folder = temporaryFolder(t);
  const acquirer = standIn();
  const first = await openIn(folder, acquirer);
  const bench = benchAt(first);
  const [approved, undone] = [bench.newReference(), bench.newReference()];
  const sold = { soldAt: '2026-11-21T13:00:00.000Z' };
  const answer = await authorize(bench, approved, sold);
  await voiding(bench, undone);
  await first.close();
  const second = await openIn(folder, acquirer);
  t.after(second.close);
  const again = benchAt(second);
  assert.deepEqual((await authorize(again, approved, sold)).body, answer.body);
  assert.equal((await authorize(again, undone)).status, 409);
});

test('a charge whose answer was lost is unknown, found again, and undone when it is surely gone', async (t) => {
  const lost = standIn();
  let isBooked = true;
  const acquirer: Acquirer = {
    ...lost,
    async authorize(reference, charge) {
      if (isBooked) await lost.authorize(reference, charge);
      return null;
    },
  };
  const bench = await open(t, acquirer, 200);
  const [kept, gone] = [bench.newReference(), bench.newReference()];
  assert.equal((await authorize(bench, kept)).status, 503);
  assert.deepEqual(await statusOf(kept), [200, 'approved']);
  assert.deepEqual((await voiding(bench, kept)).body, { reference: kept, status: 'undone' });
  isBooked = false;
  assert.equal((await authorize(bench, gone)).status, 503);
  assert.equal((await voiding(bench, gone)).status, 503, 'it may still be booked');
  for (let tries = 0; (await voiding(bench, gone)).status !== 200; tries += 1) assert.ok(tries < 10_000);
  assert.deepEqual(await statusOf(gone), [200, 'undone']);

  async function statusOf(reference: string): Promise<unknown[]> {
    const { status, body } = await find(bench, reference);
    return [status, (body as { status: string }).status];
  }
});
