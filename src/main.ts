import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Configuration, readConfiguration } from './app/config.ts';
import { say } from './app/infrastructure.ts';
import { type App, openApp } from './app/open-app.ts';
import { type Closing, closeAll } from './platform/closings.ts';
import { type Drain, openDrain } from './platform/http/draining.ts';
import { nodeFault } from './platform/node-version.ts';
import { type StopSignals, stopSignals } from './platform/stop-signals.ts';

const STOP_MILLISECONDS = 25_000;

/** The faults that a person can mend from the message alone are printed without a stack. */
const PLAIN_FAULTS = [
  'ConfigurationFault',
  'DataFolderInUse',
  'DataFolderUnusable',
  'KeysUnusable',
  'MigrationRefused',
  'AcquirerUnfit',
  'ProviderUnfit',
  'ChannelUnusable',
];

const LISTEN_FAULTS = ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND'];

function printFault(error: unknown): void {
  if (!(error instanceof Error)) throw error;
  const code = (error as NodeJS.ErrnoException).code;
  if (LISTEN_FAULTS.includes(code ?? '')) {
    say(`Parcela does not start: ${error.message}; see PARCELA_HOST, PARCELA_PORT and PARCELA_METRICS_PORT`);
  } else if (PLAIN_FAULTS.includes(error.name)) say(`Parcela does not start:\n${error.message}`);
  else say(`Parcela does not start: ${error.stack}`);
}

/**
 * Node opens its inspector, which reads the memory with all card numbers in it, at this signal.
 * `npm start` takes that away with --disable-sigusr1, from the first moment on; a start without it
 * is left to this.
 */
function refuseInspector(): void {
  process.on('SIGUSR1', () => say('SIGUSR1: the inspector stays closed.'));
}

async function run(): Promise<number> {
  const unfit = nodeFault();
  if (unfit !== null) {
    say(unfit);
    return 1;
  }
  refuseInspector();
  const signals = stopSignals();
  const signal = signals.next();
  const drain = openDrain();
  const closings: Closing[] = [];
  const stopping = new AbortController();
  void signal.then(() => stopping.abort());
  try {
    const configuration = readConfiguration(process.env);
    for (const warning of configuration.warnings) say(`Warning: ${warning}`);
    const opening = openApp(configuration, closings, { signal: stopping.signal, drain });
    const app = await Promise.race([opening, signal]);
    if (typeof app === 'string') {
      // Half open is closed too, once it is known what was opened.
      await opening.catch(() => {});
      await closeAll(closings, say);
      return 0;
    }
    printBanner(configuration, app);
    const reason = await Promise.race([signal, app.broken]);
    const isOrdered = reason.startsWith('SIG');
    if (isOrdered) await drainFirst(configuration.drainSeconds, drain, signals, app.broken);
    else say(`Parcela stops. ${reason}`);
    endAnyway(signals);
    await closeAll(closings, say);
    return isOrdered ? 0 : 1;
  } catch (error) {
    printFault(error);
    await closeAll(closings, say);
    return 1;
  }
}

/**
 * Stays open for a while, so that proxies have seen that we are not ready before the doors close; a
 * second signal ends that.
 */
async function drainFirst(seconds: number, drain: Drain, signals: StopSignals, broken: Promise<string>) {
  const again = signals.next();
  drain.begin();
  if (seconds > 0) {
    say(`Stopping in ${seconds} s: no longer ready, still serving. Another signal closes at once.`);
    await Promise.race([sleep(seconds * 1_000, undefined, { ref: false }), again, broken]);
  }
  say('Stopping: requests under way are finished first.');
}

/** Closing ends by itself, unless something hangs or somebody does not want to wait. */
function endAnyway(signals: StopSignals): void {
  const end = (why: string) => {
    say(`${why}; what was under way will be settled at the next start.`);
    process.exit(1);
  };
  setTimeout(() => end('Stopping took too long'), STOP_MILLISECONDS).unref();
  void signals.next().then(() => end('Stopped at once'));
}

function printBanner(configuration: Configuration, app: App): void {
  say('');
  say(`Parcela is ready (${configuration.environment}).`);
  const origin = app.gatewayUrl.slice(0, app.gatewayUrl.length - configuration.gateway.prefix.length);
  if (configuration.roles.includes('http')) {
    say(`  Gateway API  ${app.gatewayUrl}`);
    say(`  Other APIs   ${app.integrationUrl}`);
    if (configuration.servesDocuments) say(`  Reference    ${origin}/docs`);
  } else {
    say(`  Roles        ${configuration.roles.join(', ')}`);
    say(`  Health       ${origin}/health/ready`);
  }
  if (app.consoleUrl !== null) say(`  Console      ${app.consoleUrl}`);
  if (app.signInUrl !== null) say(`  Sign in      ${app.signInUrl} (once, for a day)`);
  say(`  Metrics      ${app.metricsUrl}`);
  if (app.demoFile !== null && existsSync(app.demoFile)) {
    say(`  Demo logins  ${app.demoFile}`);
    say('Next: a first payment in five steps, in README.md.');
  }
}

process.exitCode = await run();
process.exit();
