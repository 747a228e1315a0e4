import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, until } from '../kit/service.ts';

const TOUR = fileURLToPath(new URL('../../tools/tour/tour.ts', import.meta.url));
const DAY_MILLISECONDS = 86_400_000;

type Tour = {
  readonly process: ChildProcess;
  reported(): string;
  /** The exit code. */
  readonly ended: Promise<number | null>;
};

function takeTour(): Tour {
  const child = spawn(process.execPath, [TOUR], {
    env: cleanEnvironment({}),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return {
    process: child,
    reported: () => Buffer.concat(chunks).toString('utf8'),
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
}

/** Nothing of the tour is left: neither its folder nor a process that names it. */
async function assertGone(reported: string): Promise<void> {
  const folder = /its data: (\S+),/.exec(reported)?.[1] ?? '';
  assert.match(folder, /parcela-tour-/, reported);
  assert.equal(existsSync(folder), false, `${folder} is still there`);
  for (const name of await readdir('/proc').catch(() => [])) {
    const line = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    assert.ok(!line.includes(folder), `still runs: ${line.replaceAll('\0', ' ')}`);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape, looked into by the asserts.
type Answer = { readonly path: string; readonly body: any };

/** Each call of the tour with what was answered. */
function answersIn(reported: string): Answer[] {
  return [...reported.matchAll(/^ {2}curl .*?"\$U(\S+)".*\n {4}200 (.*)$/gm)].map(
    ([, path = '', body = '']) => ({
      path,
      body: JSON.parse(body),
    }),
  );
}

test('the tour shows a trial, paid months, three failures with a happy end, and a blocked subscription', async () => {
  const tour = takeTour();
  const code = await tour.ended;
  const reported = tour.reported();
  assert.equal(code, 0, reported);
  assert.doesNotMatch(reported, new RegExp(String.fromCharCode(27)), 'colours are for terminals');

  const answers = answersIn(reported);
  const lastCharges = answers.filter(({ body }) => body?.last?.attempt !== undefined).map(({ body }) => body);
  assert.deepEqual(
    lastCharges.map(({ installment, status, last }) => [installment, last.attempt, last.rule, status]),
    [
      [1, 1, 'Paid', 'Paid'],
      [2, 1, 'Paid', 'Paid'],
      [3, 1, 'Retry', 'Opened'],
      [3, 2, 'Retry', 'Opened'],
      [3, 3, 'Retry', 'Opened'],
      [3, 4, 'Paid', 'Paid'],
      [4, 1, 'Paid', 'Paid'],
      [5, 1, 'CardCanceled', 'Denied'],
    ],
  );
  const days = lastCharges
    .filter(({ installment }) => installment === 3)
    .map(({ last }) => Date.parse(`${last.at.slice(0, 10)}T00:00:00Z`) / DAY_MILLISECONDS);
  assert.deepEqual(
    days.slice(1).map((day, index) => day - (days[index] ?? 0)),
    [2, 2, 4],
  );
  const [subscription] = answers.filter(({ body }) => body?.statusReason !== undefined);
  assert.equal(subscription?.body.status, 'Blocked');
  assert.equal(subscription?.body.statusReason, 'CardCanceled');
  await assertGone(reported);
  assertAllNotified(reported, answers);
});

/** Although the endpoint was down when the first was sent. */
function assertAllNotified(reported: string, answers: readonly Answer[]): void {
  const received = [...reported.matchAll(/^ {2}<- .*$/gm)].map(([line]) => line);
  assert.equal(received.filter((line) => line.includes('<- webhook')).length, 8);
  assert.equal(received.filter((line) => line.includes('<- notice')).length, 4);
  assert.ok(
    received.every((line) => line.endsWith('(signature good)')),
    received.join('\n'),
  );
  const missed = Number(/called (\d+) times in vain/.exec(reported)?.[1]);
  assert.ok(missed > 1, `it was called ${missed} times`);
  assert.ok(reported.indexOf('<- ') > reported.indexOf('times in vain'));

  const counted = (status: string) =>
    answers.filter(({ path }) => path.includes(`status=${status}&limit`)).map(({ body }) => body.total);
  assert.deepEqual(counted('Waiting'), [1, 0, 0], 'in the outage, right after it, and at the end');
  assert.deepEqual(counted('Delivered'), [received.length]);
}

test('a tour that is interrupted leaves nothing behind', async () => {
  const tour = takeTour();
  await until('it is under way', async () => tour.reported().includes('homologation/clock'), 120_000);
  tour.process.kill('SIGINT');
  assert.equal(await tour.ended, 130, tour.reported());
  await assertGone(tour.reported());
});
