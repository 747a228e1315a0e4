import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Configuration } from './app/config.ts';
import type { App } from './app/open-app.ts';
import { start } from './app/start.ts';
import { type Closing, closeAll } from './platform/closings.ts';
import { type Drain, openDrain } from './platform/http/draining.ts';
import { faultText, isForPrograms, say, sayWarning } from './platform/log.ts';
import { nodeFault } from './platform/node-version.ts';
import { type StopSignals, stopSignals } from './platform/stop-signals.ts';

const STOP_MILLISECONDS = 25_000;

/**
 * Node opens its inspector, which reads the memory with all card numbers in it, at this signal.
 * `npm start` takes that away with --disable-sigusr1, from the first moment on; a start without it
 * is left to this.
 */
function refuseInspector(): void {
  process.on('SIGUSR1', () => say('SIGUSR1: the inspector stays closed.'));
}

/** What nobody caught ends the process, with its log written out. Another fault meanwhile changes nothing. */
function endOnFault(closings: readonly Closing[]): void {
  let isEnding = false;
  process.on('uncaughtException', (error: unknown) => {
    if (isEnding) return;
    isEnding = true;
    process.exitCode = 1;
    say(`Parcela ends by a fault of its own: ${faultText(error)}`, 'error');
    void Promise.allSettled(closings.map(({ flushed }) => flushed?.())).then(() => process.exit(1));
  });
}

async function run(): Promise<number> {
  const closings: Closing[] = [];
  endOnFault(closings);
  const unfit = nodeFault();
  if (unfit !== null) {
    say(unfit, 'error');
    return 1;
  }
  refuseInspector();
  const signals = stopSignals();
  const signal = signals.next();
  const drain = openDrain();
  const stopping = new AbortController();
  void signal.then(() => stopping.abort());
  const starting = start(process.env, closings, { signal: stopping.signal, drain });
  const started = await Promise.race([starting, signal]);
  if (started === null || typeof started === 'string') {
    // Half open is closed too, once it is known what was opened.
    await starting;
    await closeAll(closings, sayWarning);
    return started === null ? 1 : 0;
  }
  const { configuration, app } = started;
  printBanner(configuration, app);
  const reason = await Promise.race([signal, app.broken]);
  const isOrdered = reason.startsWith('SIG');
  if (isOrdered) await drainFirst(configuration.drainSeconds, drain, signals, app.broken);
  else say(`Parcela stops. ${reason}`, 'error');
  endAnyway(signals);
  await closeAll(closings, sayWarning);
  return isOrdered ? 0 : 1;
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
    sayWarning(`${why}; what was under way will be settled at the next start.`);
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
    if (app.shopUrl !== null) say(`  Demo shop    ${app.shopUrl}`);
  } else {
    say(`  Roles        ${configuration.roles.join(', ')}`);
    say(`  Health       ${origin}/health/ready`);
  }
  if (app.consoleUrl !== null) say(`  Console      ${app.consoleUrl}`);
  // It lets in whoever reads it: not for a log that is kept.
  if (app.signInUrl !== null && !isForPrograms(configuration.logFormat))
    say(`  Sign in      ${app.signInUrl} (once, for a day)`);
  if (app.pixWebhookUrl !== null) say(`  Pix webhook  ${app.pixWebhookUrl}`);
  say(`  Metrics      ${app.metricsUrl}`);
  if (app.demoFile !== null && existsSync(app.demoFile)) {
    say(`  Demo logins  ${app.demoFile}`);
    say('Next: buy at the demo shop, or make a first payment in five steps, in README.md.');
  }
}

process.exitCode = await run();
process.exit();
