import { centsOf } from './money.ts';
import type { PayerStep } from './recurrence-entries.ts';
import type { Fault } from './script-step.ts';
import amounts from './trigger-amounts.json' with { type: 'json' };

type Payment = 'inTime' | 'late' | 'part' | 'twice' | 'toldTwice' | 'takenBack';

const MOST_TRIES = 100;
const LACKS_FUNDS: PayerStep = { plan: 'lacksFunds', code: null };
const TRIES: Readonly<Record<string, readonly PayerStep[]>> = {
  lacksFundsOnce: [LACKS_FUNDS],
  lacksFunds: Array.from({ length: MOST_TRIES }, () => LACKS_FUNDS),
  rejected: [{ plan: 'rejects', code: 'AC05' }],
  ignored: [{ plan: 'ignores', code: null }],
};

/** What an amount makes go wrong with a new charge; null: nothing. */
export function faultOf(original: string): Fault | null {
  return wordOf(amounts.faults, original) as Fault | null;
}

/** How a charge of that amount is paid by itself; null: nobody pays it by himself. */
export function paymentOf(original: string): Payment | null {
  return wordOf(amounts.payments, original) as Payment | null;
}

/** What a payer decides by himself of an authorization for that amount; null: nothing. */
export function decisionOf(valorRec: string | undefined): 'accepted' | 'rejected' | null {
  return valorRec === undefined
    ? null
    : (wordOf(amounts.authorizations, valorRec) as 'accepted' | 'rejected' | null);
}

/** What becomes of the first tries under an authorization for that amount. */
export function triesOf(valorRec: string | undefined): readonly PayerStep[] {
  return valorRec === undefined ? [] : (TRIES[wordOf(amounts.tries, valorRec) ?? ''] ?? []);
}

/** By the last four digits of the cents. */
function wordOf(words: Readonly<Record<string, string>>, amount: string): string | null {
  return words[String(centsOf(amount) % 10_000).padStart(4, '0')] ?? null;
}
