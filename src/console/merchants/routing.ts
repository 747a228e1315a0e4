import type { AcquirerCapabilities } from '../../acquirers/acquirer.ts';

/** Whom the processes of this database ask; addresses without what stands behind the host. */
export type Routing = {
  readonly acquirer: { readonly host: string | null; readonly capabilities: AcquirerCapabilities };
  /** Null: none is named. */
  readonly bankHost: string | null;
  readonly antiFraudHost: string | null;
  readonly isHomologation: boolean;
};

type Addresses = {
  readonly acquirerUrl: string | null;
  readonly capabilities: AcquirerCapabilities;
  readonly bankUrl: string | null;
  readonly antiFraudUrl: string | null;
  readonly isHomologation: boolean;
};

const hostOf = (url: string | null) => (url === null ? null : new URL(url).host);

export function routingOf({
  acquirerUrl,
  capabilities,
  bankUrl,
  antiFraudUrl,
  isHomologation,
}: Addresses): Routing {
  return {
    acquirer: { host: hostOf(acquirerUrl), capabilities },
    bankHost: hostOf(bankUrl),
    antiFraudHost: hostOf(antiFraudUrl),
    isHomologation,
  };
}
