import { readFile } from 'node:fs/promises';
import {
  type DayTruth,
  parseReport,
  readSealedReport,
  reportBytes,
} from '../../reconciliation/truth/day-truth.ts';
import {
  type KeptReport,
  readNewestReport,
  readReport,
} from '../../reconciliation/truth/truth-reports.sql.ts';
import { type Day, isDay } from '../../values/instant.ts';
import {
  type AuditedCommandTools,
  type Command,
  type CommandOutcome,
  type CommandTools,
  type GivenOptions,
  table,
} from '../command.ts';
import { reaisOf } from '../reais-text.ts';

const MOST_FILE_BYTES = 200_000;

/** The sealed report of a day, and whether a file is one. */
export const RECONCILE_TRUTH: readonly Command[] = [
  {
    words: ['reconcile', 'truth-report'],
    summary: 'show what was compared on a day and how much differs, under the seal of that day',
    options: [
      {
        name: 'day',
        value: 'DAY',
        description: 'as 2026-12-14; default the last that has one',
        check: (value) => (isDay(value) ? null : 'must be a day such as 2026-12-14'),
      },
    ],
    opens: 'database',
    run: runReport,
  },
  {
    words: ['reconcile', 'truth-verify'],
    summary: 'check that a file is what truth-report --json printed, and that its seal is ours',
    operand: { name: 'FILE', description: 'the file' },
    options: [],
    opens: 'audited',
    run: runVerify,
  },
];

async function runReport(given: GivenOptions, { database }: CommandTools): Promise<CommandOutcome> {
  const day = given.one('day') as Day | null;
  const kept = day === null ? await readNewestReport(database) : await readReport(database, day);
  if (kept === null)
    return {
      ok: false,
      option: day === null ? null : '--day',
      message:
        day === null
          ? 'there is no report yet: it is made when every merchant was verified on a day'
          : 'there is no report of this day: nothing was verified on it, or not every merchant yet',
    };
  return { ok: true, lines: [...linesOf(parseReport(kept.report)), sealLine(kept)], json: jsonOf(kept) };
}

const jsonOf = ({ report, dataKeyId, seal }: Pick<KeptReport, 'report' | 'dataKeyId' | 'seal'>) => ({
  report,
  dataKeyId,
  seal,
});

function sealLine({ dataKeyId, seal }: Pick<KeptReport, 'dataKeyId' | 'seal'>): string {
  return `sealed    under audit key ${dataKeyId}: ${seal}`;
}

function linesOf(truth: DayTruth): string[] {
  const { day, environment, merchants, unverified, charges, receivables, differing, differences } = truth;
  const counted = Object.entries(differences).map(([name, { count, cents }]) => [
    name,
    String(count),
    reaisOf(cents),
  ]);
  return [
    `${day} (${environment}): ${charges} charges checked, ${differing} differ`,
    `merchants ${merchants - unverified} of ${merchants} were verified on this day`,
    `compared  ${charges} charges with their movements, ${receivables} receivables with feed and files`,
    `sums      of ${truth.days} days; ${truth.daysLeftOut} could not be read`,
    `ledger    ${truth.asked} sales asked for${truth.isCutShort ? '; it stopped answering' : ''}, ` +
      `${truth.leftOut} that differ were not, ${truth.beyondLookUp} are too old for it`,
    ...(counted.length === 0 ? [] : ['', ...table(['DIFFERS', 'COUNT', 'MONEY'], counted), '']),
  ];
}

async function runVerify(
  given: GivenOptions,
  { database, keyring }: AuditedCommandTools,
): Promise<CommandOutcome> {
  const path = given.one('FILE') ?? '';
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null || Buffer.byteLength(text) > MOST_FILE_BYTES)
    return { ok: false, option: 'FILE', message: `${JSON.stringify(path)} cannot be read` };
  const found = readSealedReport(text);
  if (found === null)
    return {
      ok: false,
      option: 'FILE',
      message: `${JSON.stringify(path)} is not what truth-report --json prints`,
    };
  const seal = Buffer.from(found.seal, 'hex');
  if (!(await keyring.checkAuditSeal(found.dataKeyId, reportBytes(found.report), seal))) {
    const message = 'The report is not ours as it is: it was altered, or sealed elsewhere.';
    return { ok: true, lines: [message], json: { isOurs: false, isKept: false }, isBad: true };
  }
  const truth = parseReport(found.report);
  const isKept = (await readReport(database, truth.day))?.seal === found.seal;
  const lines = [
    ...linesOf(truth),
    isKept
      ? 'The report is ours, and the one that is kept of this day.'
      : 'The report is ours, and not kept in this database: it is of another time of it, or of before a restore.',
  ];
  return { ok: true, lines, json: { isOurs: true, isKept, ...truth } };
}
