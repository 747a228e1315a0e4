import { Overloaded } from '../platform/work/overloaded.ts';
import {
  type Decider,
  type Decision,
  endsChain,
  joinDecisions,
  type Sale,
  triggeredDecision,
  type VelocityEvent,
  type Verdict,
} from './anti-fraud.ts';

export type DecideTools = {
  /** In the order in which they are asked. */
  readonly deciders: readonly Decider[];
  /**
   * What the velocity rules count of a sale, whatever decided it: written with its intent; null:
   * nothing.
   */
  readonly velocityEventOf: (sale: Sale) => VelocityEvent | null;
  /** Homologation: trigger addresses decide by themselves. */
  readonly takesTriggers: boolean;
  /** The verdict of a decider that fails or does not answer in time. */
  readonly verdictWhenSilent: Verdict;
  /** Called with every decision: for metrics, and for the people who watch over rejects. */
  readonly observeDecision: (merchantId: string, decision: Decision) => void;
  readonly warnOfSilence: (decider: string, error: unknown) => void;
};

export type DecidedSale = Decision & {
  /** To be written in the commit of the intent; null: nothing is counted. */
  readonly attempt: VelocityEvent | null;
};

/**
 * Decides a sale before there is an intent and before the acquirer is asked. A rejected sale is not
 * counted: a limit is a limit of tries, and more tries at a closed door cost no write. Throws
 * `Overloaded` when we ourselves are overloaded: counted as a decider's silence, a burst would
 * switch the decider off. `deadlineAt` is on the monotonic clock.
 */
export async function decideSale(tools: DecideTools, sale: Sale, deadlineAt: number): Promise<DecidedSale> {
  const triggered = tools.takesTriggers ? triggeredDecision(sale.buyer.email) : null;
  const decision = triggered ?? (await askDeciders(tools, sale, deadlineAt));
  tools.observeDecision(sale.merchantId, decision);
  return {
    ...decision,
    attempt: decision.verdict === 'reject' ? null : tools.velocityEventOf(sale),
  };
}

/**
 * One after the other, so that a provider is neither asked nor paid for what the rules before it
 * reject.
 */
async function askDeciders(tools: DecideTools, sale: Sale, deadlineAt: number): Promise<Decision> {
  const decisions: Decision[] = [];
  for (const decider of tools.deciders) {
    const decision = await decisionInTime(tools, decider, sale, deadlineAt);
    decisions.push(decision);
    if (endsChain(decision)) break;
  }
  return joinDecisions(decisions);
}

/**
 * A decider that is away must neither stop the sales nor let them through unseen: its silence has a
 * verdict.
 */
async function decisionInTime(
  tools: DecideTools,
  decider: Decider,
  sale: Sale,
  deadlineAt: number,
): Promise<Decision> {
  const milliseconds = Math.min(decider.timeoutMilliseconds, deadlineAt - performance.now());
  const stopping = new AbortController();
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => {
      const late = new Error('the anti-fraud decision did not come in time');
      // Rejected first: an answer of the decider after the abort comes too late.
      silence.reject(late);
      stopping.abort(late);
    },
    Math.max(0, milliseconds),
  );
  try {
    return await Promise.race([decider.decide(sale, stopping.signal), silence.promise]);
  } catch (error) {
    if (error instanceof Overloaded) throw error;
    tools.warnOfSilence(decider.name, error);
    return { verdict: tools.verdictWhenSilent, reasons: [decider.silentReason] };
  } finally {
    clearTimeout(timer);
  }
}
