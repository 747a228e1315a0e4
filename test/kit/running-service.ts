import type { Demo } from '../../homologation/create-demo-merchant.ts';

/** A running service, wherever it runs. */
export type RunningService = {
  readonly gatewayUrl: string;
  readonly integrationUrl: string;
  readonly metricsUrl: string;
  readonly pixWebhookUrl?: string | null;
  readonly folder: string;
  /** Lines of the log. */
  readonly log: readonly string[];
  /** The logins of the demo merchant. */
  demo(): Promise<Demo>;
};

/** Wherever it runs, it can be stopped. */
export type OpenedService = RunningService & { stop(): Promise<unknown> };

/** Opened in the process of the tests: it cannot be killed. Its stop gives what could not be closed. */
export type ServiceHere = RunningService & { stop(): Promise<readonly string[]> };

/** What every service of a test is set to, unless the test says otherwise. */
export function settingsIn(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    PARCELA_PORT: '0',
    PARCELA_DRAIN_SECONDS: '0',
    PARCELA_REGISTRATIONS_PER_MINUTE: '1000000',
    PARCELA_REQUESTS_PER_SECOND_PER_ADDRESS: '1000000',
    // Of the one card that nearly all tests use.
    PARCELA_STORED_COPIES: '10000',
    PARCELA_DATA_DIR: folder,
    // All that is published is served.
    PARCELA_SECURITY_CONTACT: 'mailto:security@parcela.example',
    PARCELA_SECURITY_EXPIRES: '2099-12-31',
    ...settings,
  };
}
