import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const RUN = fileURLToPath(new URL('run.ts', import.meta.url));

type Lane = {
  readonly suite: string;
  /** Its part of all kills, so that the lanes take about the same time. */
  readonly share: number;
  readonly options: (operations: number) => readonly string[];
};

/** Most of a lane's time is waiting: beside each other they take little more than the longest. */
const LANES: readonly Lane[] = [
  // Every fourth payment of the draw is canceled: a cancel is an operation too.
  {
    suite: 'payments',
    share: 0.6,
    options: (operations) => ['--payments', String(Math.ceil(operations * SHARE_OF_PAYMENTS))],
  },
  { suite: 'recurrence', share: 0.22, options: () => ['--processes', '2', '--billings', '2000'] },
  { suite: 'boletos', share: 0.08, options: () => ['--processes', '2'] },
  { suite: 'webhooks', share: 0.1, options: () => ['--processes', '2'] },
];
const SHARE_OF_PAYMENTS = 0.8;

export type WantedRun = {
  readonly kills: number;
  /** Payments, cancels, charges of billings and calls of merchants, in all suites. */
  readonly operations: number;
  readonly seed: number;
};

/**
 * All suites beside each other, each with its table. Gives the exit code: the worst of theirs, and
 * 1 when too little was done.
 */
export async function runAll(
  { kills, operations, seed }: WantedRun,
  say: (line: string) => void,
): Promise<number> {
  const startedAt = performance.now();
  const runs = await Promise.all(
    LANES.map(async ({ suite, share, options }) => {
      const wanted = ['--kills', String(Math.ceil(kills * share)), '--seed', String(seed)];
      const run = await runLane(suite, [...wanted, ...options(operations)], say);
      say(`\n${suite}, exit code ${run.code}\n\n${run.output.trim()}`);
      return run;
    }),
  );
  const sumOf = (word: string) => runs.reduce((sum, { output }) => sum + countIn(output, word), 0);
  const done = { kills: sumOf('kills'), operations: sumOf('operations'), violations: sumOf('violations') };
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  say(
    `\nall suites: ${done.kills} kills, ${sumOf('other faults')} other faults, ${done.operations} operations, ` +
      `${done.violations} violations, ${minutes} minutes, seed ${seed}`,
  );
  const isEnough = done.kills >= kills && done.operations >= operations;
  if (!isEnough) say(`asked for were ${kills} kills and ${operations} operations`);
  return Math.max(isEnough ? 0 : 1, ...runs.map(({ code }) => code));
}

type LaneRun = { readonly code: number; readonly output: string };

function runLane(suite: string, options: readonly string[], say: (line: string) => void): Promise<LaneRun> {
  const child = spawn(process.execPath, [RUN, suite, ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (text: Buffer) => {
    output += text.toString();
  });
  child.stderr.on('data', (text: Buffer) => {
    for (const line of text.toString().split('\n').filter(Boolean)) say(`${suite}: ${line}`);
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code: code ?? 2, output })));
}

/** From the last line that a suite says. */
function countIn(output: string, word: string): number {
  const last = output.trimEnd().split('\n').at(-1) ?? '';
  return Number(new RegExp(`(\\d+) ${word}\\b`).exec(last)?.[1] ?? 0);
}
