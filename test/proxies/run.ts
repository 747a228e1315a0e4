import { parseArgs } from 'node:util';
import { installFromDebian } from '../../tools/install-from-debian.ts';
import { startOwnServer } from '../hostile/own-server.ts';
import { skipWithoutPromtool } from '../monitoring/promtool.ts';
import { PROXY_NAMES, skipWithout } from './proxies.ts';
import { restartInTurn } from './rolling.ts';

const HELP = `npm run proxies -- install
npm run proxies -- rolling [--restarts 20] [--per-second 20] [--drain-seconds 5]

install: HAProxy, nginx, PgBouncer and promtool (of Prometheus) from Debian, where apt-get may (Debian may start them: the tests need none running). Tests that
need what is missing are skipped by name.
rolling: two processes behind each proxy, with the configuration in docs/proxy, are restarted in turn while payments come in.
The exit code is 1 when any request failed.
`;

/** What tests run in front of Parcela, and before its database. */
const PEERS = [
  ...([...PROXY_NAMES, 'pgbouncer'] as const).map((name) => ({
    name,
    package: name,
    isThere: () => skipWithout(name) === false,
  })),
  // It looks at the alert rules.
  { name: 'promtool', package: 'prometheus', isThere: () => skipWithoutPromtool() === false },
];

const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stopping.abort());

async function rolling(restarts: number, perSecond: number, drainSeconds: number): Promise<number> {
  const stopServer = await startOwnServer();
  let failed = 0;
  try {
    for (const name of PROXY_NAMES) {
      if (stopping.signal.aborted) return 1;
      const lack = skipWithout(name);
      if (lack !== false) {
        console.log(lack);
        failed += 1;
        continue;
      }
      const report = await restartInTurn(name, {
        restarts,
        perSecond,
        drainSeconds,
        signal: stopping.signal,
        onRestart: (done, payments) => console.log(`${name}: ${done} restarts, ${payments} payments`),
      });
      const { payments, requests, failures, approved } = report;
      console.log(
        `${name}: ${restarts} restarts, ${payments} payments, ${approved} approved, ${requests} requests, ${failures.length} failed`,
      );
      for (const failure of failures) console.log(`- ${failure}`);
      if (failures.length > 0 || approved !== payments) failed += 1;
    }
  } finally {
    await stopServer();
  }
  return failed === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      restarts: { type: 'string', default: '20' },
      'per-second': { type: 'string', default: '20' },
      'drain-seconds': { type: 'string', default: '5' },
    },
  });
  const [command] = positionals;
  if (command === 'install') return installFromDebian(PEERS);
  if (command === 'rolling')
    return rolling(Number(values.restarts), Number(values['per-second']), Number(values['drain-seconds']));
  console.log(HELP);
  return 1;
}

process.exitCode = await main();
