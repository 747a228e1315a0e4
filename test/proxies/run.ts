import { parseArgs } from 'node:util';
import { skipWithout } from '../../tools/test-programs.ts';
import { startOwnServer } from '../hostile/own-server.ts';
import { PROXY_NAMES } from './proxies.ts';
import { restartInTurn } from './rolling.ts';

const HELP = `npm run proxies -- rolling [--restarts 20] [--per-second 20] [--drain-seconds 5]

rolling: two processes behind each proxy, with the configuration in docs/proxy, are restarted in turn while payments come in.
The exit code is 1 when any request failed.
`;

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
  if (command === 'rolling')
    return rolling(Number(values.restarts), Number(values['per-second']), Number(values['drain-seconds']));
  console.log(HELP);
  return 1;
}

process.exitCode = await main();
