import type { DayCause } from '../reconciliation/reports/day-report.ts';
import {
  type DayReport,
  type NamedDifference,
  readDayReport,
} from '../reconciliation/reports/read-day-report.ts';
import { listDifferences } from '../reconciliation/truth/truth-differences.sql.ts';
import { readNewestRuns } from '../reconciliation/truth/truth-runs.sql.ts';
import { type Day, isDay } from '../values/instant.ts';
import {
  type Command,
  type CommandOutcome,
  type CommandTools,
  type GivenOptions,
  table,
  visible,
} from './command.ts';
import { reaisOf } from './reais-text.ts';
import { truthLines } from './truth/reconcile-verify.ts';

export const RECONCILE_REPORT: Command = {
  words: ['reconcile', 'report'],
  summary: 'show what was expected on a day, what came, and by name every cent between',
  options: [
    {
      name: 'day',
      value: 'DAY',
      description: 'of the bank, as 2026-12-14',
      isRequired: true,
      check: (value) => (isDay(value) ? null : 'must be a day such as 2026-12-14'),
    },
    { name: 'merchant', value: 'ID', description: 'only of this merchant' },
  ],
  opens: 'database',
  run: runReport,
};

const MOST_DIFFERENCES = 50;

const CAUSES = {
  notInFile: 'no file pays it',
  notInParcela: 'paid for a sale that is not known',
  amountDiffers: 'the amount differs',
  feeDiffers: 'the fee differs',
  dateDiffers: 'came, or was expected, on another day',
  duplicateInFile: 'paid twice',
  cancellationUnknown: 'canceled in a file, and not known',
  chargebackUnknown: 'charged back in a file, and not known',
  heldByPledge: 'paid to the holder of a pledge',
  unknownCode: 'under a code that the layout does not know',
  unexpectedPayment: 'paid for a boleto, and not expected',
  notYetFiled: 'no file of the day has come',
  anticipated: 'came earlier, for a fee',
  anticipationFee: 'the fee for coming earlier',
  rounding: 'cents of rounding',
  canceled: 'canceled',
  chargedBack: 'charged back',
  adjustment: 'credits and debits of no sale',
  unexplained: 'no rule has a name for it',
} as const satisfies Record<DayCause, string>;

async function runReport(given: GivenOptions, { database, report }: CommandTools): Promise<CommandOutcome> {
  const day = (given.one('day') ?? '') as Day;
  const merchantId = given.one('merchant');
  const found = await readDayReport(
    { database, report: (count) => report(`${count} installments read`) },
    { day, merchantId },
  );
  const runs = await readNewestRuns(database, merchantId);
  const differences = await listDifferences(database, merchantId, MOST_DIFFERENCES);
  const days = runs.map((run) => run.day).sort();
  const verified =
    runs.length === 0
      ? ['Books, feed, files and ledger were not compared yet: see reconcile verify.']
      : [
          `Books, feed, files and ledger, as compared last (${days[0]} to ${days.at(-1)}):`,
          ...truthLines(runs, differences),
        ];
  return {
    ok: true,
    lines: [...linesOf(found), '', ...verified],
    json: { ...found, truth: { runs, differences } },
  };
}

function linesOf({
  day,
  merchantId,
  expected,
  received,
  fees,
  lines: count,
  causes,
  largest,
}: DayReport): string[] {
  const missing = expected - received;
  const of = merchantId === null ? '' : ` of ${visible(merchantId)}`;
  const sums = [
    `${day}${of}: ${count} installments and lines`,
    `expected  ${reaisOf(expected)}`,
    `received  ${reaisOf(received)} (fees ${reaisOf(fees)})`,
    `missing   ${reaisOf(missing)}`,
  ];
  if (causes.length === 0) return [...sums, 'Nothing differs.'];
  const rows = causes.map((each) => [
    reaisOf(each.amount),
    String(each.count),
    each.cause,
    CAUSES[each.cause],
  ]);
  const shown = largest.filter(({ cause }) => cause !== 'rounding');
  const details = shown.map((each) => [
    reaisOf(each.amount),
    each.cause,
    each.exceptionId ?? '-',
    ...placeOf(each.of),
  ]);
  return [
    ...sums,
    '',
    ...table(['MISSING', 'COUNT', 'CAUSE', ''], rows),
    ...(details.length === 0
      ? []
      : ['', ...table(['MISSING', 'CAUSE', 'EXCEPTION', 'MERCHANT', 'OF'], details)]),
  ];
}

function placeOf(of: NamedDifference['of']): [merchant: string, place: string] {
  return 'lineNumber' in of
    ? ['-', `line ${of.lineNumber} of file ${of.fileNumber}`]
    : [visible(of.merchantId), `installment ${of.installmentNumber} of ${of.transactionId}`];
}
