import { SCREENS } from '../../src/console/screens.ts';
import { type Day, instant, saoPauloDay } from '../../src/values/instant.ts';
import { openAuditor } from '../../test/kit/service.ts';
import { openBenchService } from '../bench-service.ts';
import { PAYMENT_KINDS } from '../load/payment-kinds.ts';
import { countWanted } from '../options.ts';
import { printMachine } from '../table.ts';
import { enterConsole } from './enter-console.ts';
import { fillConsole } from './fill-console.ts';
import { measureOperators, OPERATORS } from './operators.ts';
import { printCosts, printScreens } from './report-screens.ts';
import { casesOf } from './screen-cases.ts';
import { COUNTING_SERVER, openStatementCosts } from './statement-costs.ts';
import { type VisitedScreen, visitScreen } from './visit-screens.ts';

const USUAL = { payments: 20_000_000, billings: 5_000_000, merchants: 2_000, beside: 200_000 } as const;

/**
 * Every page of the console over HTTP, of a merchant that owns half of all and of an ordinary one, and of the
 * operator; with `--operators N` what so many who look at pages that read themselves anew cost payments.
 */
export async function benchConsole(): Promise<void> {
  const cases = casesOf(SCREENS);
  const operators = countWanted('operators', OPERATORS);
  const bench = await openBenchService({ serverSettings: COUNTING_SERVER });
  const auditor = openAuditor(bench.server.connection);
  try {
    const now = Date.now();
    await bench.stopServices();
    const startedAt = performance.now();
    const tools = { ...bench.tools, address: bench.server.connection, say: console.error };
    const wanted = {
      payments: countWanted('payments', USUAL.payments),
      billings: countWanted('billings', USUAL.billings),
      merchants: countWanted('merchants', USUAL.merchants),
      beside: countWanted('beside', USUAL.beside),
    };
    const filled = await fillConsole(tools, { ...wanted, now });
    const filling = (performance.now() - startedAt) / 1_000;
    const service = await bench.serviceFor(PAYMENT_KINDS.merchant);
    const visitors = await enterConsole(bench.tools, auditor, service, filled);
    const costs = await openStatementCosts(auditor);
    const visited: VisitedScreen[] = [];
    const today: Day = saoPauloDay(instant(now));
    for (const one of cases) {
      visited.push(await visitScreen(visitors, costs, one, today));
      const { p50, p99 } = visited.at(-1) as VisitedScreen;
      console.error(`${one.title} (${one.owner ?? 'operator'}): ${p50.toFixed(1)} ms, ${p99.toFixed(1)} ms`);
    }
    const { payments, billings, merchants, beside } = wanted;
    const title = `${payments} payments and ${billings} billings, half of one merchant, the others of ${merchants}; ${beside} of the rest`;
    printMachine(bench.postgresVersion, `${title}; filled in ${filling.toFixed(0)} s`);
    printScreens(visited);
    printCosts(visited);
    if (process.argv.includes('--operators')) await measureOperators(bench, service, visitors, operators);
  } finally {
    await auditor.close();
    await bench.close();
  }
}
