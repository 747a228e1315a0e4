import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startBank } from '../../simulators/bank/running-simulator.ts';
import { checkPoints, type PointResult } from '../check-points.ts';
import { type Fault, openFaultyProgram } from '../faulty-program.ts';
import { openBankBench } from './bench.ts';
import { BANK_POINTS } from './points.ts';

const PROGRAM = join(import.meta.dirname, '../run.ts');
const OPTIONS = {
  token: null,
  merchantId: 'M1',
  otherMerchantId: 'M2',
  refusedValue: 2_011,
  paidValue: 2_021,
};

/** Runs the program as an operator does. */
async function runProgram(...words: string[]): Promise<{ code: number; said: string }> {
  const run = promisify(execFile)(process.execPath, [PROGRAM, ...words]);
  const { stdout, stderr, code } = await run.then(
    (said) => ({ ...said, code: 0 }),
    (error) => error as { stdout: string; stderr: string; code: number },
  );
  return { code, said: stdout + stderr };
}

async function pointsOf(url: string, options: Parameters<typeof openBankBench>[1] = OPTIONS) {
  const found: Record<PointResult['kind'], string[]> = { passed: [], failed: [], skipped: [] };
  for await (const { kind, sentence } of checkPoints(BANK_POINTS, openBankBench(url, options)))
    found[kind].push(sentence);
  return found;
}

test('the simulator passes every point, again and again', async (t) => {
  const { url } = await startBank(t);
  for (let times = 0; times < 2; times += 1) {
    const { code, said } = await runProgram('bank', '--url', url);
    assert.match(said, new RegExp(`\\n${BANK_POINTS.length} passed, 0 failed, 0 skipped\\n$`), said);
    assert.equal(code, 0);
  }
});

test('what cannot be brought about is skipped by name', async (t) => {
  const { url } = await startBank(t);
  const { failed, skipped } = await pointsOf(url, { ...OPTIONS, refusedValue: null, paidValue: null });
  assert.deepEqual(failed, []);
  assert.deepEqual(skipped, [
    'a refusal has its reason, is repeated, and registers nothing',
    'a payment is reported with its amount and its day, and the boleto is paid',
  ]);
});

const REGISTERED = 'a boleto is registered with a bar code of this bank, its value and its due day';
const FOUND = 'a registered boleto is found as it was answered, and a number never seen is not';
const REPEATED = 'a repetition gets the booked answer, also when the boleto was canceled since';

test('what the simulator is ordered to spoil fails the points that see it', async (t) => {
  const { url, post } = await startBank(t);
  for (const fault of [
    'wrongCheckDigit',
    'wrongAmount',
    'wrongDueDay',
    'wrongBank',
    'wrongNumber',
    'garbage',
  ]) {
    await post('/script', { merchantId: 'M1', steps: Array.from({ length: 200 }, () => ({ fault })) });
    const { failed } = await pointsOf(url);
    assert.ok(failed.includes(REGISTERED), `${fault}: ${failed.join('; ')}`);
  }
  const hiding = Array.from({ length: 200 }, () => ({ notFoundTimes: 1_000 }));
  await post('/script', { merchantId: 'M1', steps: hiding });
  assert.ok((await pointsOf(url)).failed.includes(FOUND));
  const twice = Array.from({ length: 200 }, () => ({ isReportedTwice: true }));
  await post('/script', { merchantId: 'M1', steps: twice });
  assert.ok(
    (await pointsOf(url)).failed.includes('a boleto is canceled once, however many ask, and stays canceled'),
  );
});

test('a bank that is wrong in one way fails the points of that way', async (t) => {
  const { url } = await startBank(t);
  let asked = 0;
  const faults: readonly [string, Fault, readonly string[]][] = [
    [
      'registers a number again under a bar code of its own',
      async (question, ask) => {
        const answer = await ask(question);
        asked += 1;
        const isIssued = answer.body.outcome === 'issued';
        return isIssued ? { ...answer, body: { ...answer.body, barCode: `${asked}` } } : answer;
      },
      [
        REGISTERED,
        'a number that many ask for at once is one boleto',
        REPEATED,
        'another registration under the same number is refused, and the first one stays',
        FOUND,
      ],
    ],
    [
      'takes a second cancel for a mistake',
      async (question, ask) => {
        const before = question.path.endsWith('/cancel')
          ? await ask({ method: 'GET', path: `${question.path.slice(0, -7)}?merchantId=M1`, body: null })
          : null;
        const answer = await ask(question);
        return before?.body.status === 'canceled' ? { status: 409, body: { error: 'canceled' } } : answer;
      },
      ['a boleto is canceled once, however many ask, and stays canceled'],
    ],
    [
      'skips a change at the end of a page',
      async (question, ask) => {
        const answer = await ask(question);
        const { items } = answer.body as { items?: unknown[] };
        return items?.length === 2
          ? { ...answer, body: { ...answer.body, items: items.slice(0, 1) } }
          : answer;
      },
      ['pages follow each other without a gap, and the same question gets the same answer'],
    ],
    [
      'cancels what is paid',
      async (question, ask) => {
        const answer = await ask(question);
        const isPaid = answer.body.reason === 'paid';
        return isPaid ? { status: 200, body: { ...answer.body, outcome: 'canceled' } } : answer;
      },
      ['a payment is reported with its amount and its day, and the boleto is paid'],
    ],
    [
      'does not say which bank it is',
      async (question, ask) => {
        const answer = await ask(question);
        return question.path === '/about' ? { ...answer, body: { ...answer.body, bankCode: 237 } } : answer;
      },
      ['it says which bank it is, and that it speaks version 1'],
    ],
  ];
  for (const [what, fault, wanted] of faults) {
    const faulty = await openFaultyProgram(t, url, fault);
    assert.deepEqual((await pointsOf(faulty)).failed, wanted, what);
  }
});

test('silence is no answer', async (t) => {
  const { url, post } = await startBank(t);
  await post('/script', { merchantId: 'M1', steps: [{ fault: 'silent' }] });
  const [about, registered] = BANK_POINTS;
  const bench = openBankBench(url, OPTIONS);
  const kinds: string[] = [];
  const points = [about, registered].filter((point) => point !== undefined);
  for await (const { kind } of checkPoints(points, bench)) kinds.push(kind);
  assert.deepEqual(kinds, ['passed', 'failed']);
});
