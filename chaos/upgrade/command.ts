import { startOwnServer } from '../../test/hostile/own-server.ts';
import { CHARGING_WORDS } from '../recurrence/tally.ts';
import { lineOf, PAYMENT_WORDS, tableHead } from '../results.ts';
import { LAST_RELEASE, whyNoRelease } from './last-release.ts';
import { runUpgrade } from './run-upgrade.ts';

const MOST_WARNINGS = 200;

type Words = { readonly [name in 'rate' | 'seconds' | 'seed']: string } & {
  readonly from?: string | undefined;
};

/** `npm run chaos -- upgrade`; gives the exit code. */
export async function upgradeCommand({ from: commit = LAST_RELEASE, ...values }: Words): Promise<number> {
  const [perSecond = 0, phaseSeconds = 0, seed = 0] = [values.rate, values.seconds, values.seed].map(Number);
  const lack = await whyNoRelease(commit);
  if (lack !== null || !(perSecond > 0 && phaseSeconds > 0 && Number.isSafeInteger(seed))) {
    console.log(`upgrade is skipped: ${lack ?? '--rate and --seconds are numbers above 0'}`);
    return 2;
  }
  const stopServer = await startOwnServer();
  try {
    const say = (line: string) => console.error(line);
    const report = await runUpgrade({ commit, perSecond, phaseSeconds, seed, say });
    const { paid, notified, charged, failures, violations } = report;
    console.log(tableHead(PAYMENT_WORDS));
    for (const result of [paid, notified]) console.log(lineOf(result));
    console.log(`\n${tableHead(CHARGING_WORDS)}\n${lineOf(charged)}`);
    if (failures.length > 0)
      for (const warning of report.warnings.slice(0, MOST_WARNINGS)) console.log(warning);
    for (const failure of failures) console.log(`\nFAILED ${failure}`);
    for (const violation of violations) console.log(`\nVIOLATION (seed ${seed}) ${violation}`);
    const migrations = `${report.migrations.length} migrations in ${report.migrateSeconds.toFixed(1)} s`;
    console.log(
      `\n${migrations}, ${failures.length} requests failed, ${report.putOff} put off, ${violations.length} violations, seed ${seed}`,
    );
    return failures.length + violations.length === 0 ? 0 : 1;
  } finally {
    await stopServer();
  }
}
