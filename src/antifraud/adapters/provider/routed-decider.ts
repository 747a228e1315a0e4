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

/**
 * Asks nothing of the provider before `findUnfitness` gives null: it says why the provider must not be asked,
 * and is called at once, then by each sale until then, once at a time.
 */
export function checkedProvider(
  provider: AntiFraudProvider,
  findUnfitness: () => Promise<string | null>,
): AntiFraudProvider {
  let isFit = false;
  let checking: Promise<string | null> | null = null;
  async function check(): Promise<string | null> {
    const reason = await findUnfitness();
    isFit = reason === null;
    checking = null;
    return reason;
  }
  checking = check();
  return {
    async decide(sale, signal) {
      if (!isFit) {
        checking ??= check();
        const reason = await checking;
        if (reason !== null) throw new ProviderSilent(reason);
      }
      return provider.decide(sale, signal);
    },
  };
}
