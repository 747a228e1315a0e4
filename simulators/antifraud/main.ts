import type { AddressInfo } from 'node:net';
import { whenParentEnds } from '../kit/command-line.ts';
import { Decisions } from './decisions.ts';
import { antiFraudServer } from './server.ts';
import { readSettings, type Settings } from './settings.ts';

const settings = readSettings(process.argv.slice(2));
if (typeof settings === 'string') fail(settings);
else start(settings);

function start({ port, host, token, exitWithParent }: Settings): void {
  const stop = (): void => process.exit(0);
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  if (exitWithParent) whenParentEnds(stop);
  const server = antiFraudServer(new Decisions(), token);
  server.once('error', (error) => fail(`cannot listen on ${host}:${port}: ${error.message}`));
  server.listen(port, host, () => {
    process.stdout.write(
      `${JSON.stringify({ ready: true, port: (server.address() as AddressInfo).port })}\n`,
    );
  });
}

function fail(sentence: string): never {
  process.stderr.write(`parcela-antifraud-simulator: ${sentence}\n`);
  process.exit(1);
}
