import type { ProcessReport } from '../../platform/process-reports/process-report.ts';
import type { AcquirerCapabilities } from '../../providers/acquirers/acquirer.ts';
import type { Provider, ProviderKind } from '../../providers/provider.ts';

/** Whom the processes of this database ask, and by which rules. Of each address only the host is shown. */
export type Routing = {
  readonly acquirer: { readonly host: string | null; readonly capabilities: AcquirerCapabilities };
  /** Null: none is configured. */
  readonly bankHost: string | null;
  readonly antiFraudHost: string | null;
  readonly isHomologation: boolean;
  /** The providers that the operator added by commands. */
  readonly providers: readonly RoutedProvider[];
  /** Rules of a merchant and of all merchants, in the order of evaluation. */
  readonly rules: readonly RoutingRule[];
  /** The acquirer rules of the merchant, or of all merchants: if this differs later, they have changed. */
  readonly standing: string;
  readonly processes: readonly ProcessReport[];
};

export type RoutedProvider = {
  readonly kind: ProviderKind;
  readonly name: string;
  /** Null: the provider is asked by files. */
  readonly host: string | null;
  readonly isEnabled: boolean;
};

export type RoutingRule = {
  readonly kind: ProviderKind;
  /** Null: the rule is for all merchants. */
  readonly merchantId: string | null;
  readonly provider: string;
  /** The rule as commands and the form take it. */
  readonly text: string;
};

type Addresses = Pick<Routing, 'standing'> & {
  readonly acquirerUrl: string | null;
  readonly capabilities: AcquirerCapabilities;
  readonly bankUrl: string | null;
  readonly antiFraudUrl: string | null;
  readonly isHomologation: boolean;
  readonly providers: readonly Pick<Provider, 'kind' | 'name' | 'url' | 'disabledAt'>[];
  readonly rules: readonly RoutingRule[];
  readonly processes: readonly ProcessReport[];
};

const hostOf = (url: string | null) => (url === null || url === '' ? null : new URL(url).host);

export const ACQUIRER = 'acquirer';

export const RULE_SEPARATOR = '; ';

export function ruleTexts(line: string): string[] {
  return line
    .split(RULE_SEPARATOR.trim())
    .map((text) => text.trim())
    .filter(Boolean);
}

export function routingOf({
  acquirerUrl,
  capabilities,
  bankUrl,
  antiFraudUrl,
  isHomologation,
  providers,
  rules,
  standing,
  processes,
}: Addresses): Routing {
  return {
    acquirer: { host: hostOf(acquirerUrl), capabilities },
    bankHost: hostOf(bankUrl),
    antiFraudHost: hostOf(antiFraudUrl),
    isHomologation,
    providers: providers.map(({ kind, name, url, disabledAt }) => ({
      ...{ kind, name, host: hostOf(url) },
      isEnabled: disabledAt === null,
    })),
    rules,
    standing,
    processes,
  };
}
