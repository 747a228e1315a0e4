import type { Closing } from '../platform/closings.ts';
import { type Configuration, readConfiguration } from './config.ts';
import { say } from './infrastructure.ts';
import { type App, openApp, type Surroundings } from './open-app.ts';

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
 * Opens the service as its settings say, and prints their warnings; null when it cannot be opened, or was
 * ordered to stop meanwhile: why is printed. What was opened until then is among the closings.
 */
export async function start(
  environment: Readonly<Record<string, string | undefined>>,
  closings: Closing[],
  surroundings: Surroundings,
): Promise<{ readonly configuration: Configuration; readonly app: App } | null> {
  try {
    const configuration = readConfiguration(environment);
    for (const warning of configuration.warnings) say(`Warning: ${warning}`);
    return { configuration, app: await openApp(configuration, closings, surroundings) };
  } catch (error) {
    // Who ordered it to stop need not hear what the order broke off.
    if (!surroundings.signal.aborted) printFault(error);
    return null;
  }
}
