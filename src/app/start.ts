import type { Closing } from '../platform/closings.ts';
import { say, sayWarning, speakIn } from '../platform/log.ts';
import { machineFile } from '../platform/machine-settings.ts';
import { type Configuration, ConfigurationFault, logFormatOf, readConfiguration } from './config.ts';
import { type App, openApp, type Surroundings } from './open-app.ts';

/** Printed without a stack, because the message alone helps. */
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

function printFault(error: unknown, configuration: Configuration | null): void {
  if (!(error instanceof Error)) throw error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (['listen', 'bind', 'getaddrinfo'].includes(syscall ?? '') && LISTEN_FAULTS.includes(code ?? '')) {
    say(
      `Parcela does not start: ${error.message}; ${listenAdvice(error as NodeJS.ErrnoException, configuration)}`,
      'error',
    );
  } else if (PLAIN_FAULTS.includes(error.name)) say(`Parcela does not start:\n${error.message}`, 'error');
  else say(`Parcela does not start: ${error.stack}`, 'error');
}

/** The setting of the port that could not be opened, and what to do. */
export function listenAdvice(
  { code, port }: Pick<NodeJS.ErrnoException, 'code'> & { readonly port?: number },
  configuration: Configuration | null,
): string {
  const listeners = configuration === null ? [] : listenersOf(configuration);
  const setting = listeners.find((one) => one.port === port && port !== 0)?.setting;
  const [hosts, ports] =
    setting === undefined
      ? ['PARCELA_HOST', 'PARCELA_PORT and PARCELA_METRICS_PORT']
      : [setting.replace(/PORT$/, 'HOST'), setting];
  if (code === 'EADDRINUSE')
    return `another program has that port (ss -ltnp shows which): end it, or name another one in ${ports}`;
  if (code === 'EACCES') return `this account may not listen there: name a port above 1023 in ${ports}`;
  return `name an address of this machine in ${hosts}`;
}

function listenersOf({ gateway, integration, metrics, console: pages, pix }: Configuration) {
  return [
    { setting: 'PARCELA_PORT', port: gateway.port },
    { setting: 'PARCELA_INTEGRATION_PORT', port: integration.port },
    { setting: 'PARCELA_METRICS_PORT', port: metrics.port },
    { setting: 'PARCELA_CONSOLE_PORT', port: pages.listener?.port },
    { setting: 'PARCELA_PIX_WEBHOOK_PORT', port: pix.webhook?.port },
  ];
}

/** Null, with the reason printed, if it failed or was told to stop. `closings` has what was opened so far. */
export async function start(
  environment: Readonly<Record<string, string | undefined>>,
  closings: Closing[],
  surroundings: Surroundings,
): Promise<{ readonly configuration: Configuration; readonly app: App } | null> {
  let configuration: Configuration | null = null;
  speakIn(logFormatOf(environment));
  try {
    refuseForgottenSettings(environment);
    configuration = readConfiguration(environment);
    speakIn(configuration.logFormat);
    for (const warning of configuration.warnings) sayWarning(`Warning: ${warning}`);
    return { configuration, app: await openApp(configuration, closings, surroundings) };
  } catch (error) {
    // After an order to stop, its effects are not reported.
    if (!surroundings.signal.aborted) printFault(error, configuration);
    return null;
  }
}

/** On a machine with an installation, missing settings do not mean homologation. */
function refuseForgottenSettings(environment: Readonly<Record<string, string | undefined>>): void {
  const file = machineFile(environment);
  if (file === null || (environment.PARCELA_ENVIRONMENT?.trim() ?? '') !== '') return;
  throw new ConfigurationFault(
    `PARCELA_ENVIRONMENT: is not set, and this machine has an installation (${file}), whose units start it: systemctl start parcela@8081; ` +
      'for a homologation beside it set PARCELA_ENVIRONMENT=homologation',
  );
}
