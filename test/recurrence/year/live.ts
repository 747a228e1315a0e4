import type { Enrolled } from './enrol.ts';
import { orderOfPayer, type YearShop } from './year-shop.ts';

const MONTHS = 12;
const DAYS_OF_A_MONTH = 30;
const DAYS_LEFT = 5;

/** A year by the clock, in which some end it: at their bank, or by their merchant. */
export async function liveAYear(
  shop: YearShop,
  enrolled: readonly Enrolled[],
  say: (line: string) => void,
): Promise<void> {
  for (let month = 1; month <= MONTHS; month += 1) {
    await shop.moveOn(DAYS_OF_A_MONTH + (month === MONTHS ? DAYS_LEFT : 0));
    for (const one of enrolled) if (one.subscriber.endsIn === month) await end(shop, one);
    say(`month ${month}: ${await shop.today()}`);
  }
}

async function end(shop: YearShop, { subscriber, subscriptionId, idRec }: Enrolled): Promise<void> {
  if (subscriber.kind === 'ends') return orderOfPayer(shop, 'authorizations', { idRec, act: 'cancel' });
  if (subscriber.kind !== 'leaves') return;
  const path = `/v1/recurrences/subscriptions/${subscriptionId}/status`;
  await shop.ask(path, { body: { status: 'Canceled' } });
}
