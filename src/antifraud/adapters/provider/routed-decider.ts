import type { ProviderSet } from '../../../providers/open-provider-table.ts';
import type { Decider, Decision, Sale } from '../../anti-fraud.ts';
import { ProviderSilent } from './ask-provider.ts';
import { PROVIDER_SILENT_REASON } from './provider-answers.ts';

export type AntiFraudProvider = Pick<Decider, 'decide'>;

/** Without a provider the sale passes; the rules before have already accepted it. */
const NOBODY: Decision = { verdict: 'accept', reasons: [] };

export class RoutedDecider implements Decider {
  readonly name = 'provider';
  readonly silentReason = PROVIDER_SILENT_REASON;
  readonly timeoutMilliseconds: number;
  readonly #providers: Pick<ProviderSet<AntiFraudProvider>, 'of' | 'choose'>;

  constructor(providers: Pick<ProviderSet<AntiFraudProvider>, 'of' | 'choose'>, timeoutMilliseconds: number) {
    this.#providers = providers;
    this.timeoutMilliseconds = timeoutMilliseconds;
  }

  providerOf({ merchantId, transactionId, card, installmentCount, amount }: Sale): string | null {
    return this.#providers.choose({ merchantId, transactionId, brand: card.brand, installmentCount, amount });
  }

  isConcerned(sale: Sale): boolean {
    return this.providerOf(sale) !== null;
  }

  async decide(sale: Sale, signal: AbortSignal): Promise<Decision> {
    const name = this.providerOf(sale);
    return name === null ? NOBODY : this.#providers.of(name).decide(sale, signal);
  }
}

/** Stands for a provider that is not open in this process. */
export const ABSENT_PROVIDER: AntiFraudProvider = {
  async decide() {
    throw new ProviderSilent('this provider is not open here');
  },
};

/** Checks the provider before its first decision. `unfit` resolves to why it must not be asked. */
export function checkedProvider(
  provider: AntiFraudProvider,
  unfit: Promise<string | null>,
): AntiFraudProvider {
  return {
    async decide(sale, signal) {
      const reason = await unfit;
      if (reason !== null) throw new ProviderSilent(reason);
      return provider.decide(sale, signal);
    },
  };
}
