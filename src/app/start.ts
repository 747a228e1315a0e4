import type { Closing } from '../platform/closings.ts';
import { machineFile } from '../platform/machine-settings.ts';
import { type Configuration, ConfigurationFault, readConfiguration } from './config.ts';
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
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (['listen', 'bind', 'getaddrinfo'].includes(syscall ?? '') && LISTEN_FAULTS.includes(code ?? '')) {
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
    refuseForgottenSettings(environment);
    const configuration = readConfiguration(environment);
    for (const warning of configuration.warnings) say(`Warning: ${warning}`);
    return { configuration, app: await openApp(configuration, closings, surroundings) };
  } catch (error) {
    // Who ordered it to stop need not hear what the order broke off.
    if (!surroundings.signal.aborted) printFault(error);
    return null;
  }
}

/** On a machine with an installation a start without settings is no wish for a homologation. */
function refuseForgottenSettings(environment: Readonly<Record<string, string | undefined>>): void {
  const file = machineFile(environment);
  if (file === null || (environment.PARCELA_ENVIRONMENT?.trim() ?? '') !== '') return;
  throw new ConfigurationFault(
    `PARCELA_ENVIRONMENT: is not set, and this machine has an installation (${file}), whose units start it: systemctl start parcela@8081; ` +
      'for a homologation beside it set PARCELA_ENVIRONMENT=homologation',
  );
}
