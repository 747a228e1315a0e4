import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ATTACKS } from '../../chaos/crowd/attacks.ts';
import { crowdTable } from '../../chaos/crowd/report.ts';
import { runCrowd } from '../../chaos/crowd/run-crowd.ts';
import { patiently, sliceOf } from '../kit/patience.ts';

/** A slice of `npm run chaos -- crowd` (docs/chaos.md): a tenth of each attack and of the limits. */
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const SIZE = 1 / 10;
/** Of all attacks, each done twice where it was undecided. */
const MOST_UNDECIDED = 1;

test('two merchants are served, and the process is alive, while strangers and another merchant attack', async (context) => {
  const results = await runCrowd({
    attacks: ATTACKS,
    seed: SEED,
    perSecond: 5,
    seconds: sliceOf(10, 1),
    size: SIZE,
    healthMilliseconds: patiently(5_000),
    judgesTimes: false,
    say: (line) => context.diagnostic(line),
  });
  for (const line of crowdTable(results)) context.diagnostic(line);
  const violations = results.flatMap(({ attack, violations: those }) =>
    those.map((text) => `${attack.name}: ${text}`),
  );
  assert.deepEqual(violations, [], `SEED=${SEED}`);
  const undecided = results
    .filter((result) => result.undecided.length > 0)
    .map((result) => `${result.attack.name}: ${result.undecided.join('; ')}`);
  assert.ok(undecided.length <= MOST_UNDECIDED, `wrong without any attack: ${undecided.join(' | ')}`);
});
