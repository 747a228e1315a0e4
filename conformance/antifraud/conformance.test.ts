import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { startSimulator } from '../../simulators/antifraud/running-simulator.ts';
import { checkPoints, type PointResult } from '../check-points.ts';
import { type Fault, openFaultyProgram } from '../faulty-program.ts';
import { openAntiFraudBench } from './bench.ts';
import { ANTI_FRAUD_POINTS } from './points.ts';

const PROGRAM = join(import.meta.dirname, '../run.ts');
const OPTIONS = {
  ...{ token: null, merchantId: 'M1', otherMerchantId: 'M2' },
  ...{ reviewEmail: 'fraud-review@test.com', rejectEmail: 'fraud-reject@test.com' },
};

async function startProvider(t: TestContext, options: readonly string[] = []): Promise<string> {
  const simulator = await startSimulator(options);
  t.after(() => simulator.stop());
  return simulator.url;
}

/** Runs the program as an operator does. */
async function runProgram(...words: string[]): Promise<{ code: number; said: string }> {
  const run = promisify(execFile)(process.execPath, [PROGRAM, ...words]);
  const { stdout, stderr, code } = await run.then(
    (said) => ({ ...said, code: 0 }),
    (error) => error as { stdout: string; stderr: string; code: number },
  );
  return { code, said: stdout + stderr };
}

async function pointsOf(url: string, options: Parameters<typeof openAntiFraudBench>[1] = OPTIONS) {
  const found: Record<PointResult['kind'], string[]> = { passed: [], failed: [], skipped: [] };
  for await (const { kind, sentence } of checkPoints(ANTI_FRAUD_POINTS, openAntiFraudBench(url, options)))
    found[kind].push(sentence);
  return found;
}

test('the simulator passes every point, also behind its token', async (t) => {
  const { code, said } = await runProgram('antifraud', '--url', await startProvider(t));
  assert.match(said, /\n12 passed, 0 failed, 0 skipped\n$/, said);
  assert.equal(code, 0);
  const closed = await startProvider(t, ['--token', 'abc']);
  assert.equal((await runProgram('antifraud', '--url', closed)).code, 2);
  assert.equal((await runProgram('antifraud', '--url', closed, '--token', 'abc')).code, 0);
});

test('what cannot be brought about is skipped by name', async (t) => {
  const { failed, skipped } = await pointsOf(await startProvider(t), {
    ...OPTIONS,
    reviewEmail: null,
    rejectEmail: null,
  });
  assert.deepEqual([failed, skipped], [[], ['a buyer is reviewed', 'a buyer is rejected']]);
});

test('a provider that is wrong in one way fails the points of that way', async (t) => {
  const provider = await startProvider(t);
  const decisions: Record<string, number> = {};
  const faults: readonly [string, Fault, readonly string[]][] = [
    [
      'answers with words of its own',
      async (asked, ask) => {
        const answer = await ask(asked);
        const { verdict } = answer.body;
        return verdict === 'reject' ? { ...answer, body: { ...answer.body, verdict: 'deny' } } : answer;
      },
      ['a buyer is rejected', 'a question that is repeated, also many times at once, gets the same answer'],
    ],
    [
      'puts data of the buyer into a reason',
      async (asked, ask) => {
        const answer = await ask(asked);
        const reasons = ['cpf-52998224725'];
        return answer.body.verdict === 'review' ? { ...answer, body: { ...answer.body, reasons } } : answer;
      },
      ['a buyer is reviewed'],
    ],
    [
      'decides anew whenever it is asked',
      async (asked, ask) => {
        const answer = await ask(asked);
        const id = String(answer.body.transactionId);
        decisions[id] = (decisions[id] ?? 0) + 1;
        return answer.body.verdict === 'reject'
          ? { ...answer, body: { ...answer.body, score: decisions[id] } }
          : answer;
      },
      ['a question that is repeated, also many times at once, gets the same answer'],
    ],
    [
      'speaks a version of its own',
      async (asked, ask) => {
        const answer = await ask(asked);
        return asked.path === '/about' ? { ...answer, body: { ...answer.body, protocol: 7 } } : answer;
      },
      ['it says who it is, and that it speaks version 1'],
    ],
  ];
  for (const [what, fault, wanted] of faults) {
    const url = await openFaultyProgram(t, provider, fault);
    assert.deepEqual((await pointsOf(url)).failed, wanted, what);
  }
});
