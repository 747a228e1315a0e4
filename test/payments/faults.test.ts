import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KINDS } from '../../chaos/kinds/kinds.ts';
import { lineOf } from '../../chaos/results.ts';
import { PAYMENT_SUITE, runSuite } from '../../chaos/suite.ts';
import { SEED } from '../kit/seed.ts';

/** A slice of `npm run chaos -- payments` (docs/chaos.md), of which `npm run proof` runs more. */
test('when a gateway dies at any step, every answer agrees with our books and the acquirer’s', async (context) => {
  const results = await runSuite({
    suite: PAYMENT_SUITE,
    kinds: KINDS.filter(({ name }) => name === 'steps'),
    kills: 3,
    seed: SEED,
    payments: 0,
    say: (line) => context.diagnostic(line),
    isVerbose: false,
    looks: 'atEnd',
    processes: 2,
  });
  assert.equal(results[0]?.faults, 3);
  for (const result of results)
    assert.deepEqual(
      result.violations,
      [],
      `SEED=${SEED}\n${lineOf(result)}\n${result.violations.join('\n')}`,
    );
});
