import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { lineOf } from '../../chaos/results.ts';
import { runSuite } from '../../chaos/suite.ts';
import { NOTIFIED_KINDS } from '../../chaos/webhooks/notified-kinds.ts';
import { notifiedSuite } from '../../chaos/webhooks/notified-suite.ts';

/** A slice of `npm run chaos -- webhooks` (docs/chaos.md): another draw each time, the seed is printed. */
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

async function assertNotified(context: TestContext, names: readonly string[], kills: number): Promise<void> {
  const kinds = NOTIFIED_KINDS.filter((kind) => names.includes(kind.name));
  assert.equal(kinds.length, names.length);
  const results = await runSuite({
    suite: notifiedSuite(),
    kinds,
    kills,
    seed: SEED,
    payments: 0,
    say: (line) => context.diagnostic(line),
    isVerbose: false,
    looks: 'atEnd',
    processes: 3,
  });
  for (const result of results) {
    assert.ok(result.faults > 0, `${result.name} struck nothing`);
    assert.deepEqual(
      result.violations,
      [],
      `SEED=${SEED}\n${lineOf(result)}\n${result.violations.join('\n')}`,
    );
  }
  assert.ok(
    results.some(({ deliveries }) => deliveries > 0),
    'nobody was told anything',
  );
}

test('when a gateway, PostgreSQL or a merchant’s system dies, merchants learn of every change in its order', async (context) => {
  await assertNotified(context, ['calm', 'steps', 'outages', 'postgres'], 8);
});
