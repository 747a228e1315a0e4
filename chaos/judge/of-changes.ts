import type { EventEntry } from '../log.ts';
import type { Till } from '../merchant-client.ts';
import { type FedMovement, newMovements } from '../movement-feed.ts';
import type { Scene } from '../rounds.ts';
import { type Finding, standingCharges } from './finding.ts';
import type { Books } from './ledger-view.ts';

const NAME = 'what the acquirer took back is what the payment says, and what the feed of movements tells';
const ASKED_AT_ONCE = 16;

/** References of payments of which money may have been taken back by something else than a cancel. */
export function takenBack(events: readonly EventEntry[]): ReadonlySet<string> {
  return new Set(
    events
      .filter(({ type, status }) => type === 'chargeback' && status !== 409)
      .map(({ reference }) => reference),
  );
}

/**
 * Of every payment of which something was taken back, by a cancel or by its holder: the acquirer's ledger,
 * the payment as its merchant reads it, and the movements that its merchant is fed.
 */
export async function compareTakenBack(scene: Scene, books: Books): Promise<Finding[]> {
  const findings: Finding[] = [];
  const complain = (reference: string, text: string) => findings.push({ invariant: NAME, reference, text });
  const gateway = () => scene.fleet.any(scene.chance);
  const fed = new Map<string, FedMovement[]>();
  for (const shop of scene.bench.shops)
    for (const movement of await newMovements(scene.bench, shop, gateway))
      fed.getOrInsertComputed(movement.paymentId, () => []).push(movement);
  const touched = new Set([...books.eventEntries, ...books.cancelEntries].map(({ reference }) => reference));
  const rows = books.transactions.filter(
    ({ reference, state }) => touched.has(reference) && state === 'approved',
  );
  const askOne = async ({ transactionId, reference, merchantId, amount }: (typeof rows)[number]) => {
    const taken = standingCharges(books, reference)[0]?.canceledAmount ?? 0;
    const reported = await askAgain(scene.till, gateway, merchantId, transactionId);
    if (reported === null) complain(reference, 'it could not be read');
    else if (reported.canceledAmount !== taken)
      complain(reference, `${taken} taken back at the acquirer, ${reported.canceledAmount} as it is read`);
    const fault = faultOf(fed.get(transactionId) ?? [], amount, taken);
    if (fault !== null) complain(reference, `${taken} of ${amount} taken back at the acquirer, ${fault}`);
  };
  for (let index = 0; index < rows.length; index += ASKED_AT_ONCE)
    await Promise.all(rows.slice(index, index + ASKED_AT_ONCE).map(askOne));
  return findings;
}

const MOST_TRIES = 20;
const PAUSE_MILLISECONDS = 200;

/** A service that a fault has just struck answers nobody: another one is asked. */
async function askAgain(
  till: Till,
  gateway: () => Promise<Parameters<Till['ask']>[0]>,
  merchantId: string,
  paymentId: string,
) {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const reported = await till.ask(await gateway(), merchantId, paymentId).catch(() => null);
    if (reported !== null) return reported;
    await new Promise((wake) => setTimeout(wake, PAUSE_MILLISECONDS));
  }
  return null;
}

/**
 * An installment that is `Cancelada` was given back whole, one that is not was given back in part at most;
 * null: the movements say what the acquirer says.
 */
function faultOf(movements: readonly FedMovement[], amount: number, taken: number): string | null {
  const parts = Map.groupBy(movements, ({ installmentNumber }) => installmentNumber);
  let least = 0;
  let most = 0;
  let sold = 0;
  for (const [, changes] of parts) {
    const [first] = changes;
    const last = changes.at(-1);
    if (first === undefined || last === undefined) continue;
    sold += first.amount;
    least += last.newValue === 'Cancelada' ? first.amount : 0;
    most += last.newValue === 'Cancelada' ? first.amount : first.amount - 1;
  }
  if (sold !== amount) return `and movements of ${sold} are fed`;
  return taken < least || taken > most ? `and the movements fed allow ${least} to ${most}` : null;
}
