import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOLETO_KINDS } from '../../chaos/boletos/boleto-kinds.ts';
import { boletoSuite } from '../../chaos/boletos/boleto-suite.ts';
import { lineOf } from '../../chaos/results.ts';
import { runSuite } from '../../chaos/suite.ts';

/** A slice of `npm run chaos -- boletos` (docs/chaos.md): another draw each time, the seed is printed. */
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const NAMES = ['calm', 'steps', 'bank', 'imports', 'postgres'];

test('when a service, an import, the bank or PostgreSQL dies, nothing is issued, paid or taken twice, and nothing lost', async (context) => {
  const kinds = BOLETO_KINDS.filter(({ name }) => NAMES.includes(name));
  assert.equal(kinds.length, NAMES.length);
  const results = await runSuite({
    suite: boletoSuite(),
    kinds,
    kills: 6,
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
  const whole = results.at(-1);
  assert.ok(whole !== undefined && whole.approved > 0, 'no boleto was issued');
  assert.ok(whole.repeated > 0, 'none was paid');
});
