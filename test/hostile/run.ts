import { parseArgs } from 'node:util';
import { type AttackReport, attack, seedFrom } from './attack.ts';
import { openHostileService, REQUESTS_ALONE } from './hostile-service.ts';
import { startOwnServer } from './own-server.ts';
import { hangUp } from './wire.ts';

const HELP = `npm run hostile -- [--cases 100000] [--seed N] [--only NUMBER] [--at-once 8]

Attacks a service of its own with hostile requests, made from the contract by a seed (or HOSTILE_SEED). --only sends one
case of a seed again. The exit code is 1 when any answer was wrong.
`;

/** Another one in each run: it is printed. */
const ANY_SEED = Math.floor(Math.random() * 0x7fffffff);

/** Counts by name, the most frequent first. */
function counted(counts: ReadonlyMap<string | number, number>): string {
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return sorted.map(([name, count]) => `  ${String(count).padStart(8)}  ${name}`).join('\n');
}

function print(report: AttackReport, seed: number, seconds: number): void {
  const cases = [...report.byEndpoint.values()].reduce((sum, count) => sum + count, 0);
  console.log(`${cases} cases of seed ${seed} in ${seconds.toFixed(0)} s`);
  console.log(`by endpoint:\n${counted(report.byEndpoint)}\nby status:\n${counted(report.byStatus)}`);
  console.log(`${report.violations.length} violations`);
  for (const violation of report.violations) console.log(`- ${violation}`);
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string', default: '100000' },
      seed: { type: 'string' },
      only: { type: 'string' },
      'at-once': { type: 'string', default: '8' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const seed = seedFrom({ HOSTILE_SEED: values.seed ?? process.env.HOSTILE_SEED }, ANY_SEED);
  console.log(`seed ${seed}`);
  const cases =
    values.only === undefined
      ? Array.from({ length: Number(values.cases) }, (_, number) => number)
      : [Number(values.only)];
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stopping.abort());
  const { signal } = stopping;
  const stopServer = await startOwnServer();
  try {
    const service = await openHostileService(REQUESTS_ALONE);
    try {
      const startedAt = performance.now();
      const report = await attack(service, { seed, cases, atOnce: Number(values['at-once']), signal });
      print(report, seed, (performance.now() - startedAt) / 1_000);
      return report.violations.length > 0 ? 1 : 0;
    } finally {
      hangUp();
      await service.close();
    }
  } finally {
    await stopServer();
  }
}

process.exitCode = await main();
