import type { Received } from './listener.ts';
import { billingsPath, type Shop } from './shop.ts';
import { type Billing, chargesOf, minuteOf, type Page, type Subscription } from './wire.ts';

type Moment = { readonly at: string; readonly line: string };

/**
 * All that happened, in the order of business time: as the resources tell it, and as the merchant's
 * endpoint heard it.
 */
export async function showTimeline(
  { client, screen, reported }: Shop,
  subscriptionId: string,
): Promise<void> {
  const path = `/v1/recurrences/subscriptions/${subscriptionId}`;
  const subscription = await client.read<Subscription>(path, 'recurrence');
  const { items } = await client.read<Page<Billing>>(billingsPath(subscriptionId), 'recurrence');
  const billings: Billing[] = [];
  for (const { id } of items)
    billings.push(await client.read<Billing>(`/v1/recurrences/billing/${id}`, 'recurrence'));
  const moments = [
    ...momentsOfSubscription(subscription),
    ...billings.flatMap(momentsOfBilling),
    ...reported.map((received) => momentOfReceived(received, billings)),
  ];
  // The sort is stable: what has one moment stays in this order.
  moments.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  screen.chapter('The whole story by business time');
  for (const { at, line } of moments) screen.say(`  ${minuteOf(at)}  ${line}`);
}

function momentsOfSubscription({ timeline }: Subscription): Moment[] {
  return timeline.map(({ at, type, reason, description }) => {
    const why = reason === undefined ? '' : ` (${reason}: ${description})`;
    return { at, line: `subscription  ${type}${why}` };
  });
}

function momentsOfBilling(billing: Billing): Moment[] {
  return chargesOf(billing).map(({ at, attempt, outcome, code, rule, nextChargeOn }) => {
    const answer = code === null ? outcome : `${outcome} ${code}`;
    const next = nextChargeOn === null ? '' : `, next try ${nextChargeOn}`;
    return { at, line: `billing ${billing.installment}     attempt ${attempt}: ${answer}, ${rule}${next}` };
  });
}

/** A notice has no time of its own: it is that of its charge. */
function momentOfReceived(received: Received, billings: readonly Billing[]): Moment {
  if (received.kind === 'notification') {
    const { moment, type, oldValue, newValue, nsu } = received.body;
    const change = oldValue === '' ? newValue : `${oldValue} -> ${newValue}`;
    // Resources tell the same moment without its offset.
    return { at: moment.slice(0, 23), line: `webhook       ${type} ${change}, nsu ${nsu}` };
  }
  const { billingId, installment, attempt, returnCode, description, nextAttemptOn, status } = received.body;
  const billing = billings.find(({ id }) => id === billingId);
  const charge = billing && chargesOf(billing).find((candidate) => candidate.attempt === attempt);
  const next = nextAttemptOn === null ? '' : `, next try ${nextAttemptOn}`;
  const line = `notice        billing ${installment}, attempt ${attempt}: ${returnCode} ${description}, ${status}${next}`;
  return { at: charge?.at ?? '', line };
}
