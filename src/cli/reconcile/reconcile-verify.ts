import { readFile } from 'node:fs/promises';
import { listAllMerchants, readBusinessClock } from '../../merchants/merchants.sql.ts';
import { newId } from '../../platform/chance.ts';
import { ALWAYS_OPEN } from '../../platform/gate.ts';
import type { Lines } from '../../platform/lines.ts';
import { openFollower } from '../../reconciliation/receivables/open-follower.ts';
import {
  type DayTruth,
  parseReport,
  readSealedReport,
  reportBytes,
} from '../../reconciliation/truth/day-truth.ts';
import {
  type KeptReport,
  listDifferences,
  type OpenDifference,
  readNewestReport,
  readReport,
} from '../../reconciliation/truth/truth-differences.sql.ts';
import { isAtOne, NOTHING_COMPARED, type TruthRun, withTally } from '../../reconciliation/truth/truth-run.ts';
import { verifyMerchant } from '../../reconciliation/truth/verify-due-run.ts';
import type { LeftOutDays } from '../../reconciliation/truth/verify-sums.ts';
import { openWatermark } from '../../transactions/movements/open-watermark.ts';
import { type Day, saoPauloDay } from '../../values/instant.ts';
import { withAcquirers } from '../acquirer-of-command.ts';
import {
  type AuditedCommandTools,
  type Command,
  dayCheck,
  option,
  reaisOf,
  table,
  visible,
} from '../command.ts';

const MOST_SHOWN = 50;
const DAY_SECONDS = 86_400;

export const RECONCILE_VERIFY: Command = {
  words: ['reconcile', 'verify'],
  summary: 'compare books, feed, files and the acquirer’s ledger now, as every night does',
  options: [option('--merchant ID', 'only of this merchant')],
  opens: 'audited',
  async run(given, tools) {
    const { database, report } = tools;
    const wanted = given.one('merchant');
    const all = (await listAllMerchants(database)).map(({ merchantId }) => merchantId);
    const merchants = wanted === null ? all : all.filter((merchantId) => merchantId === wanted);
    if (wanted !== null && merchants.length === 0)
      return { option: '--merchant', message: 'no merchant has this id' };
    const runs: TruthRun[] = [];
    const unverified: string[] = [];
    await verifyAll(tools, merchants, (merchantId, run) => {
      if (run === null) unverified.push(merchantId);
      else runs.push(run);
      report(
        `${visible(merchantId)}: ${run === null ? 'not verified' : `${run.tally.receivables} receivables`}`,
      );
    });
    const differences = await listDifferences(database, wanted, MOST_SHOWN);
    const lines = truthLines(
      runs.map(({ tally }) => tally),
      differences,
    );
    const missed = unverified.map(
      (merchantId) => `${visible(merchantId)} was not verified: its receivables are behind; try again.`,
    );
    return {
      lines: [...lines, ...missed],
      json: {
        runs: runs.map(({ merchantId, day, tally }) => ({ merchantId, day, ...tally })),
        differences,
        unverified,
      },
      isBad: unverified.length > 0 || runs.some(({ tally }) => !isAtOne(tally)),
    };
  },
};

async function verifyAll(
  tools: AuditedCommandTools,
  merchants: readonly string[],
  verified: (merchantId: string, run: TruthRun | null) => void,
): Promise<void> {
  const { database, acquirer: place, report } = tools;
  const clock = await readBusinessClock(database);
  const findWatermark = openWatermark(database);
  const follower = openFollower({ database, gate: ALWAYS_OPEN, findWatermark, observeBatch: () => {} });
  await withAcquirers(tools, async (acquirers) => {
    const budget = { key: newId(), merchants: merchants.length };
    const verifying = {
      database,
      acquirers,
      acquirerTimeoutMilliseconds: place.timeoutMilliseconds,
      isUpToDate: follower.isUpToDate,
      // A running service finds waiting deliveries within a second.
      notifyDeliverer: () => {},
      observeLeftOut: ({ merchantId, summed, days, error }: LeftOutDays) =>
        report(
          `${visible(merchantId)}: sums of ${summed} on ${days[0] ?? 'all days'} left out: ${visible(String(error))}`,
        ),
    };
    for (const merchantId of merchants) {
      const day = saoPauloDay(clock.now(merchantId));
      const run = await verifyMerchant(verifying, { merchantId, day }, budget, (count) =>
        report(`${count} receivables compared`),
      );
      verified(merchantId, run);
    }
  });
}

export function truthLines(
  tallies: readonly TruthRun['tally'][],
  differences: readonly OpenDifference[],
): Lines {
  const all = tallies.reduce(withTally, NOTHING_COMPARED);
  const sums = [
    `compared  ${all.charges} charges and ${all.receivables} receivables of ${tallies.length} merchants, ${reaisOf(all.standing)}`,
    `settled   ${all.settled}: books ${reaisOf(all.settledByBooks)}, feed ${reaisOf(all.settledByFeed)}, ` +
      `files ${reaisOf(all.settledByFiles)} (${reaisOf(all.explained)} of them explained)`,
    `sums      of ${all.days} days${all.daysLeftOut === 0 ? '' : `; ${all.daysLeftOut} could not be read`}`,
    `only in   feed ${all.onlyInFeed}, files ${all.onlyInFiles}`,
    `ledger    ${all.asked} sales asked for${all.isCutShort ? '; it stopped answering' : ''}`,
    all.leftOut > 0 && `          ${all.leftOut} sales that differ were not asked for`,
    all.beyondLookUp > 0 &&
      `          ${all.beyondLookUp} receivables are of sales that it finds no more: not asked`,
  ];
  const counted = Object.entries(all.differences).map(([name, { count, cents }]) => [
    name,
    String(count),
    reaisOf(cents),
  ]);
  if (counted.length === 0)
    return [
      ...sums,
      all.daysLeftOut === 0
        ? 'Nothing differs between them.'
        : `Nothing differs in what was compared; sums of ${all.daysLeftOut} days were not.`,
    ];
  const rows = differences.map((one) => [
    one.class,
    reaisOf(one.amount),
    one.expected ?? '-',
    one.found ?? '-',
    `${Math.floor(one.ageSeconds / DAY_SECONDS)} d`,
    visible(one.merchantId),
    placeOf(one),
  ]);
  return [
    ...sums,
    '',
    ...table(['DIFFERS', 'COUNT', 'MONEY'], counted),
    rows.length > 0 && [
      '',
      ...table(['CLASS', 'BEYOND', 'EXPECTED', 'FOUND', 'AGE', 'MERCHANT', 'OF'], rows),
    ],
  ];
}

function placeOf(one: OpenDifference): string {
  if ('transactionId' in one) return `installment ${one.installmentNumber} of ${one.transactionId}`;
  const account = one.accountNumber === '' ? '' : ` of account ${visible(one.accountNumber)}`;
  return `${one.summed}${account} on ${one.day}: ${one.sum}`;
}

const MOST_FILE_BYTES = 200_000;

export const RECONCILE_TRUTH: readonly Command[] = [
  {
    words: ['reconcile', 'truth-report'],
    summary: 'show what was compared on a day and how much differs, under the seal of that day',
    options: [option('--day DAY', 'as 2026-12-14; default the last that has one', { check: dayCheck })],
    opens: 'database',
    async run(given, { database }) {
      const day = given.one('day') as Day | null;
      const kept = day === null ? await readNewestReport(database) : await readReport(database, day);
      if (kept === null)
        return {
          option: day === null ? null : '--day',
          message:
            day === null
              ? 'there is no report yet: it is made when every merchant was verified on a day'
              : 'there is no report of this day: nothing was verified on it, or not every merchant yet',
        };
      return { lines: [...linesOf(parseReport(kept.report)), sealLine(kept)], json: jsonOf(kept) };
    },
  },
  {
    words: ['reconcile', 'truth-verify'],
    summary: 'check that a file is what truth-report --json printed, and that its seal is ours',
    operand: { name: 'FILE', description: 'the file' },
    opens: 'audited',
    async run(given, { database, keyring }) {
      const path = given.one('FILE') ?? '';
      const text = await readFile(path, 'utf8').catch(() => null);
      if (text === null || Buffer.byteLength(text) > MOST_FILE_BYTES)
        return { option: 'FILE', message: `${JSON.stringify(path)} cannot be read` };
      const found = readSealedReport(text);
      if (found === null)
        return { option: 'FILE', message: `${JSON.stringify(path)} is not what truth-report --json prints` };
      const seal = Buffer.from(found.seal, 'hex');
      if (!(await keyring.checkAuditSeal(found.dataKeyId, reportBytes(found.report), seal))) {
        const message = 'The report is not ours as it is: it was altered, or sealed elsewhere.';
        return { lines: [message], json: { isOurs: false, isKept: false }, isBad: true };
      }
      const truth = parseReport(found.report);
      const isKept = (await readReport(database, truth.day))?.seal === found.seal;
      const lines = [
        ...linesOf(truth),
        isKept
          ? 'The report is ours, and the one that is kept of this day.'
          : 'The report is ours, and not kept in this database: it is of another time of it, or of before a restore.',
      ];
      return { lines, json: { isOurs: true, isKept, ...truth } };
    },
  },
];

const jsonOf = ({ report, dataKeyId, seal }: Pick<KeptReport, 'report' | 'dataKeyId' | 'seal'>) => ({
  report,
  dataKeyId,
  seal,
});

function sealLine({ dataKeyId, seal }: Pick<KeptReport, 'dataKeyId' | 'seal'>): string {
  return `sealed    under audit key ${dataKeyId}: ${seal}`;
}

function linesOf(truth: DayTruth): Lines {
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
    counted.length > 0 && ['', ...table(['DIFFERS', 'COUNT', 'MONEY'], counted), ''],
  ];
}
