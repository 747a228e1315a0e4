import type { Chance } from '../chance.ts';
import { EVENT_TYPES, type EventType } from '../log.ts';
import type { WantedPayment } from '../merchant-client.ts';
import {
  drawAmount,
  drawPlainAmount,
  type Operation,
  type Preparation,
  wantPayment,
} from '../operations/operation.ts';

const MOST_INSTALLMENTS = 3;
const SHARE_WITH_CALLBACK = 0.6;
/** Begins the path of a callback's address; the shop stands behind it. */
export const CALLBACK_PATH = '/retorno/';

/**
 * A payment of which merchants are notified, at their account's address and mostly at an address of
 * its own as well.
 */
async function wantNotifiedPayment(
  preparation: Preparation,
  operation: string,
  amount: number,
): Promise<WantedPayment> {
  const { chance, till } = preparation;
  const installments = chance.whole(1, MOST_INSTALLMENTS);
  const system = chance.pick(till.bench.systems);
  const hasCallback = chance.isIn(SHARE_WITH_CALLBACK);
  const wanted = await wantPayment(preparation, operation, { amount });
  const callback = `${system.url}${CALLBACK_PATH}${wanted.shop.merchantId}`;
  return { ...wanted, installments, ...(hasCallback ? { callback } : {}) };
}

type WantedEvent = { readonly type: EventType; readonly place: number };

/** What happens to an installment in its life, some of it impossible where it stands: that is refused. */
function drawEvents(chance: Chance): WantedEvent[] {
  return Array.from({ length: chance.whole(1, 4) }, () => ({
    type: chance.pick(EVENT_TYPES),
    place: chance.next(),
  }));
}

export const TOLD_OPERATIONS: readonly Operation[] = [
  {
    name: 'payAndBeNotified',
    weight: 4,
    async prepare(preparation) {
      const { till, chance } = preparation;
      const wanted = await wantNotifiedPayment(preparation, 'payAndBeNotified', drawAmount(chance));
      return async ({ to }) => void (await till.pay(to(), wanted));
    },
  },
  {
    name: 'cancelAndBeNotified',
    weight: 3,
    async prepare(preparation) {
      const { till, chance } = preparation;
      const amount = drawPlainAmount(chance);
      const part = chance.isIn(0.4) ? chance.whole(1, amount) : null;
      const wanted = await wantNotifiedPayment(preparation, 'cancelAndBeNotified', amount);
      return async ({ to }) => {
        const entry = await till.pay(to(), wanted);
        if (entry.status !== 200) return;
        await till.cancel(to(), entry, 'cancelAndBeNotified', part);
        if (part !== null) await till.cancel(to(), entry, 'cancelAndBeNotified', null);
      };
    },
  },
  {
    name: 'beChangedAndNotified',
    weight: 3,
    async prepare(preparation) {
      const { till, chance } = preparation;
      const events = drawEvents(chance);
      const wanted = await wantNotifiedPayment(preparation, 'beChangedAndNotified', drawPlainAmount(chance));
      return async ({ to }) => {
        const entry = await till.pay(to(), wanted);
        if (entry.status !== 200) return;
        for (const { type, place } of events)
          await till.force(to(), entry, type, 1 + Math.floor(place * entry.installments));
      };
    },
  },
  {
    // The acquirer's changes and the merchant's cancel meet at one payment.
    name: 'beChangedWhileCanceling',
    weight: 1,
    async prepare(preparation) {
      const { till, chance } = preparation;
      const events = drawEvents(chance);
      const amount = drawPlainAmount(chance);
      const wanted = await wantNotifiedPayment(preparation, 'beChangedWhileCanceling', amount);
      return async ({ to }) => {
        const entry = await till.pay(to(), wanted);
        if (entry.status !== 200) return;
        const forced = events.map(({ type, place }) =>
          till.force(to(), entry, type, 1 + Math.floor(place * entry.installments)),
        );
        await Promise.all([till.cancel(to(), entry, 'beChangedWhileCanceling', null), ...forced]);
      };
    },
  },
];
