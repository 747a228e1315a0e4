import { Overloaded } from '../platform/postgres/batched-writes.ts';
import {
  type AntiFraud,
  type Decision,
  type Sale,
  SILENT_REASON,
  triggeredDecision,
  type VelocityEvent,
  type Verdict,
} from './anti-fraud.ts';

export type DecideTools = {
  readonly antiFraud: AntiFraud;
  /** What the velocity rules count of a sale, whatever decided it: written with its intent; null: nothing. */
  readonly velocityEventOf: (sale: Sale) => VelocityEvent | null;
  /** Homologation: trigger addresses decide by themselves. */
  readonly takesTriggers: boolean;
  readonly decisionTimeoutMilliseconds: number;
  /** The verdict when the decider fails or does not answer in time. */
  readonly verdictWhenSilent: Verdict;
  /** Hears of every decision: for metrics, and for whoever watches over rejects. */
  readonly observeDecision: (merchantId: string, decision: Decision) => void;
  readonly warnOfSilence: (merchantId: string, error: unknown) => void;
};

export type DecidedSale = Decision & {
  /** To be written in the commit of the intent; null: nothing is counted. */
  readonly attempt: VelocityEvent | null;
};

/**
 * Judges a sale before there is an intent and before anybody is asked for money. A decider that is away must neither stop the
 * sales nor wave them through unseen: its silence has a verdict. That we ourselves have too much to do is no silence of the
 * decider, or a burst would switch it off: then it throws `Overloaded`, and the caller may come again. What is rejected is not counted: a limit is a limit of tries, and
 * whoever hammers on a closed door costs no write. `deadlineAt` is on the monotonic clock.
 */
export async function decideSale(tools: DecideTools, sale: Sale, deadlineAt: number): Promise<DecidedSale> {
  const triggered = tools.takesTriggers ? triggeredDecision(sale.email) : null;
  const decision = triggered ?? (await decisionInTime(tools, sale, deadlineAt));
  tools.observeDecision(sale.merchantId, decision);
  return {
    ...decision,
    attempt: decision.verdict === 'reject' ? null : tools.velocityEventOf(sale),
  };
}

async function decisionInTime(tools: DecideTools, sale: Sale, deadlineAt: number): Promise<Decision> {
  const milliseconds = Math.min(tools.decisionTimeoutMilliseconds, deadlineAt - performance.now());
  const stopping = new AbortController();
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => {
      const late = new Error('the anti-fraud decision did not come in time');
      // Settled first: what a decider does on being stopped comes too late to be an answer.
      silence.reject(late);
      stopping.abort(late);
    },
    Math.max(0, milliseconds),
  );
  try {
    return await Promise.race([tools.antiFraud.decide(sale, stopping.signal), silence.promise]);
  } catch (error) {
    if (error instanceof Overloaded) throw error;
    tools.warnOfSilence(sale.merchantId, error);
    return { verdict: tools.verdictWhenSilent, reasons: [SILENT_REASON] };
  } finally {
    clearTimeout(timer);
  }
}
