import { randomUUID } from 'node:crypto';
import { openSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Demo } from '../../homologation/create-demo-merchant.ts';
import type { Simulator, StartSimulator } from '../../homologation/start-simulator.ts';
import { ACQUIRER_PROGRAM } from '../../simulators/acquirer/program.ts';
import { BANK_PROGRAM } from '../../simulators/bank/program.ts';
import { CIELO_PROGRAM } from '../../simulators/cielo/program.ts';
import { type LedgerProgram, startLedgerServer } from '../../simulators/kit/ledger-server.ts';
import { readLedgerSettings } from '../../simulators/kit/ledger-settings.ts';
import { PIX_PROGRAM } from '../../simulators/pix/program.ts';
import { REDE_PROGRAM } from '../../simulators/rede/program.ts';
import { readConfiguration } from '../../src/app/config.ts';
import { openApp } from '../../src/app/open-app.ts';
import { start } from '../../src/app/start.ts';
import { type Closing, closeAll } from '../../src/platform/closings.ts';
import { openDrain } from '../../src/platform/http/draining.ts';
import { say } from '../../src/platform/log.ts';
import { type ServiceHere, settingsIn } from './running-service.ts';

const complain = (line: string) => process.stderr.write(`${line}\n`);

/** The service, opened in this process. */
export async function openServiceHere(options: {
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
}): Promise<ServiceHere> {
  const { folder } = options;
  const logPath = join(folder, `log-${randomUUID()}.jsonl`);
  const logTo = openSync(logPath, 'a', 0o600);
  const closings: Closing[] = [];
  const stopping = new AbortController();
  const drain = openDrain();
  const stop = async () => {
    const unclosed: string[] = [];
    stopping.abort();
    drain.begin();
    await closeAll(closings, (line) => {
      unclosed.push(line);
      complain(line);
    });
    return unclosed;
  };
  try {
    const configuration = readConfiguration(settingsIn(folder, options.settings));
    const surroundings = { signal: stopping.signal, drain, logTo, startSimulator: simulatorHere };
    const app = await openApp(configuration, closings, surroundings);
    const { gatewayUrl, integrationUrl, metricsUrl, pixWebhookUrl } = app;
    return {
      gatewayUrl,
      integrationUrl,
      metricsUrl,
      pixWebhookUrl,
      folder,
      log: linesOf(logPath),
      demo: async () => JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8')) as Demo,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * A start that must be refused, as `src/main.ts` makes it, in this process: no setting of the machine reaches
 * it. Gives what was said. Where settings concern Node itself, the real program is started.
 */
export async function startHereInVain(
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly said: string }> {
  const closings: Closing[] = [];
  const stopping = new AbortController();
  const surroundings = { signal: stopping.signal, drain: openDrain(), startSimulator: simulatorHere };
  const log = openSync('/dev/null', 'a');
  const said: string[] = [];
  const { write } = process.stderr;
  process.stderr.write = (text: string | Uint8Array) => said.push(String(text)) > 0;
  try {
    const started = await start({ ...settings }, closings, { ...surroundings, logTo: log });
    stopping.abort();
    await closeAll(closings, say);
    return { code: started === null ? 1 : 0, said: said.join('') };
  } finally {
    process.stderr.write = write;
  }
}

/** Reads the file anew whenever it is looked at, also where the service was spread into another object. */
function linesOf(path: string): readonly string[] {
  return new Proxy<string[]>([], {
    get(_, name) {
      const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
      const value = Reflect.get(lines, name);
      return typeof value === 'function' ? value.bind(lines) : value;
    },
  });
}

const simulatorHere: StartSimulator = ({ program, folder, lateMilliseconds, options = [] }) =>
  openSimulatorHere(program, [
    ...['--data', folder, '--late-milliseconds', String(lateMilliseconds)],
    ...options,
  ]);

type StartHere = {
  readonly options: Parameters<typeof readLedgerSettings>[1];
  start(
    settings: Parameters<typeof startLedgerServer>[1],
    onFailure: (error: Error) => void,
  ): ReturnType<typeof startLedgerServer>;
};

function startHere<B>(program: LedgerProgram<B>): StartHere {
  return {
    options: program.options,
    start: (settings, onFailure) => startLedgerServer(program, settings, onFailure),
  };
}

const START_HERE: Readonly<Record<Parameters<StartSimulator>[0]['program'], StartHere>> = {
  acquirer: startHere(ACQUIRER_PROGRAM),
  bank: startHere(BANK_PROGRAM),
  pix: startHere(PIX_PROGRAM),
  rede: startHere(REDE_PROGRAM),
  cielo: startHere(CIELO_PROGRAM),
};

/** A simulator in this process, with the options of its command line. */
export async function openSimulatorHere(
  program: keyof typeof START_HERE,
  options: readonly string[],
): Promise<Simulator> {
  const here = START_HERE[program];
  const settings = readLedgerSettings(options, here.options);
  if (typeof settings === 'string') throw new Error(settings);
  const onFailure = (error: Error) => complain(`the simulator of the ${program} failed: ${error.stack}`);
  const { port, close } = await here.start(settings, onFailure);
  return { url: `http://127.0.0.1:${port}`, stop: close };
}
