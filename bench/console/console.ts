import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Day, instant, saoPauloDay } from '../../src/values/instant.ts';
import { openAuditor } from '../../test/kit/service.ts';
import { ALL_SCREENS } from '../../tools/console-pages.ts';
import { type BenchService, openBenchService } from '../bench-service.ts';
import { PAYMENT_KINDS } from '../load/payment-kinds.ts';
import { countWanted, textWanted } from '../options.ts';
import { printMachine } from '../table.ts';
import { enterConsole } from './enter-console.ts';
import { type Filled, fillConsole, type WantedConsole } from './fill-console.ts';
import { measureOperators, OPERATORS } from './operators.ts';
import { printCosts, printScreens } from './report-screens.ts';
import { casesOf } from './screen-cases.ts';
import { COUNTING_SERVER, openStatementCosts } from './statement-costs.ts';
import { type VisitedScreen, visitScreen } from './visit-screens.ts';

const USUAL = { payments: 20_000_000, billings: 5_000_000, merchants: 2_000, beside: 200_000 } as const;

/**
 * Every page of the console over HTTP, of a merchant that owns half of all and of an ordinary one, and of the
 * operator; with `--operators N` what so many who look at pages that read themselves anew cost payments.
 * `--keep FOLDER` leaves the database there, and the next run takes it as it is.
 */
export async function benchConsole(): Promise<void> {
  const cases = casesOf(ALL_SCREENS);
  const operators = countWanted('operators', OPERATORS);
  const bench = await openBenchService({ serverSettings: COUNTING_SERVER, keptFolder: textWanted('keep') });
  const auditor = openAuditor(bench.server.connection);
  try {
    const now = Date.now();
    await bench.stopServices();
    const wanted = {
      payments: countWanted('payments', USUAL.payments),
      billings: countWanted('billings', USUAL.billings),
      merchants: countWanted('merchants', USUAL.merchants),
      beside: countWanted('beside', USUAL.beside),
    };
    const filled = await filledIn(bench, { ...wanted, now });
    const service = await bench.serviceFor(PAYMENT_KINDS.merchant);
    const visitors = await enterConsole(bench.tools, auditor, service, filled);
    const costs = await openStatementCosts(auditor);
    const visited: VisitedScreen[] = [];
    const unanswered: string[] = [];
    const today: Day = saoPauloDay(instant(now));
    for (const one of cases) {
      const title = `${one.title} (${one.owner ?? 'operator'})`;
      try {
        const screen = await visitScreen(visitors, costs, one, today);
        visited.push(screen);
        console.error(`${title}: ${screen.p50.toFixed(1)} ms, ${screen.p99.toFixed(1)} ms`);
      } catch (error) {
        const [reason] = String(error).split('\n');
        unanswered.push(`${title}: ${reason}`);
        console.error(unanswered.at(-1));
      }
    }
    const { payments, billings, merchants, beside } = wanted;
    const title = `${payments} payments and ${billings} billings, half of one merchant, the others of ${merchants}; ${beside} of the rest`;
    printMachine(bench.postgresVersion, `${title}; filled in ${filled.seconds.toFixed(0)} s`);
    printScreens(visited);
    for (const one of unanswered) console.log(`Not answered: ${one}`);
    printCosts(visited);
    if (process.argv.includes('--operators')) await measureOperators(bench, service, visitors, operators);
  } finally {
    await auditor.close();
    await bench.close();
  }
}

type KeptFill = Filled & { readonly wanted: string; readonly seconds: number };

/** What an earlier run has kept, or else a new filling. One of another size is refused. */
async function filledIn(bench: BenchService, { now, ...wanted }: WantedConsole): Promise<KeptFill> {
  const file = join(bench.folder, 'filled.json');
  const sizes = JSON.stringify(wanted);
  const text = await readFile(file, 'utf8').catch(() => null);
  const kept = text === null ? null : (JSON.parse(text) as KeptFill);
  if (kept !== null && kept.wanted !== sizes)
    throw new Error(`${file} is of ${kept.wanted}, not of ${sizes}`);
  if (kept !== null) return kept;
  const startedAt = performance.now();
  const tools = { ...bench.tools, address: bench.server.connection, say: console.error };
  const filled = await fillConsole(tools, { ...wanted, now });
  const seconds = (performance.now() - startedAt) / 1_000;
  const done = { ...filled, wanted: sizes, seconds };
  await writeFile(file, JSON.stringify(done));
  return done;
}
