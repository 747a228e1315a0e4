import type { Feed } from '../../src/platform/feeds/open-feed.ts';
import { INSTALLMENT_MOVES, type Installment } from '../../src/transactions/transaction.ts';
import { findTransaction } from '../../src/transactions/transaction-queries.sql.ts';
import { isUuid } from '../../src/values/ids.ts';
import { utcText } from '../../src/values/instant.ts';
import { askSimulator } from '../ask-simulator.ts';
import { type EventResult, SIMULATOR_WORDS, type WantedEvent } from './event.ts';

export type EventTools = { readonly simulatorUrl: string; readonly changes: Feed };

/** Books an event at the simulator and pulls it. If it throws, the event may have happened. */
export async function askForEvent(
  tools: EventTools,
  merchantId: string,
  wanted: WantedEvent,
): Promise<EventResult> {
  if (!isUuid(wanted.paymentId)) return { kind: 'refused', refusal: 'notFound' };
  const before = await findTransaction(tools.changes.database, merchantId, wanted.paymentId);
  if (before === null) return { kind: 'refused', refusal: 'notFound' };
  if (before.state !== 'approved') return { kind: 'refused', refusal: 'forbidden' };
  const installment = installmentIn(before.installments, wanted);
  if (installment === undefined) return { kind: 'refused', refusal: 'notFound' };
  if (INSTALLMENT_MOVES[installment.state][wanted.event] === null)
    return { kind: 'refused', refusal: 'forbidden' };
  if (!(await bookAtSimulator(tools, merchantId, wanted))) return { kind: 'refused', refusal: 'forbidden' };
  await tools.changes.pullAndApplyOf(merchantId);
  const after = await findTransaction(tools.changes.database, merchantId, wanted.paymentId);
  const { state } = installmentIn(after?.installments ?? [], wanted) ?? installment;
  return { kind: 'happened', state };
}

function installmentIn(installments: readonly Installment[], { installmentNumber }: WantedEvent) {
  return installments.find(({ number }) => number === installmentNumber);
}

/** False: the simulator's ledger does not allow it. */
async function bookAtSimulator(
  { simulatorUrl, changes }: EventTools,
  merchantId: string,
  { paymentId, installmentNumber, event, amount }: WantedEvent,
): Promise<boolean> {
  const at = utcText(changes.clock.now(merchantId));
  const type = SIMULATOR_WORDS[event];
  const reference = paymentId.toLowerCase();
  const { ok } = await askSimulator(simulatorUrl, '/changes', {
    body: { merchantId, reference, installmentNumber, type, amount, at },
    refusals: [404, 409],
  });
  return ok;
}
