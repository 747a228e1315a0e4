import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { KINDS } from '../../chaos/kinds/kinds.ts';
import { type KindResult, lineOf } from '../../chaos/results.ts';
import { PAYMENT_SUITE, runSuite } from '../../chaos/suite.ts';
import { sliceOf } from '../kit/patience.ts';

/** A slice of `npm run chaos -- payments` (docs/chaos.md): another draw each time, the seed is printed. */
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

async function slice(context: TestContext, names: readonly string[], kills: number): Promise<KindResult[]> {
  const kinds = KINDS.filter((kind) => names.includes(kind.name));
  assert.equal(kinds.length, names.length);
  const say = (line: string) => context.diagnostic(line);
  return runSuite({
    suite: PAYMENT_SUITE,
    kinds,
    kills,
    seed: SEED,
    payments: 0,
    say,
    isVerbose: false,
    looks: 'atEnd',
  });
}

function assertWhole(results: readonly KindResult[]): void {
  for (const result of results) {
    assert.ok(result.faults > 0, `${result.name} struck nothing`);
    assert.deepEqual(
      result.violations,
      [],
      `SEED=${SEED}\n${lineOf(result)}\n${result.violations.join('\n')}`,
    );
  }
}

test('when a gateway dies at any step, every answer agrees with our books and the acquirer’s', async (context) => {
  assertWhole(await slice(context, ['calm', 'answers', 'steps', 'pairs', 'cuts'], sliceOf(20, 10)));
});

test('when PostgreSQL, its sessions or its wires break, every answer agrees with our books and the acquirer’s', async (context) => {
  assertWhole(
    await slice(context, ['wires', 'late', 'errors', 'sessions', 'postgres', 'acquirer'], sliceOf(8, 6)),
  );
});
