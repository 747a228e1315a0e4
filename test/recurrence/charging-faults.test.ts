import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CHARGING_KINDS } from '../../chaos/recurrence/charging-kinds.ts';
import { chargingSuite } from '../../chaos/recurrence/charging-suite.ts';
import { lineOf } from '../../chaos/results.ts';
import { runSuite } from '../../chaos/suite.ts';

/** A slice of `npm run chaos -- recurrence` (docs/chaos.md): another draw each time, the seed is printed. */
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const BILLINGS = 200;

async function assertCharged(context: TestContext, names: readonly string[], kills: number): Promise<void> {
  const kinds = CHARGING_KINDS.filter((kind) => names.includes(kind.name));
  assert.equal(kinds.length, names.length);
  const results = await runSuite({
    suite: chargingSuite({ billings: BILLINGS }),
    kinds,
    kills,
    seed: SEED,
    payments: 0,
    say: (line) => context.diagnostic(line),
    isVerbose: false,
    looks: 'eachKind',
    processes: 2,
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
    results.some(({ approved }) => approved > 0),
    'nobody was charged',
  );
}

test('when a process dies in a jump of the clock or PostgreSQL in a night of many, every billing is charged once', async (context) => {
  await assertCharged(context, ['calm', 'steps', 'nights'], 6);
});

test('when an answer is lost or late, a commit refused or a plan canceled, nobody is charged against what was answered', async (context) => {
  await assertCharged(context, ['absences', 'late', 'plans', 'byHand'], 4);
});
