import { p99Of, percentileOf } from './judge.ts';
import type { AttackResult } from './run-crowd.ts';

const HEAD = [
  ...['attack', 'times', 'requests', 'connections', 'ended', 'answered', 'payments', 'not 200'],
  ...['other calls', 'not 200', 'health', 'not 200', 'slowest health, ms'],
  ...['p50, ms', 'p99, ms', 'p99 without, ms', 'ratio', 'CPU of the service, s', 'violations', 'seconds'],
];

/** One line for each attack: what the attacker did and was answered, and what the others noticed of it. */
export function crowdTable(results: readonly AttackResult[]): string[] {
  return [
    `| ${HEAD.join(' | ')} |`,
    `|${' --- |'.repeat(HEAD.length)}`,
    ...results.map((result) => `| ${cellsOf(result).join(' | ')} |`),
  ];
}

function cellsOf(result: AttackResult): (string | number)[] {
  const { attack, tally, under, before, violations, undecided, seconds, cpuSeconds } = result;
  const { payments, errands, health } = under;
  const wrong = (answers: typeof payments) => answers.filter(({ status }) => status !== 200).length;
  const answered = Object.entries(tally.answers).map(([status, count]) => `${count} × ${status}`);
  const usual = before === null ? null : p99Of(before);
  return [
    ...[attack.name, 1, tally.sent, tally.opened, tally.ended, answered.join(', ')],
    ...[payments.length, wrong(payments), errands.length, wrong(errands), health.length, wrong(health)],
    percentileOf(health, 1).toFixed(0),
    percentileOf(payments, 0.5).toFixed(1),
    p99Of(under).toFixed(1),
    usual === null ? '' : usual.toFixed(1),
    usual === null ? '' : (p99Of(under) / usual).toFixed(1),
    cpuSeconds.toFixed(1),
    undecided.length > 0 ? 'undecided' : violations.length,
    Math.round(seconds),
  ];
}
