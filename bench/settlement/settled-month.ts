import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { saoPauloDayOf } from '../../simulators/kit/days.ts';
import { programOf } from '../../src/platform/home.ts';
import { keyFileIn } from '../../test/kit/keys.ts';
import { type Auditor, cleanEnvironment, databaseUrl, openAuditor, until } from '../../test/kit/service.ts';
import { type BenchService, openBenchService } from '../bench-service.ts';
import { PAYMENT_KINDS } from '../load/payment-kinds.ts';
import { countWanted } from '../options.ts';
import { printMachine, printTable } from '../table.ts';
import { type ReadSheets, readSheets } from './day-sheets.ts';
import { type ExplainedMonth, explainMonth } from './explain-month.ts';
import { loadMonth } from './load-month.ts';
import { type Month, playMonth, type WantedMonth } from './month.ts';
import { writeMonthFiles } from './month-files.ts';

const PARCELA = programOf('src/cli/parcela.ts');
const PAYMENTS = 200_000;
const DAY = 86_400_000;
/** Midnight in São Paulo, long ago: all payouts are over. */
const FROM = Date.parse('2025-03-03T03:00:00Z');
/** Each has an acquirer of its own. */
const SHOPS = [
  { merchantId: '01700555550101', formats: ['adiq'] },
  { merchantId: '01700555550102', formats: ['cielo04'] },
  { merchantId: '01700555550103', formats: ['redeEevc', 'redeEefi'] },
] as const;
const FILES_A_COMMAND = 100;
const LONGEST_MILLISECONDS = 3_600_000;

/**
 * A month of payments, with cancels, chargebacks, splits, anticipations and a change of fees in its
 * middle: the acquirer's ledger, its files of every day, and the books are held against one another
 * to the cent.
 */
export async function benchSettlement(): Promise<void> {
  const bench = await openBenchService();
  const auditor = openAuditor(bench.server.connection);
  try {
    await bench.stopServices();
    const payments = countWanted('payments', PAYMENTS);
    const merchants = SHOPS.map(({ merchantId }) => merchantId);
    const batchedMerchant = SHOPS[2].merchantId;
    const wanted = {
      merchants,
      batchedMerchant,
      payments,
      from: FROM,
      feesChangeAt: FROM + 15 * DAY,
      seed: 18,
    };
    const month = playMonth(wanted);
    say(`${month.charges.inOrder.length} sales, ${month.charges.changesOf(null).length} changes since`);
    await follow(bench, auditor, wanted, month);
    const folder = join(bench.folder, 'files');
    await mkdir(folder);
    const paths = await writeMonthFiles(month, SHOPS, folder, saoPauloDayOf(FROM));
    say(`${paths.length} files are written`);
    const startedAt = performance.now();
    await takeFiles(bench, paths);
    await arrives(auditor, 'all files are matched', MATCHED, paths.length);
    const seconds = (performance.now() - startedAt) / 1_000;
    await arrives(auditor, 'what is missing was looked for', NOT_LOOKED, 0);
    const explained = await explainMonth(auditor, month, batchedMerchant);
    say('payouts and debits are compared');
    printExplained(explained, await readSheets(bench.tools.database, month), month, seconds);
    printMachine(bench.postgresVersion, `${payments} payments, ${paths.length} files`);
  } finally {
    await auditor.close();
    await bench.close();
  }
}

const RECEIVABLES = 'select count(*)::int as count from receivables';
const MATCHED =
  'select count(*)::int as count from settlement_files where taken_at is not null and matched_at is not null';
const NOT_LOOKED =
  "select count(*)::int as count from settlement_coverages where looked_to < covered_to - interval '2 days'";

/** Writes the books, and waits until a service has made the receivables of them. */
async function follow(
  bench: BenchService,
  auditor: Auditor,
  wanted: WantedMonth,
  month: Month,
): Promise<void> {
  await loadMonth({ ...bench.tools, address: bench.server.connection }, wanted, month);
  say('the books are written');
  await bench.serviceFor(PAYMENT_KINDS.token);
  const expected = month.charges.inOrder.reduce((sum, { installments }) => sum + installments, 0);
  await arrives(auditor, 'all receivables are there', RECEIVABLES, expected);
  say(`${expected} receivables`);
}

/** By the command of the operator. */
async function takeFiles({ server, folder }: BenchService, paths: readonly string[]): Promise<void> {
  const settings = { DATABASE_URL: databaseUrl(server.connection), PARCELA_KEY_FILE: keyFileIn(folder) };
  for (let first = 0; first < paths.length; first += FILES_A_COMMAND) {
    const words = ['reconcile', 'import', ...paths.slice(first, first + FILES_A_COMMAND)];
    const child = spawn(process.execPath, [...PARCELA, ...words], {
      env: cleanEnvironment(settings),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`parcela reconcile import ended with ${code}: ${printed}`);
    say(`${Math.min(first + FILES_A_COMMAND, paths.length)} files are taken`);
  }
}

function arrives(auditor: Auditor, what: string, query: string, wanted: number): Promise<true> {
  const look = async () => (await auditor.query(query))[0]?.count === wanted;
  return until(what, look, LONGEST_MILLISECONDS);
}

function printExplained(
  explained: ExplainedMonth,
  sheets: ReadSheets,
  { charges }: Month,
  seconds: number,
): void {
  const { paid, paidNet, exceptions, otherThanLedger, takenOtherwise, open, unnoticed } = explained;
  const differing = otherThanLedger + takenOtherwise + sheets.otherThanLedger;
  printTable(
    ['exception', 'state', 'explained by', 'count', 'R$'],
    exceptions.map((row) => [row.class, row.state, row.explanation ?? '', row.count, reais(row.cents)]),
  );
  printTable(
    ['', ''],
    [
      ['sales', charges.inOrder.length],
      ['payouts', paid],
      ['paid, R$', reais(paidNet)],
      ['files taken and matched, s', Math.round(seconds)],
      ['payouts of files and ledger differ by, R$', reais(otherThanLedger)],
      ['debits of files and ledger differ by, R$', reais(takenOtherwise)],
      ['received by the sheets of all days, R$', reais(sheets.received)],
      ['sheets of days and ledger differ by, R$', reais(sheets.otherThanLedger)],
      ['without a name in the sheets, R$', reais(sheets.unexplained)],
      ['open exceptions, R$', reais(open)],
      ['differences without an exception, R$', reais(unnoticed)],
      ['unexplained, R$', reais(differing + sheets.unexplained + open + unnoticed)],
    ],
  );
}

function reais(cents: number): string {
  return (cents / 100).toFixed(2);
}

const STARTED_AT = performance.now();

function say(sentence: string): void {
  console.error(`${Math.round((performance.now() - STARTED_AT) / 1_000)} s: ${sentence}`);
}
