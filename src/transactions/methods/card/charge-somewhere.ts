import type { ModuleContext } from '../../../platform/module.ts';
import type { Intent } from '../../transaction.ts';
import { markNextAttempt } from './next-attempts.sql.ts';

export type ChargeSomewhereTools = Pick<ModuleContext, 'database'> & {
  /** Called for a charge that goes to another acquirer, because the first surely did not make it. */
  readonly observeNext: (from: Intent, to: Intent) => void;
};

type Somewhere<Charge> = {
  /** The acquirer that may be asked next; null: none. */
  readonly findNext: () => string | null;
  readonly newId: () => string;
  readonly charge: (intent: Intent) => Promise<Charge>;
  /** In monotonic milliseconds. */
  readonly deadlineAt: number;
};

/** With less time left no other acquirer is asked. */
const LEAST_FOR_ANOTHER_MILLISECONDS = 3_000;

export function nextInTime({
  findNext,
  deadlineAt,
}: Pick<Somewhere<never>, 'findNext' | 'deadlineAt'>): string | null {
  return deadlineAt - performance.now() < LEAST_FOR_ANOTHER_MILLISECONDS ? null : findNext();
}

/**
 * A charge that the first acquirer surely did not make goes to the next that the rules name, once, as another
 * transaction. Before the intent of that one is committed, the first is voided and names it as the next
 * attempt. A charge with an unknown outcome never goes to another acquirer.
 */
export async function chargeSomewhere<Charge extends { readonly kind: string; readonly wasAsked?: boolean }>(
  { database, observeNext }: ChargeSomewhereTools,
  intent: Intent,
  somewhere: Somewhere<Charge>,
): Promise<{ readonly intent: Intent; readonly charge: Charge }> {
  const charge = await somewhere.charge(intent);
  if (charge.kind !== 'notConnected') return { intent, charge };
  const acquirer = nextInTime(somewhere);
  if (acquirer === null) return { intent, charge };
  const next = { ...intent, acquirer, transactionId: somewhere.newId() };
  const isMarked = await markNextAttempt(database, intent, next.transactionId).catch(() => false);
  if (!isMarked) return { intent, charge };
  observeNext(intent, next);
  const last = await somewhere.charge(next);
  const isUnsent = last.kind === 'notSent' || last.kind === 'notConnected';
  return { intent: next, charge: isUnsent && charge.wasAsked === true ? { ...last, wasAsked: true } : last };
}
