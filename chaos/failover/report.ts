import { CHARGING_WORDS } from '../recurrence/tally.ts';
import { lineOf, PAYMENT_WORDS, tableHead } from '../results.ts';
import type { StrikeResult } from './findings.ts';
import type { FailoverReport } from './run-failover.ts';
import { STRIKES } from './strikes.ts';

const HEAD = [
  'strike',
  'times',
  'away by HAProxy, s',
  'by several hosts, s',
  'longest, s',
  'allowed, s',
  'whole after, s',
];

/** Of each kind of strike the middle and the longest; then what was paid, delivered and charged. */
export function failoverTables({ results, counts, charges }: FailoverReport): string[] {
  const lines = STRIKES.map((strike) => {
    const those = results.filter((result) => result.strike === strike);
    if (those.length === 0) return `| ${strike.name} | ${strike.refusal() ?? 'not asked for'} |`;
    const longest = Math.max(...those.flatMap(({ away }) => away));
    const cells = [
      ...[
        strike.name,
        those.length,
        middleOf(those, ({ away }) => away[0]),
        middleOf(those, ({ away }) => away[1]),
      ],
      ...[seconds(longest), seconds(strike.mostMilliseconds)],
      middleOf(those, ({ wholeMilliseconds }) => wholeMilliseconds),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    `| ${HEAD.join(' | ')} |\n|${' --- |'.repeat(HEAD.length)}`,
    ...lines,
    '',
    tableHead(PAYMENT_WORDS),
    lineOf(counts),
    '',
    tableHead(CHARGING_WORDS),
    lineOf(charges),
  ];
}

function middleOf(results: readonly StrikeResult[], of: (result: StrikeResult) => number): string {
  const sorted = results.map(of).toSorted((one, other) => one - other);
  return seconds(sorted[Math.floor(sorted.length / 2)] ?? 0);
}

const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(1);
