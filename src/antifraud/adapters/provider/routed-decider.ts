import type { CallAnswer } from '../../../platform/process-reports/peer-calls.ts';
import type { ProviderSet } from '../../../providers/open-provider-table.ts';
import type { Decider, Decision, Sale } from '../../anti-fraud.ts';
import { ProviderSilent } from './ask-provider.ts';
import { PROVIDER_SILENT_REASON } from './provider-answers.ts';

export type AntiFraudProvider = Pick<Decider, 'decide'>;

export const PROVIDER_DECIDER = 'provider';

/** Without a provider the sale passes: the rules have already accepted it. */
const NOBODY: Decision = { verdict: 'accept', reasons: [] };

const FAILED = { kind: 'silent', message: 'it failed' } as const;

export type NoteDecision = (provider: string, answer: CallAnswer, seconds: number) => void;

export class RoutedDecider implements Decider {
  readonly name = PROVIDER_DECIDER;
  readonly silentReason = PROVIDER_SILENT_REASON;
  readonly timeoutMilliseconds: number;
  readonly #providers: Pick<ProviderSet<AntiFraudProvider>, 'of' | 'choose'>;

  readonly #note: NoteDecision;

  /** `note` gets each decision, or why there is none. */
  constructor(
    providers: Pick<ProviderSet<AntiFraudProvider>, 'of' | 'choose'>,
    timeoutMilliseconds: number,
    note: NoteDecision,
  ) {
    this.#providers = providers;
    this.timeoutMilliseconds = timeoutMilliseconds;
    this.#note = note;
  }

  providerOf({ merchantId, transactionId, card, installmentCount, amount }: Sale): string | null {
    return this.#providers.choose({ merchantId, transactionId, brand: card.brand, installmentCount, amount });
  }

  isConcerned(sale: Sale): boolean {
    return this.providerOf(sale) !== null;
  }

  async decide(sale: Sale, signal: AbortSignal): Promise<Decision> {
    const name = this.providerOf(sale);
    if (name === null) return NOBODY;
    const begunAt = performance.now();
    const note = (answer: CallAnswer) => this.#note(name, answer, (performance.now() - begunAt) / 1_000);
    try {
      const decision = await this.#providers.of(name).decide(sale, signal);
      note({ kind: decision.verdict });
      return decision;
    } catch (error) {
      const { kind, message } = error instanceof ProviderSilent ? error : FAILED;
      note({ kind, reason: message });
      throw error;
    }
  }
}

/** Stands for a provider that is not open in this process. */
export const ABSENT_PROVIDER: AntiFraudProvider = {
  async decide() {
    throw new ProviderSilent('this provider is not open here');
  },
};

/**
 * Asks the provider only once `findUnfitness` has returned null; a text says why the provider must not be
 * asked. `findUnfitness` is called at once, then by each sale, one call at a time.
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
